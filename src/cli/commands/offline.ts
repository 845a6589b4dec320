import { KINDS } from '../../inspect/kinds.ts'
import type { Command } from '../command.ts'
import {
  chainOptions,
  keyOptions,
  networkOption,
  outOption,
  passphraseOptions,
  policyOptions,
  qrOption,
  weakOption,
} from '../options.ts'

const decodeInput: Command = {
  name: 'decode',
  summary: 'decode a transaction, UTXO, block, genesis data, ID, address, key or signing request',
  details:
    "The kind is detected; transactions may be of the X-, P- or C-Chain. Hex may include the node's 4-byte checksum. A\nprivate key is accepted only in a file or on standard input, and only its address is shown. 64 hex digits could be a private key:\nuse --as id if they are an ID.",
  arguments: [
    { name: 'TEXT', help: 'text to decode, or its file; default: standard input', piped: true },
  ],
  options: {
    as: { value: 'KIND', choices: KINDS, help: 'decode as this kind only' },
    network: {
      ...networkOption.network!,
      help: 'network of addresses, if the input does not name one; default mainnet',
    },
  },
  example: 'decode X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => (await import('../actions/offline/decode.ts')).decodeInput(invocation),
}

const explain: Command = {
  name: 'explain',
  summary: 'explain what a transaction or signing request does, with warnings',
  details:
    'Works offline, except for a transaction ID. With --lookup the node supplies the spent UTXOs and the names of assets,\nand tells whether the fee of a transaction of the P- or C-Chain still suffices.\nWith keys, outputs that return to them are distinguished from payments to others. Transactions of the P- and C-Chain\nare explained from their own bytes.',
  arguments: [
    {
      name: 'TEXT',
      help: 'transaction, its ID or signing request, or the file of one; default: standard input',
      piped: true,
    },
  ],
  publicNode: true,
  options: {
    lookup: { help: 'ask the node for spent UTXOs and assets' },
    ...policyOptions,
    ...keyOptions,
    ...chainOptions,
    network: {
      ...networkOption.network!,
      help: 'fail if the signing request or the node is for another network; also selects its public node',
    },
  },
  example: 'explain payout.json',
  run: async (invocation) => (await import('../actions/offline/explain.ts')).explain(invocation),
}

const countOption = {
  count: { value: 'NUMBER', help: 'number of addresses of an xpub; default 1' },
} as const

const convertAddress: Command = {
  name: 'address',
  summary: 'convert an address to another chain or network',
  arguments: [
    {
      name: 'TEXT',
      help: 'address, 20 bytes, public key or xpub, or the file of one; default: standard input',
      piped: true,
    },
  ],
  options: {
    chain: { value: 'CHAIN', help: 'chain alias of the result; default: that of the input, or X' },
    ...countOption,
    ...qrOption,
    network: {
      ...networkOption.network!,
      help: 'network of the result; default: that of the input, or mainnet',
    },
  },
  example: 'address X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --network fuji --chain P',
  run: async (invocation) =>
    (await import('../actions/offline/address.ts')).convertAddress(invocation),
}

const convert: Command = {
  name: 'convert',
  summary: 'convert amounts, bytes, addresses, IDs and times to all their forms',
  details:
    'Accepts 1.5AVAX, 1500000000nAVAX, wei, hex, cb58, base64, addresses, xpubs, Unix times and dates. 64 hex digits\ncould be a private key and are accepted only in a file or on standard input.',
  arguments: [
    { name: 'VALUE', help: 'value to convert, or its file; default: standard input', piped: true },
  ],
  options: { ...countOption, ...networkOption },
  example: 'convert 1.5AVAX',
  run: async (invocation) => (await import('../actions/offline/convert.ts')).convert(invocation),
}

const { 'gap-limit': _gapLimit, ...offlineKeyOptions } = keyOptions

