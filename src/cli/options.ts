import type { Options } from './command.ts'

/** For commands that call a node. */
export const nodeOptions: Options = {
  url: { value: 'URL', many: true, help: 'URL of the node; repeat for more servers' },
  chain: {
    value: 'CHAIN',
    help: 'alias or ID of the X-Chain or of another chain that runs the AVM; default X',
  },
  timeout: { value: 'SECONDS', help: 'time limit for one reply; default 10' },
}

/** For commands that read from as many servers as must agree. */
export const quorumOption: Options = {
  quorum: {
    value: 'NUMBER',
    help: 'number of servers that must agree; default 1 with one or two servers, 2 with more',
  },
}

/** For commands that read the state of the chain: UTXOs, heights, acceptance. */
export const chainOptions: Options = { ...nodeOptions, ...quorumOption }

const NETWORKS = ['mainnet', 'fuji', 'local'] as const

const networkValue = { value: 'NETWORK', suggestions: NETWORKS } as const

/** For commands that work without a node. */
export const networkOption: Options = {
  network: {
    ...networkValue,
    help: 'mainnet, fuji, local, a network ID or the file of a profile; default mainnet',
  },
}

/** For commands that spend: the node decides the network, and this option checks it. */
export const expectedNetworkOption: Options = {
  network: { ...networkValue, help: 'fail if the node belongs to another network' },
}

/** For commands that read, which can use a public node. */
export const readNetworkOption: Options = {
  network: {
    ...networkValue,
    help: 'network of the public node, used without a URL; fail if the node belongs to another network',
  },
}

/** For commands that read a signing request, which names its own network. */
export const requestNetworkOption: Options = {
  network: { ...networkValue, help: 'fail if the signing request is for another network' },
}

const gapOption: Options = {
  'gap-limit': {
    value: 'NUMBER',
    help: 'stop the search of a mnemonic or xpub after this many unused addresses; default 20',
  },
}

/** For commands that read mnemonics. */
export const passphraseOptions: Options = {
  passphrase: { help: 'the mnemonic has a BIP-39 passphrase: ask for it' },
  'passphrase-file': {
    value: 'FILE',
    help: 'file whose first line is the BIP-39 passphrase; default AVMKIT_PASSPHRASE_FILE',
  },
}

/** For commands that encrypt keys. */
export const weakOption: Options = {
  weak: { help: 'accept a password that is short or easy to guess' },
}

/** For commands that sign, or that read what keys own. */
export const keyOptions: Options = {
  'key-file': {
    value: 'FILE',
    many: true,
    help: 'private keys or a mnemonic, one per line; - for standard input',
  },
  'key-env': {
    value: 'NAME',
    help: 'environment variable with a key or mnemonic; default AVMKIT_KEY, then AVMKIT_MNEMONIC',
  },
  account: {
    value: 'ACCOUNT',
    help: 'name from avmkit accounts add, or number of the account of a mnemonic; default 0',
  },
  ...passphraseOptions,
  count: {
    value: 'NUMBER',
    help: 'use the first addresses of a mnemonic; default: all used ones, or 1 without a node',
  },
  ...gapOption,
}

/** For commands that ask for confirmation. */
export const confirmOptions: Options = {
  yes: { short: 'y', help: 'do not ask for confirmation' },
}

/** For commands that read the policy of a signer. */
export const policyOption: Options = {
  policy: { value: 'FILE', help: 'policy of the signer' },
}

/** For commands that explain or sign. */
export const policyOptions: Options = {
  policy: { value: 'FILE', help: 'policy of the signer: what it refuses is not signed' },
  'address-book': { value: 'FILE', help: 'signed address book that the policy requires' },
  'policy-checksum': {
    value: 'TEXT',
    help: 'fail unless the policy has this checksum, which an earlier explanation has shown',
  },
}

/** For commands that wait for acceptance. */
export const waitOption: Options = {
  wait: { value: 'SECONDS', help: 'time limit for acceptance; default 60' },
}

/** For commands that record payments or read the journal. */
export const journalOption: Options = {
  journal: {
    value: 'FILE',
    help: 'journal of payments; default: one file per network and set of keys in ~/.local/state/avmkit',
  },
}

/** For commands that issue transactions of the user's keys. */
export const issuingOptions: Options = {
  ...waitOption,
  ...journalOption,
  ...keyOptions,
  ...chainOptions,
  ...expectedNetworkOption,
}

/** Codes of dangers that the user can accept for their own transactions. */
export const ACCEPTABLE = [
  'BURN',
  'HIGH_FEE',
  'OPEN_OUTPUT',
  'UNKNOWN_CHAIN',
  'STUCK_EXPORT',
  'FOREIGN_CHANGE',
  'UNKNOWN_ASSET',
] as const

export const memoOption: Options = {
  memo: { value: 'TEXT', help: 'public text stored with the transaction, at most 256 bytes' },
}

/** For commands that sign and issue. */
export const spendOptions: Options = {
  ...memoOption,
  'change-to': {
    value: 'OWNER',
    help: 'owner of the change: an address or 2:ADDRESS,ADDRESS; default: your first address, of a mnemonic the first one for change',
  },
  'fresh-change': { help: 'send change to an address of the mnemonic that no payment used' },
  accept: {
    value: 'CODE',
    many: true,
    choices: ACCEPTABLE,
    help: 'sign despite this danger',
  },
  ...policyOptions,
  ...confirmOptions,
  ...issuingOptions,
}

/** For commands that make payments with idempotency keys. */
export const againOption: Options = {
  again: {
    help: 'pay although a transaction that the journal does not know may have made this payment, or only one server has shown that it was rejected; if it was made, this pays twice',
  },
}

/** For commands that make one transaction. */
export const onceOptions: Options = {
  'idempotency-key': {
    value: 'KEY',
    help: 'your name for the payment: a payment with the same key is made only once per journal',
  },
  ...againOption,
}

/** For commands that can show what they would do. */
export const planOption: Options = {
  plan: { alias: 'dry-run', help: 'show the plan and stop: nothing is signed or sent' },
}

/** For commands that print an address or a request. */
export const qrOption: Options = {
  qr: { help: 'print a QR code, too' },
}

/** For commands that write a file which may also go to standard output. */
export const outOption: Options = {
  out: { value: 'FILE', short: 'o', help: 'output file; default: standard output' },
}

/** Where the tables of a custody system are. */
export const databaseOptions: Options = {
  database: {
    value: 'URL',
    help: 'PostgreSQL database without a password, which goes into AVMKIT_DATABASE or PGPASSWORD',
  },
  schema: { value: 'NAME', help: 'schema of the tables; default avmkit' },
}

/** For every command of a custody system. */
export const custodyOptions: Options = {
  ...databaseOptions,
  ...chainOptions,
  ...expectedNetworkOption,
}

/** For custody commands that sign. */
export const custodyKeyOptions: Options = {
  hot: {
    value: 'ADDRESS',
    many: true,
    help: 'an address of the hot wallet; default: all addresses of your keys, if none is a deposit address',
  },
  rules: { value: 'FILE', help: 'sweep rules as JSON, amounts in the smallest unit as strings' },
  ...policyOptions,
  ...keyOptions,
  ...custodyOptions,
}
