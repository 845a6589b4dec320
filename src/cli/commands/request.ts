import type { Command, Options } from '../command.ts'
import {
  ACCEPTABLE,
  chainOptions,
  confirmOptions,
  expectedNetworkOption,
  keyOptions,
  memoOption,
  nodeOptions,
  outOption,
  policyOptions,
  qrOption,
  requestNetworkOption,
} from '../options.ts'
import { assetContents, type CommandContent } from './assets.ts'
import {
  batchContent,
  batchSizeOption,
  clearSignOption,
  paymentArgument,
  paymentContent,
  payoutArgument,
} from './spend.ts'

const fileArgument = { name: 'FILE', help: 'signing request; - for standard input' } as const

const inputArgument = {
  name: 'FILE',
  help: 'signing request; default: standard input',
  piped: true,
} as const

const readOptions: Options = { ...nodeOptions, ...requestNetworkOption }

/** Options that say who pays, and where the request is written. */
const draftOptions: Options = {
  from: {
    value: 'ADDRESS',
    many: true,
    help: 'address or xpub that owns the UTXOs to spend; repeat for more',
  },
  account: {
    value: 'ACCOUNT',
    help: 'named account that owns the UTXOs to spend, instead of --from; needs no keys',
  },
  signers: {
    value: 'WHO',
    choices: ['all'],
    help: 'all: any sufficient set of owners can sign; default: the first set that can sign',
  },
  ...memoOption,
  'change-to': {
    value: 'OWNER',
    help: 'owner of the change; required unless all spent UTXOs belong to the first owner or to one xpub',
  },
  'gap-limit': keyOptions['gap-limit']!,
  ...qrOption,
  ...outOption,
  ...chainOptions,
  ...expectedNetworkOption,
}

/** A batch is one request per transaction. */
const { qr: _qr, ...fileOptions } = draftOptions

const batchDraftOptions: Options = {
  ...fileOptions,
  out: { value: 'FOLDER', short: 'o', help: 'folder for the requests, one file per transaction' },
}

/** For requests of chains whose fee changes. */
const marginOption: Options = {
  'fee-margin': {
    value: 'FACTOR',
    help: 'with --chain P or C: how many times the current fee to pay, 1 to 100; default 2',
  },
}

type Action = keyof typeof import('../actions/request/request-drafts.ts')

function draftCommand(
  word: string,
  action: Action,
  summary: string,
  { arguments: list, options }: CommandContent,
  example: string,
  details?: string,
): Command {
  const own = BATCHES.includes(action) ? batchDraftOptions : draftOptions
  return {
    name: `request ${word}`,
    summary,
    details,
    arguments: list,
    // A command may describe an option of its group more precisely.
    options: { ...options, ...own, ...options },
    example: `request ${word} ${example}`,
    run: async (invocation) =>
      (await import('../actions/request/request-drafts.ts'))[action](invocation),
  }
}

const BATCHES: readonly Action[] = ['sweep', 'consolidate', 'importFrom', 'payout']

const OFFLINE =
  'Needs no key, only the addresses that pay. The file contains the transactions that prove the spent UTXOs, so that\nsigners, who may be offline, need not trust you or the node.'

const OTHER_CHAINS =
  'With --chain P or C the transaction is one of that chain: --from names P- or C- addresses, or the 0x… account that an\nexport of the C-Chain debits. It pays --fee-margin times the current fee of that chain, because the fee may rise until it is\nissued; explain --lookup tells whether it still suffices. It has no memo.'

const ROUNDS =
  'Writes one request per transaction. If their outputs have to be combined once more, run the command again after the\ntransactions are accepted.'

const ADDRESS = 'X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'
const FROM = '--from X-fuji15qwuklmrfcmfw78yvka9pjsukjeevl4aqtagvs'
const ASSET = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'

const recipient = { arguments: [{ name: 'ADDRESS', help: 'recipient' }] }