const secretFileOption = {
  out: { ...outOption.out!, help: 'new file for the secret, readable only by you' },
} as const

const keysNew: Command = {
  name: 'keys new',
  summary: 'create a private key or a mnemonic and write it to a file',
  details:
    'The secret is written to the file and never printed. Existing files are not overwritten.',
  arguments: [],
  options: {
    ...secretFileOption,
    encrypt: { help: 'encrypt the file with a password' },
    ...weakOption,
    ...qrOption,
    mnemonic: { help: 'create a mnemonic' },
    words: {
      value: 'NUMBER',
      choices: ['12', '15', '18', '21', '24'],
      help: 'length of the mnemonic; default 24',
    },
    ...passphraseOptions,
    ...networkOption,
  },
  example: 'keys new --out my.key',
  run: async (invocation) => (await import('../actions/offline/keys.ts')).keysNew(invocation),
}

const keysFromMnemonic: Command = {
  name: 'keys from-mnemonic',
  summary: 'show the addresses of a mnemonic; with --out, write its keys to a file',
  arguments: [],
  options: {
    ...offlineKeyOptions,
    count: { value: 'NUMBER', help: 'number of addresses; default 1' },
    ...secretFileOption,
    ...networkOption,
  },
  example: 'keys from-mnemonic --key-file words.txt --count 5',
  run: async (invocation) =>
    (await import('../actions/offline/keys.ts')).keysFromMnemonic(invocation),
}

const keysShow: Command = {
  name: 'keys show',
  summary: 'show the addresses and public keys of private keys or a mnemonic',
  arguments: [],
  options: {
    ...qrOption,
    ...offlineKeyOptions,
    count: { value: 'NUMBER', help: 'number of addresses of a mnemonic; default 1' },
    ...networkOption,
  },
  example: 'keys show --key-file my.key --network fuji',
  run: async (invocation) => (await import('../actions/offline/keys.ts')).keysShow(invocation),
}

const ENCRYPTED =
  'The password comes from a prompt, or from the first line of the file that AVMKIT_PASSWORD_FILE names. The file format is\nJSON with scrypt and AES-256-GCM; docs/key-files.md describes it.'

const keysImport: Command = {
  name: 'keys import',
  summary: 'encrypt private keys or a mnemonic into a new key file',
  details: ENCRYPTED,
  arguments: [{ name: 'FILE', help: 'plain keys or mnemonic; - for standard input' }],
  options: { ...secretFileOption, ...weakOption, ...networkOption },
  example: 'keys import my.key --out my.key.json',
  run: async (invocation) =>
    (await import('../actions/offline/key-files.ts')).keysImport(invocation),
}

const keysExport: Command = {
  name: 'keys export',
  summary: 'decrypt a key file into a new file without encryption',
  details: ENCRYPTED,
  arguments: [{ name: 'FILE', help: 'encrypted key file; - for standard input' }],
  options: secretFileOption,
  example: 'keys export my.key.json --out plain.key',
  run: async (invocation) =>
    (await import('../actions/offline/key-files.ts')).keysExport(invocation),
}

const keysChangePassword: Command = {
  name: 'keys change-password',
  summary: 'encrypt a key file with another password',
  details: `${ENCRYPTED}\nAVMKIT_NEW_PASSWORD_FILE names the file with the new password. The file is replaced at once or not at all.`,
  arguments: [{ name: 'FILE', help: 'encrypted key file' }],
  options: weakOption,
  example: 'keys change-password my.key.json',
  run: async (invocation) =>
    (await import('../actions/offline/key-files.ts')).keysChangePassword(invocation),
}

/** Commands that need no node. */
export const offlineCommands: readonly Command[] = [decodeInput, explain, convertAddress, convert]

/** Creating and showing keys. */
export const keyCommands: readonly Command[] = [
  keysNew,
  keysFromMnemonic,
  keysShow,
  keysImport,
  keysExport,
  keysChangePassword,
]
