import { describe, expect, it } from 'vitest'
import * as codec from '../../src/codec.ts'
import { argument, type Check } from '../../src/core/base/argument.ts'
import { ArgumentError } from '../../src/core/base/errors.ts'
import * as cChain from '../../src/core/c-chain.ts'
import { networkContext } from '../../src/core/chain/networks.ts'
import { chosenCoins } from '../../src/core/coins/chosen.ts'
import { viewpoint } from '../../src/core/coins/viewpoint.ts'
import {
  accountFromMnemonic,
  formatHDPath,
  HDAccount,
  parseHDPath,
  WatchAccount,
} from '../../src/core/crypto/hd/index.ts'
import { encryptKeyFile } from '../../src/core/crypto/keyfile/index.ts'
import { nobleBackend } from '../../src/core/crypto/secp256k1.ts'
import * as pChain from '../../src/core/p-chain.ts'
import * as avmkit from '../../src/index.ts'
import { thrownBy, withUnknown } from '../helpers/unknown-members.ts'
import { alice, coin } from './coins/samples.ts'

type Call = (options: never) => unknown
type Row = readonly [name: string, call: Call, options: object]

const { networks } = avmkit
const network = networks.local
const id = new Uint8Array(32).fill(7)
const now = 1_700_000_000n
const utxo = coin('x', 5n)
const view = { owners: [alice], now }
const set = new avmkit.UTXOSet()
set.add([utxo])
const need = { amounts: [{ assetID: utxo.assetID, amount: 1n }], baseSize: 10, changeSize: 10 }
const selecting = {
  ...view,
  need,
  maxSize: 60_000,
  strategy: 'fewest',
  order: [],
  consolidate: { maxInputs: 1, maxSize: 60_000 },
  pinned: [],
  excluded: [],
  sourceChain: undefined,
}
const words = `${'abandon '.repeat(11)}about`
const account = accountFromMnemonic(words)
const position = { change: 0, index: 0 }
const key = new Uint8Array(32).fill(1)
const address = avmkit.addressOf(avmkit.publicKeyOf(key))
const signature = avmkit.signHash(id, key)

const assetTx = codec.genesisTx(codec.localGenesis(12345).assets[0]!)
const tx: avmkit.SignedTx = {
  unsignedTx: {
    type: 'BaseTx',
    networkID: network.networkID,
    blockchainID: network.chainID,
    outputs: [],
    inputs: [
      {
        txID: id,
        outputIndex: 0,
        assetID: network.assetID,
        input: {
          type: 'secp256k1fx.TransferInput',
          amount: network.txFee,
          signatureIndices: [0],
        },
      },
    ],
    memo: new Uint8Array(0),
  },
  credentials: [{ type: 'secp256k1fx.Credential', signatures: [signature] }],
}
const { inputs } = tx.unsignedTx
const pTx: pChain.SignedTx = {
  unsignedTx: {
    type: 'BaseTx',
    networkID: network.networkID,
    blockchainID: avmkit.P_CHAIN_ID,
    outputs: [],
    inputs: inputs as never,
    memo: new Uint8Array(0),
  },
  credentials: tx.credentials as never,
}
const cTx: cChain.SignedTx = {
  unsignedTx: {
    type: 'ImportTx',
    networkID: network.networkID,
    blockchainID: network.chains.C!,
    sourceChain: network.chainID,
    importedInputs: inputs,
    outputs: [{ address: alice, amount: 1n, assetID: network.assetID }],
  },
  credentials: tx.credentials as never,
}
const weights = { ...pChain.DEFAULT_GAS_WEIGHTS }
const price = { ...pChain.DEFAULT_PRICE_CONFIG }
const state = { capacity: 5n, excess: 5n }
const block: codec.Block = {
  type: 'StandardBlock',
  parentID: id,
  height: 1n,
  time: 1n,
  merkleRoot: id,
  txs: [],
}
const definition = {
  alias: 'A',
  name: 'A',
  symbol: 'A',
  denomination: 0,
  memo: id,
  holders: [{ amount: 1n, address: alice }],
  minters: [[alice]],
}
const checked =
  (check: Check<unknown>): Call =>
  (value: unknown) =>
    argument('call', value, check)