const drafts: readonly Command[] = [
  draftCommand(
    'create',
    'create',
    'draft a payment as a signing request that other machines can sign',
    {
      arguments: [paymentArgument],
      options: {
        'destination-chain': {
          value: 'CHAIN',
          suggestions: ['X', 'P', 'C'],
          help: 'export to this chain',
        },
        from: {
          ...draftOptions.from!,
          help: 'address or xpub that owns the UTXOs to spend; repeat for more. For an export from the C-Chain: account 0x…, or an xpub for its first account',
        },
        'coin-type': {
          value: '60',
          choices: ['60'],
          help: "with --chain C: the xpub is that of m/44'/60'/0', as devices have it; default m/44'/9000'/0'",
        },
        ...paymentContent,
        ...marginOption,
      },
    },
    `${ADDRESS}=1.5 ${FROM} --signers all --out payout.json`,
    `${OFFLINE}\n${OTHER_CHAINS}`,
  ),
  draftCommand(
    'payout',
    'payout',
    'draft the payments of a CSV file as signing requests',
    { arguments: [payoutArgument], options: batchSizeOption },
    `withdrawals.csv ${FROM} --out requests`,
    'Writes one request per transaction. Keys of the file are not recorded: issue every request once.',
  ),
  draftCommand(
    'sweep',
    'sweep',
    'draft a sweep of everything to one address as signing requests',
    { ...recipient, options: { ...clearSignOption, ...batchContent } },
    `${ADDRESS} ${FROM} --out requests`,
    ROUNDS,
  ),
  draftCommand(
    'consolidate',
    'consolidate',
    'draft a consolidation of small UTXOs as signing requests',
    {
      arguments: [],
      options: {
        to: { value: 'ADDRESS', help: 'owner of the result; default: the first owner' },
        ...batchContent,
      },
    },
    `${FROM} --out requests`,
    ROUNDS,
  ),
  draftCommand(
    'import',
    'importFrom',
    'draft the import of everything that another chain exported as signing requests',
    {
      arguments: [],
      options: {
        'source-chain': {
          value: 'CHAIN',
          suggestions: ['X', 'P', 'C'],
          help: 'X, P, C or a chain ID',
        },
        to: {
          value: 'ADDRESS',
          help: 'recipient; default: the first owner; required on the C-Chain',
        },
        ...batchContent,
        ...marginOption,
      },
    },
    `--source-chain P ${FROM} --out requests`,
    OTHER_CHAINS,
  ),
  draftCommand(
    'asset-create',
    'assetCreate',
    'draft the creation of an asset',
    assetContents.create!,
    `Gold AU ${ADDRESS}=500 ${FROM} --out gold.json`,
  ),
  draftCommand(
    'mint',
    'assetMint',
    'draft the minting of an asset',
    assetContents.mint!,
    `${ASSET} ${ADDRESS} 100 ${FROM} --out mint.json`,
  ),
  draftCommand(
    'nft-mint',
    'nftMint',
    'draft the minting of NFTs',
    assetContents.nftMint!,
    `${ASSET} ${ADDRESS} --payload hello ${FROM} --out nft.json`,
  ),
  draftCommand(
    'nft-transfer',
    'nftTransfer',
    'draft the transfer of an NFT',
    assetContents.nftTransfer!,
    `${ASSET} ${ADDRESS} ${FROM} --out nft.json`,
  ),
  draftCommand(
    'property-mint',
    'propertyMint',
    'draft the minting of a property',
    assetContents.propertyMint!,
    `${ASSET} ${ADDRESS} ${FROM} --out property.json`,
  ),
  draftCommand(
    'property-burn',
    'propertyBurn',
    'draft the burning of a property',
    assetContents.propertyBurn!,
    `${ASSET} ${FROM} --out property.json`,
  ),
]

