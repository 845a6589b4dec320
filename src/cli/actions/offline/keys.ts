import { hex } from '../../../core/base/encoding/hex.ts'
import { formatPrivateKey } from '../../../core/base/encoding/ids.ts'
import { evmAddressOf } from '../../../core/chain/c/evm-address.ts'
import {
  generateMnemonic,
  type HDAccount,
  type MnemonicLength,
} from '../../../core/crypto/hd/index.ts'
import { generatePrivateKey, type KeyChain } from '../../../core/crypto/keychain.ts'
import { accountsOf, ownKeysOf, positionsOf } from '../../../inspect/key-text.ts'
import { addressText } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { writeSecret } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { hdChoice, keyTexts, ownKeys } from '../../keys/own-keys.ts'
import { encryptedText } from '../../keys/password.ts'
import { table } from '../../terminal/print.ts'
import { qrCodes } from '../../terminal/qr.ts'

/** Creates a key or a mnemonic. */
export async function keysNew(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const out = values.required('out', 'keys new --out FILE writes the key there')
  if (values.has('words') && !values.has('mnemonic'))
    throw new UsageError('MISSING_OPTION', '--words requires --mnemonic')
  const passphrase = await newPassphrase(invocation)
  const words = Number(values.text('words') ?? '24') as MnemonicLength
  const text = values.has('mnemonic') ? generateMnemonic(words) : newKey()
  const { keys } = await ownKeysOf([text], { account: 0, count: 1, passphrase })
  const network = await invocation.network()
  const plain = `${text}\n`
  const encrypt = values.has('encrypt')
  writeSecret(out, encrypt ? await encryptedText(plain, invocation) : plain)
  const address = addressText(keys.addresses[0]!, network)
  return {
    json: { file: out, address, network: network.name },
    text: [
      `${address}\nwritten to ${out}${encrypt ? ', encrypted' : ''}`,
      ...(await qrCodes([address], invocation)),
    ].join('\n\n'),
  }
}

/** The passphrase that a new mnemonic is used with. It is not written to the file. */
async function newPassphrase(invocation: Invocation): Promise<string | undefined> {
  if (invocation.values.has('mnemonic')) return (await hdChoice(invocation)).passphrase
  for (const option of ['passphrase', 'passphrase-file'])
    if (invocation.values.has(option))
      throw new UsageError('MISSING_OPTION', `--${option} requires --mnemonic`)
  return undefined
}

/** Derives the keys of a mnemonic. */
export async function keysFromMnemonic(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const hd = await accountOf(invocation)
  try {
    const positions = positionsOf((await hdChoice(invocation)).count ?? 1)
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
      json: { extendedPublicKey, addresses: rows, file: out },
      text: `${table(columns, cells, invocation.paint)}\n\n${extendedPublicKey}`,
    }
  } finally {
    hd.wipe()
  }
}

/** Shows the addresses and public keys of keys. */
export async function keysShow(invocation: Invocation): Promise<Result> {
  const { keys } = await ownKeys(invocation)
  return showKeys(keys, invocation)
}

async function showKeys(keys: KeyChain, invocation: Invocation): Promise<Result> {
  const network = await invocation.network()
  const { publicKeys } = keys
  const rows = keys.addresses.map((address, i) => ({
    address: addressText(address, network),
    account: evmAddressOf(publicKeys[i]!),
    publicKey: hex.encode(publicKeys[i]!),
  }))
  const columns = [{ title: 'address' }, { title: 'C-Chain account' }, { title: 'public key' }]
  const cells = rows.map(({ address, account, publicKey }) => [address, account, publicKey])
  const codes = await qrCodes(
    rows.map(({ address }) => address),
    invocation,
  )
  return {
    json: { keys: rows },
    text: [table(columns, cells, invocation.paint), ...codes].join('\n\n'),
  }
}

/** The account of the only mnemonic among the configured keys. */
async function accountOf(invocation: Invocation): Promise<HDAccount> {
  const accounts = accountsOf(await keyTexts(invocation), await hdChoice(invocation))
  if (accounts.length === 1) return accounts[0]!
  for (const account of accounts) account.wipe()
  throw new UsageError('NO_KEYS', `expected one mnemonic, found ${accounts.length || 'none'}`, {
    hint: 'pass --key-file FILE with one mnemonic, or --key-env AVMKIT_MNEMONIC',
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