/** Every call of these folders with options, and valid ones. */
const rows: readonly Row[] = [
  [
    'parseAddress',
    (of) => avmkit.parseAddress('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', of),
    { chain: 'X', hrp: 'local' },
  ],
  ['formatAddress', avmkit.formatAddress, { chain: 'X', hrp: 'local', address: alice }],
  ['txToJSON', (of) => avmkit.txToJSON(tx, of), { ...network }],
  ['utxoToJSON', (of) => codec.utxoToJSON(utxo, of), { ...network }],
  ['blockToJSON', (of) => codec.blockToJSON(block, of), { ...network }],
  [
    'txFromJSON',
    (of) => codec.txFromJSON(avmkit.txToJSON(tx, network), of),
    { hrp: 'local', chainAlias: 'X' },
  ],
  [
    'blockFromJSON',
    (of) => codec.blockFromJSON(codec.blockToJSON(block, network), of),
    { ...network },
  ],
  ['verifyTx', (of) => avmkit.verifyTx(tx, of), { ...network }],
  ['feeOf', (of) => codec.feeOf(tx.unsignedTx, of), { ...network }],
  ['decodeUTXOPage', (of) => codec.decodeUTXOPage([], of), { encoding: 'hex' }],
  ['buildGenesis', (of) => codec.buildGenesis(1, [of]), definition],
  ['p-chain txToJSON', (of) => pChain.txToJSON(pTx, of), { ...network }],
  [
    'p-chain txFromJSON',
    (of) => pChain.txFromJSON(pChain.txToJSON(pTx, network), of),
    { hrp: 'local' },
  ],
  ['p-chain verifyTx', (of) => pChain.verifyTx(pTx, of), { ...network }],
  ['p-chain gasOf', (of) => pChain.gasOf(pTx.unsignedTx, of), weights],
  ['p-chain feeOf', (of) => pChain.feeOf(pTx.unsignedTx, of), { weights, price: 1n }],
  ['gasPrice', (of) => pChain.gasPrice(0n, of), price],
  ['advanceFeeState', (of) => pChain.advanceFeeState(of, 1n, price), state],
  ['advanceFeeState config', (of) => pChain.advanceFeeState(state, 1n, of), price],
  ['consumeGas', (of) => pChain.consumeGas(of, 1n), state],
  ['c-chain txToJSON', (of) => cChain.txToJSON(cTx, of), { ...network }],
  ['c-chain verifyTx', (of) => cChain.verifyTx(cTx, of), { ...network }],
  ['c-chain verifyTx options', (of) => cChain.verifyTx(cTx, network, of), { helicon: true }],
  ['UTXOSet.add', (of) => set.add([], of), { sourceChain: id }],
  ['UTXOSet.size', (of) => set.size(of), { sourceChain: id }],
  ['UTXOSet.opaque', (of) => set.opaque(of), { sourceChain: id }],
  ['UTXOSet.get', (of) => set.get(utxo, of), { sourceChain: id }],
  ['UTXOSet.ofType', (of) => set.ofType('nftfx.MintOutput', of), { sourceChain: id }],
  ['UTXOSet.balances', (of) => set.balances(of), { ...view, sourceChain: id }],
  ['UTXOSet.select', (of) => set.select(of), selecting],
  ['UTXOSet.reserve', (of) => set.reserve([], of), { now, until: now }],
  ['selectFromPages', (of) => avmkit.selectFromPages([[utxo]], of), { ...selecting, set }],
  ['chooseCoins', (of) => avmkit.chooseCoins([utxo], of), view],
  ['networkContext', checked(networkContext), { ...network }],
  ['viewpoint', checked(viewpoint), view],
  ['chosenCoins', checked(chosenCoins), { ...avmkit.chooseCoins([utxo], view) }],
  ['new KeyChain', (of) => new avmkit.KeyChain([key], of), { backend: nobleBackend }],
  ['signHash', (of) => avmkit.signHash(id, key, of), { backend: nobleBackend, extraEntropy: id }],
  [
    'normalizeSignature',
    (of) => codec.normalizeSignature(signature, of),
    { hash: id, signer: address, backend: nobleBackend },
  ],
  ['new HDAccount', (of) => new HDAccount(id, of), { account: 1 }],
  ['accountFromMnemonic', (of) => accountFromMnemonic(words, of), { account: 1, passphrase: 'x' }],
  ['formatHDPath', formatHDPath, { account: 0, ...position }],
  ['HDAccount.privateKey', (of) => account.privateKey(of), position],
  ['HDAccount.keyChain', (of) => account.keyChain([of]), position],
  ['HDAccount.keyChain options', (of) => account.keyChain([position], of), {}],
  ['WatchAccount.publicKey', (of) => account.watch.publicKey(of), position],
  ['WatchAccount.address', (of) => account.watch.address(of), position],
  ['WatchAccount.path', (of) => account.watch.path(of), position],
  ['WatchAccount.paths', (of) => account.watch.paths([of]), position],
  [
    'encryptKeyFile',
    (of) => encryptKeyFile('text', 'password', of),
    { cost: { n: 1024, r: 1, p: 1 } },
  ],
]

/** Names of any member are allowed, or the value is not copied. */
const isExempt = (_: unknown, path: string) => /(^|\.)(chains|backend|set|utxo)$/.test(path)

async function errorOf(call: () => unknown): Promise<ArgumentError> {
  const error = await thrownBy(call)
  expect(error).toBeInstanceOf(ArgumentError)
  return error as ArgumentError
}