const sign: Command = {
  name: 'request sign',
  summary: 'show a signing request and add the signatures of your keys; works offline',
  details:
    'With a mnemonic, the keys at the derivation paths of the request are used, if it has any.',
  arguments: [inputArgument],
  options: {
    accept: {
      value: 'CODE',
      many: true,
      choices: [
        ...ACCEPTABLE,
        'UNCHECKED_SUM',
        'WRONG_ACCOUNT',
        'DEAD_ADDRESS',
        'UNPROVEN_UTXO',
        'UNPROVEN_ASSET',
        'FOREIGN_CHANGE',
        'SHARED_OUTPUT',
        'LOCKED_RETURN',
        'WEAKER_CHANGE',
        'BURNED_PROPERTY',
        'UNUSED_KEY',
        'KEY_NOT_A_SIGNER',
      ],
      help: 'sign despite this danger; --yes accepts none',
    },
    ...policyOptions,
    ...qrOption,
    ...outOption,
    ...confirmOptions,
    ...keyOptions,
    ...readOptions,
  },
  example: 'request sign payout.json --key-file my.key --out payout-signed.json',
  decodesFiles: true,
  run: async (invocation) => (await import('../actions/request/request.ts')).sign(invocation),
}

const merge: Command = {
  name: 'request merge',
  summary: 'merge the signatures of several copies of a signing request',
  details:
    'A wrong path, an invalid signature or a second signature of one key is reported and left out; the rest is merged.\nA copy may also be a file with the texts of QR codes, one per line: a series of BBQr, or the signatures of a Keystone\ndevice.',
  arguments: [
    fileArgument,
    { name: 'COPY', help: 'another copy of the request, or texts of QR codes', many: true },
  ],
  options: { ...outOption, ...readOptions },
  example: 'request merge from-alice.json from-bob.json --out payout.json',
  decodesFiles: true,
  run: async (invocation) => (await import('../actions/request/request.ts')).merge(invocation),
}

const exportQR: Command = {
  name: 'request export',
  summary: 'print the texts of the QR codes that show a signing request to a device',
  details:
    'One line for each QR code of the series. keystone: for Keystone devices, which need the fingerprint of their master key\nand requests with paths. bbqr: the whole file, for the offline page. avmkit request scan reads the answer.',
  arguments: [inputArgument],
  options: {
    format: { value: 'FORMAT', choices: ['keystone', 'bbqr'], help: 'keystone or bbqr; required' },
    fingerprint: {
      value: 'HEX',
      help: 'for keystone: fingerprint of the master key, 8 hex digits',
    },
    ...qrOption,
    ...outOption,
    ...readOptions,
  },
  example: 'request export payout.json --format bbqr --out frames.txt',
  decodesFiles: true,
  run: async (invocation) =>
    (await import('../actions/request/request-qr.ts')).exportFrames(invocation),
}

const scanned: Command = {
  name: 'request scan',
  summary: 'read a signing request, or signatures for one, from the texts of scanned QR codes',
  details:
    'One line for each QR code, in any order: a series of BBQr is a request; the answer of a Keystone device has signatures for\nthe request that --into names. Everything is verified as by avmkit request merge.',
  arguments: [inputArgument],
  options: {
    into: { value: 'FILE', help: 'the request that the signatures or the copy belong to' },
    ...outOption,
    ...readOptions,
  },
  example: 'request scan frames.txt --out payout.json',
  decodesFiles: true,
  run: async (invocation) => (await import('../actions/request/request.ts')).scan(invocation),
}

const status: Command = {
  name: 'request status',
  summary: 'show what a signing request does and which signatures are missing',
  arguments: [inputArgument],
  options: { ...policyOptions, ...readOptions },
  example: 'request status payout.json',
  decodesFiles: true,
  run: async (invocation) => (await import('../actions/request/request.ts')).status(invocation),
}

const finish: Command = {
  name: 'request finish',
  summary: 'print the signed transaction of a complete signing request',
  details: 'The output is the input of avmkit issue. Nothing is issued.',
  arguments: [inputArgument],
  options: { ...outOption, ...readOptions },
  example: 'request finish payout.json | avmkit issue --yes',
  decodesFiles: true,
  run: async (invocation) => (await import('../actions/request/request.ts')).finish(invocation),
}

/** Drafting, signing, merging and finishing signing requests. */
export const requestCommands: readonly Command[] = [
  ...drafts,
  sign,
  exportQR,
  scanned,
  merge,
  status,
  finish,
]
