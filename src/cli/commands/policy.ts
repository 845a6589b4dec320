import type { Command } from '../command.ts'
import {
  chainOptions,
  confirmOptions,
  keyOptions,
  networkOption,
  outOption,
  policyOption,
  qrOption,
} from '../options.ts'

const { 'gap-limit': _gapLimit, ...offlineKeyOptions } = keyOptions

const OWNERS = 'docs/policy.md describes the files.'

const show: Command = {
  name: 'policy show',
  summary: 'check the policy of a signer; show its checksum and its vaults',
  details: OWNERS,
  arguments: [{ name: 'FILE', help: 'policy' }],
  options: {},
  example: 'policy show policy.json',
  run: async (invocation) => (await import('../actions/offline/policy.ts')).showPolicy(invocation),
}

const vaultExport: Command = {
  name: 'policy export-vault',
  summary: 'write the registration of a vault for co-signers',
  arguments: [{ name: 'NAME', help: 'name of the vault in the policy' }],
  options: { ...policyOption, ...outOption },
  example: 'policy export-vault Treasury --policy policy.json --out vault.json',
  run: async (invocation) => (await import('../actions/offline/policy.ts')).exportVault(invocation),
}

const vaultImport: Command = {
  name: 'policy import-vault',
  summary: 'add the registration of a co-signer to a policy, in a new file',
  arguments: [{ name: 'FILE', help: 'registration of a vault' }],
  options: {
    ...policyOption,
    checksum: {
      value: 'TEXT',
      help: 'checksum of the vault, as a co-signer told it by another way',
    },
    ...outOption,
  },
  example: 'policy import-vault vault.json --policy policy.json --checksum CHECKSUM --out new.json',
  run: async (invocation) => (await import('../actions/offline/policy.ts')).importVault(invocation),
}

const signBook: Command = {
  name: 'policy sign-book',
  summary: 'sign an address book with your key',
  details: `The file is an address book without format, version and signature. ${OWNERS}`,
  arguments: [{ name: 'FILE', help: 'address book as JSON' }],
  options: { ...outOption, ...confirmOptions, ...offlineKeyOptions },
  example: 'policy sign-book recipients.json --key-file my.key --out book.json',
  run: async (invocation) => (await import('../actions/offline/policy.ts')).signBook(invocation),
}

const receive: Command = {
  name: 'receive',
  summary:
    'show an address of your keys or vault to be paid at, or verify one that was sent to you',
  details:
    'Without INDEX, the address of a mnemonic or xpub is the first one after the last used one, which a node tells. With INDEX,\nand for private keys and vaults, no node is asked.',
  arguments: [
    {
      name: 'INDEX',
      help: 'index of the address; default: the next unused one of a mnemonic, otherwise 0',
      optional: true,
    },
  ],
  options: {
    verify: {
      value: 'ADDRESS',
      help: 'fail unless this is one of the first 1000 addresses of your keys, or the owners 2:ADDRESS,ADDRESS of the vault',
    },
    vault: { value: 'NAME', help: 'a vault of the policy instead of your keys' },
    ...policyOption,
    ...qrOption,
    ...keyOptions,
    ...chainOptions,
    chain: { value: 'CHAIN', help: 'chain alias of the address; default X' },
    ...networkOption,
  },
  publicNode: true,
  example: 'receive 3 --key-file words.txt',
  run: async (invocation) => (await import('../actions/offline/receive.ts')).receive(invocation),
}

const messageSign: Command = {
  name: 'message sign',
  summary: 'sign a message with your key, as Ledger and Core do',
  arguments: [{ name: 'TEXT', help: 'message' }],
  options: {
    address: { value: 'ADDRESS', help: 'which of your keys signs; default: the first' },
    ...confirmOptions,
    ...offlineKeyOptions,
    ...networkOption,
  },
  example: "message sign 'I own this address' --key-file my.key",
  run: async (invocation) => (await import('../actions/offline/message.ts')).sign(invocation),
}

const messageVerify: Command = {
  name: 'message verify',
  summary: 'verify the signature of a message',
  arguments: [
    { name: 'ADDRESS', help: 'who should have signed' },
    { name: 'TEXT', help: 'message' },
    { name: 'SIGNATURE', help: 'signature in cb58 or hex' },
  ],
  options: {},
  example: `message verify X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t 'I own this address' 09424b7a970d960d81e9932717db86fd6957f97eb6abdaeecb48973704713ea31aa9eef457bed64025f32be6d4c9fef153ba5a8160cf3b5bb82a99177f554d5701`,
  run: async (invocation) => (await import('../actions/offline/message.ts')).verify(invocation),
}

/** Policies of signers, and addresses to receive at. */
export const policyCommands: readonly Command[] = [
  show,
  vaultExport,
  vaultImport,
  signBook,
  receive,
]

/** Signing and verifying messages. */
export const messageCommands: readonly Command[] = [messageSign, messageVerify]