/** The argument as errors name it, if the call has several or takes a list of these. */
const places: { readonly [row: string]: string } = {
  txToJSON: 'context',
  utxoToJSON: 'context',
  blockToJSON: 'context',
  txFromJSON: 'context',
  blockFromJSON: 'context',
  verifyTx: 'context',
  feeOf: 'fees',
  buildGenesis: 'definitions[0]',
  'p-chain txToJSON': 'context',
  'p-chain txFromJSON': 'context',
  'p-chain verifyTx': 'context',
  'p-chain gasOf': 'weights',
  'p-chain feeOf': 'fees',
  gasPrice: 'config',
  advanceFeeState: 'state',
  'advanceFeeState config': 'config',
  consumeGas: 'state',
  'c-chain txToJSON': 'context',
  'c-chain verifyTx': 'context',
  'c-chain verifyTx options': 'options',
  'HDAccount.keyChain': 'positions[0]',
  'WatchAccount.paths': 'positions[0]',
}

describe.each(rows)('%s', (name, call, options) => {
  it('rejects an unknown member at every depth, and options of a class', async () => {
    await call(options as never)
    for (const [path, changed] of withUnknown(options, places[name] ?? '', isExempt)) {
      const error = await errorOf(() => call(changed as never))
      expect([error.code, error.path]).toEqual(['UNKNOWN_OPTION', path])
    }
    const instance = Object.assign(Object.create({ constructor: class {}, own: 1 }), options)
    Object.setPrototypeOf(Object.getPrototypeOf(instance), { further: 1 })
    expect((await errorOf(() => call(instance as never))).code).toBe('ENC_INVALID')
  })

  it('reads each member once', async () => {
    const reads = new Map<string, number>()
    const counting = {}
    for (const [name, member] of Object.entries(options))
      Object.defineProperty(counting, name, {
        enumerable: true,
        get() {
          reads.set(name, (reads.get(name) ?? 0) + 1)
          return member
        },
      })
    await call(counting as never)
    expect([...reads.values()].filter((times) => times !== 1)).toEqual([])
  })
})

describe('methods with options', () => {
  /** Methods without an argument of options. Functions are listed in test/any-arguments.test.ts. */
  const without: { readonly [name: string]: string } = {
    UTXOSet: 'remove release isReserved of holdings copyOf places',
    HDAccount: 'wipe toJSON toString',
    WatchAccount: '',
    KeyChain: 'has publicKey sign derivedEntropy wipe toJSON toString',
  }
  it.each([avmkit.UTXOSet, HDAccount, WatchAccount, avmkit.KeyChain])(
    'of %o are all in the table',
    ({ name, prototype }) => {
      const inTable = new Set(rows.map(([call]) => call.replace(/ .*/, '')))
      const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(
        ([method, { value }]) =>
          typeof value === 'function' && method !== 'constructor' ? [method] : [],
      )
      const missing = methods.filter((method) => !inTable.has(`${name}.${method}`))
      expect(missing.join(' ')).toBe(without[name])
    },
  )
})

describe('arguments', () => {
  it('cannot be changed during a call', async () => {
    const owners = [alice]
    const amounts = [{ assetID: utxo.assetID.slice(), amount: 1n }]
    async function* pages() {
      owners.length = 0
      amounts[0]!.amount = 10n ** 18n
      amounts[0]!.assetID.fill(0)
      yield [utxo]
    }
    const options = { owners, now, need: { ...need, amounts } }
    const { coins } = await avmkit.selectFromPages(pages(), options)
    expect(coins.map((one) => one.utxo)).toEqual([utxo])
  })

  it('may be what other calls have returned', async () => {
    const path = parseHDPath("m/44'/9000'/0'/1/2")
    const [found] = account.watch.paths([path])
    expect(account.watch.address({ ...path, ...found, utxos: 1 } as never)).toEqual(found!.address)
    const other = parseHDPath("m/44'/9000'/1'/1/2")
    for (const call of [
      () => account.watch.path(other),
      () => account.watch.address(other),
      () => account.privateKey(other),
    ])
      expect(call).toThrow(
        expect.objectContaining({
          code: 'PATH_INVALID',
          message: expect.stringMatching('account 1'),
        }),
      )
    const selection = await avmkit.selectFromPages([[utxo]], { ...view, need })
    expect(checked(chosenCoins)(selection as never)).toEqual({
      coins: selection.coins,
      owners: [alice],
    })
    set.reserve([utxo], { now })
    set.release([utxo])
    expect(set.select({ ...view, need, pinned: [utxo] }).coins.length).toBe(1)
    expect(
      avmkit.verifyTx(assetTx, {
        ...network,
        chainID: new Uint8Array(32),
        createAssetTxFee: 0n,
      } as never),
    ).toEqual([])
  })
})
