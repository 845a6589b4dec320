import {
  accountFromMnemonic,
  generateMnemonic,
  type MnemonicLength,
  parseMnemonic,
} from '../../crypto/hd.ts'
import { generatePrivateKey, type KeyChain } from '../../crypto/index.ts'
import { formatPrivateKey, hex } from '../../encoding/index.ts'
import { type Command, keyOptions, networkOption, type Result } from '../command.ts'
import { UsageError } from '../errors.ts'
import { readText, writeSecret } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { keyChainOf, positionsOf } from '../key-text.ts'
import { table } from '../print.ts'
import { ask, isInteractive } from '../prompt.ts'
import { addressText } from '../texts.ts'

const outOption = {
  out: {
    value: 'FILE',
    short: 'o',
    help: 'a new file for the secret, which only you can read',
  },
} as const

/** Makes a key or a mnemonic. */
const keysNew: Command = {
  name: 'keys new',
  summary: 'make a private key, or a mnemonic with --mnemonic, and write it to a file',
  details: 'The secret goes to the file and is never printed. A file that exists is not touched.',
  arguments: [],
  options: {
    ...outOption,
    mnemonic: { help: 'make a mnemonic' },
    words: {
      value: 'NUMBER',
      choices: ['12', '15', '18', '21', '24'],
      help: 'its length; 24 unless told',
    },
    ...networkOption,
  },
  example: 'keys new --out my.key',
  run: async (invocation) => {
    const { values } = invocation
    const out = values.required('out', 'keys new --out FILE writes the key there')
    if (values.has('words') && !values.has('mnemonic'))
      throw new UsageError('MISSING_OPTION', 'expected --mnemonic beside --words')
    const words = Number(values.text('words') ?? '24') as MnemonicLength
    const text = values.has('mnemonic') ? generateMnemonic(words) : newKey()
    const keys = keyChainOf([text], { account: 0, count: 1 })
    const network = await invocation.network()
    writeSecret(out, `${text}\n`)
    const address = addressText(keys.addresses[0]!, network)
    return {
      json: { file: out, address, network: network.name },
      text: `${address}\nwritten to ${out}`,
    }
  },
}

/** Derives the keys of a mnemonic. */
const keysFromMnemonic: Command = {
  name: 'keys from-mnemonic',
  summary: 'show the addresses of a mnemonic, and write its keys to a file with --out',
  arguments: [],
  options: {
    'mnemonic-file': {
      value: 'FILE',
      help: 'the words; - for standard input, else AVMKIT_MNEMONIC',
    },
    account: keyOptions.account!,
    count: keyOptions.count!,
    ...outOption,
    ...networkOption,
  },
  example: 'keys from-mnemonic --mnemonic-file words.txt --count 5',
  run: async (invocation) => {
    const { values } = invocation
    const { account, count } = invocation.hdChoice()
    const hd = accountFromMnemonic(await mnemonicOf(invocation), { account })
    try {
      const positions = positionsOf(count)
      const out = values.text('out')
      if (out !== undefined)
        writeSecret(out, positions.map((p) => `${formatPrivateKey(hd.privateKey(p))}\n`).join(''))
      const network = await invocation.network()
      const rows = positions.map((position) => ({
        path: hd.watch.path(position),
        address: addressText(hd.watch.address(position), network),
      }))
      const { extendedPublicKey } = hd.watch
      const columns = [{ title: 'path' }, { title: 'address' }]
      const cells = rows.map(({ path, address }) => [path, address])
      return {
        json: { extendedPublicKey, addresses: rows, ...(out === undefined ? {} : { file: out }) },
        text: `${table(columns, cells, invocation.paint)}\n\n${extendedPublicKey}`,
      }
    } finally {
      hd.wipe()
    }
  },
}

/** Shows whose keys one has. */
const keysShow: Command = {
  name: 'keys show',
  summary: 'show the addresses and public keys of private keys or a mnemonic',
  arguments: [],
  options: { ...keyOptions, ...networkOption },
  example: 'keys show --key-file my.key --network fuji',
  run: async (invocation) => {
    const keys = await invocation.keys()
    return showKeys(keys, invocation)
  },
}

async function showKeys(keys: KeyChain, invocation: Invocation): Promise<Result> {
  const network = await invocation.network()
  const { publicKeys } = keys
  const rows = keys.addresses.map((address, i) => ({
    address: addressText(address, network),
    publicKey: hex.encode(publicKeys[i]!),
  }))
  const columns = [{ title: 'address' }, { title: 'public key' }]
  const cells = rows.map(({ address, publicKey }) => [address, publicKey])
  return { json: { keys: rows }, text: table(columns, cells, invocation.paint) }
}

async function mnemonicOf({ values, io }: Invocation): Promise<string> {
  const file = values.text('mnemonic-file')
  if (file !== undefined) return parseMnemonic(await readText(file, io))
  if (io.env.AVMKIT_MNEMONIC) return parseMnemonic(io.env.AVMKIT_MNEMONIC)
  if (isInteractive(io)) return parseMnemonic(await ask(io, 'mnemonic (hidden): ', true))
  throw new UsageError('NO_KEYS', 'expected a mnemonic, and nobody is there to be asked', {
    hint: 'pass --mnemonic-file FILE or set AVMKIT_MNEMONIC',
  })
}

function newKey(): string {
  const key = generatePrivateKey()
  try {
    return formatPrivateKey(key)
  } finally {
    key.fill(0)
  }
}

/** Making and looking at keys. */
export const keyCommands: readonly Command[] = [keysNew, keysFromMnemonic, keysShow]
