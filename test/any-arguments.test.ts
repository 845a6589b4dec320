import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import * as codec from '../src/codec.ts'
import { AvmError } from '../src/core/base/errors.ts'
import * as cChain from '../src/core/c-chain.ts'
import { loadNativeBackend, nativeBackend } from '../src/core/crypto/backends/native.ts'
import { formatHDPath, HDAccount } from '../src/core/crypto/hd/index.ts'
import {
  decryptKeyFile,
  encryptKeyFile,
  isEncryptedKeyFile,
} from '../src/core/crypto/keyfile/index.ts'
import * as pChain from '../src/core/p-chain.ts'
import { openCustody, postgresStore, serveOperations } from '../src/custody/index.ts'
import {
  createDevNode,
  type DevNode,
  testAccounts,
  verifyAgainstState,
} from '../src/devnode/index.ts'
import * as avmkit from '../src/index.ts'
import {
  AddressSet,
  createCChainClient,
  createDataClient,
  createMetricsClient,
  createNodeClient,
  createPChainClient,
  systemClock,
} from '../src/node/index.ts'
import { signMessage, verifyMessage } from '../src/signers/message/index.ts'
import { addressHistory, discoverAccount } from '../src/wallet/discovery/index.ts'
import { createWallet, formatBalances } from '../src/wallet/index.ts'
import { createCrossChainWallet } from '../src/wallet/moves/index.ts'
import { fileStore } from '../src/wallet/store/index.ts'
import { indexedDBStore } from '../src/wallet/store/indexed-db.ts'
import { ewoq } from './devnode/txs.ts'
import { entryPoints } from './helpers/entry-points.ts'
import { todaysOf } from './helpers/todays-cases.ts'
import { thrownBy, withUnknown } from './helpers/unknown-members.ts'

type Call = (...args: readonly unknown[]) => unknown

/** What plain JavaScript may pass by mistake. */
const invalid: { readonly [name: string]: unknown } = {
  undefined,
  null: null,
  number: 1.5,
  text: 'x',
  object: {},
  list: [],
  bytes: new Uint8Array(7),
  bigint: -1n,
  function: () => undefined,
}

function isTyped(error: unknown): boolean {
  return error instanceof AvmError && typeof error.code === 'string' && error.code !== ''
}

describe('exported functions with invalid arguments', () => {
  /** Functions for which the walk says nothing, and why. */
  const exempt: { readonly [name: string]: string } = {
    compareInitialStates: 'comparison for sort: called in inner loops',
    compareInputs: 'comparison for sort: called in inner loops',
    compareOperations: 'comparison for sort: called in inner loops',
    compareOutputs: 'comparison for sort: called in inner loops',
    compareStateOutputs: 'comparison for sort: called in inner loops',
    compareAccounts: 'comparison for sort: called in inner loops',
    credentialSize: 'size of one part: called in inner loops',
    operationSize: 'size of one part: called in inner loops',
    outputSize: 'size of one part: called in inner loops',
    transferableInputSize: 'size of one part: called in inner loops',
    transferableOutputSize: 'size of one part: called in inner loops',
    'systemClock.sleep': 'setTimeout decides about the delay; the signal is tested below',
    loadWasmBackend: 'takes no arguments, and compiles the module each time',
    encryptKeyFile: 'two texts are valid and take half a second; tested below',
    createDevNode: 'no options and {} are valid and start a node; tested below',
    addressElement: 'any text is valid, and an element needs a document',
    errorElement: 'any error is valid, and an element needs a document',
    qrElement: 'a list is valid, and an element needs a document',
  }
  const used = new Set<string>()

  for (const [entry, file] of entryPoints)
    it(`of avmkit${entry.slice(1)} throw nothing but an AvmError`, async () => {
      const untyped: string[] = []
      for (const [name, call] of functionsOf(await import(/* @vite-ignore */ `../src/${file}`))) {
        const reason = [name, `${entry.slice(2)} ${name}`].find((key) => exempt[key] !== undefined)
        if (reason !== undefined) used.add(reason)
        else
          for (const [what, value] of Object.entries({ ...invalid, 'list of null': [null] }))
            for (const args of [[], [value], [value, value], [value, value, value]]) {
              const error = await thrownBy(() => call(...args))
              if (error !== undefined && !isTyped(error))
                untyped.push(`${name}, ${args.length} times ${what}: ${error}`)
            }
      }
      expect(untyped).toEqual([])
    })

  it('are exempt only if they exist', () => {
    expect([...used].sort()).toEqual(Object.keys(exempt).sort())
  })
})

/** The functions of a module, the constructors of its classes, and the functions of its objects. */
function functionsOf(module: object): [string, Call][] {
  return Object.entries(module).flatMap(([name, value]): [string, Call][] => {
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([member, call]): [string, Call][] =>
        typeof call === 'function' ? [[`${name}.${member}`, call as Call]] : [],
      )
    if (typeof value !== 'function') return []
    if (!`${value}`.startsWith('class')) return [[name, value as Call]]
    // Errors are created by the library.
    if (value === AvmError || value.prototype instanceof AvmError) return []
    return [[`new ${name}`, (...args) => new value(...args)]]
  })
}

const context = avmkit.networks.local
const keys = new avmkit.KeyChain([ewoq.privateKey])
const [publicKey] = keys.publicKeys
const id = new Uint8Array(32).fill(1)
const utxo: avmkit.UTXO = {
  txID: id,
  outputIndex: 0,
  assetID: context.assetID,
  output: {
    type: 'secp256k1fx.TransferOutput',
    amount: 10_000_000n,
    locktime: 0n,
    threshold: 1,
    addresses: [ewoq.address],
  },
}
const view = { owners: keys.addresses, now: 1_800_000_000n }
const draft = avmkit.buildTransfer({
  context,
  funds: avmkit.chooseCoins([utxo], view),
  outputs: [{ to: ewoq.address, amount: 1_000_000n }],
})
const { signedTx: tx, bytes } = avmkit.requireSigned(avmkit.signDraft(draft, keys))
const block: codec.Block = {
  type: 'StandardBlock',
  parentID: id,
  height: 1n,
  time: 1n,
  merkleRoot: new Uint8Array(32),
  txs: [tx],
}
const request = avmkit.createRequest(draft)
const accept = ['UNPROVEN_UTXO'] as const
const signed = avmkit.signRequest(request, keys, { accept })
const signature = {
  address: ewoq.address,
  signature: signed.signerSets[0]!.signatures[0]!.signature,
}
const hash = codec.hashToSign(tx.unsignedTx)
const network = {
  networkID: context.networkID,
  chainID: context.chainID,
  assetID: context.assetID,
  txFee: context.txFee,
  createAssetTxFee: context.createAssetTxFee,
}
const pTx: pChain.SignedTx = {
  unsignedTx: {
    type: 'BaseTx',
    networkID: context.networkID,
    blockchainID: new Uint8Array(32),
    outputs: [],
    inputs: [],
    memo: new Uint8Array(),
  },
  credentials: [],
}
const cTx: cChain.SignedTx = {
  unsignedTx: {
    type: 'ExportTx',
    networkID: context.networkID,
    blockchainID: context.chains.C!,
    destinationChain: context.chainID,
    inputs: [{ address: new Uint8Array(20), amount: 20n, assetID: context.assetID, nonce: 0n }],
    exportedOutputs: [
      { assetID: context.assetID, output: { ...utxo.output, amount: 1n } as never },
    ],
  },
  credentials: [],
}
const state = {
  now: view.now,
  utxo: () => utxo,
  atomic: () => undefined,
  tx: () => codec.genesisTx(codec.localGenesis(context.networkID).assets[0]!),
  subnetOf: () => undefined,
}
const cost = { n: 1024, r: 1, p: 1 }
const pool = { query: unused, connect: unused, end: unused }

function unused(): never {
  throw new Error('no call is expected')
}

/** What the size of a transaction does not depend on. */
const ids = ['networkID', 'blockchainID']

/** What signing does not read of a draft. */
const draftMembers = ['chain', 'fee', 'change', 'burned', 'signedSize']

/**
 * Calls that succeed. Every argument is replaced by each invalid value, and each property of an object is removed.
 * `accepts` names what is valid in place of the arguments, by position, and the properties that may be omitted.
 */
const calls: readonly (readonly [
  name: string,
  call: unknown,
  args: readonly unknown[],
  accepts?: readonly (readonly string[])[],
])[] = [
  ['hex.encode', avmkit.hex.encode, [id], [['bytes']]],
  ['hex.decode', avmkit.hex.decode, ['00']],
  ['checkedHex.encode', avmkit.checkedHex.encode, [id], [['bytes']]],
  ['checkedHex.decode', avmkit.checkedHex.decode, [avmkit.checkedHex.encode(id)]],
  ['cb58.encode', avmkit.cb58.encode, [id], [['bytes']]],
  ['cb58.decode', avmkit.cb58.decode, [avmkit.cb58.encode(id)]],
  ['base58.encode', codec.base58.encode, [id], [['bytes']]],
  ['base58.decode', codec.base58.decode, ['2'], [['text']]],
  ['parseAddress', avmkit.parseAddress, [ewoq.text]],
  ['formatAddress', avmkit.formatAddress, [avmkit.parseAddress(ewoq.text)]],
  ['parsePrivateKey', avmkit.parsePrivateKey, [avmkit.formatPrivateKey(ewoq.privateKey)]],
  ['formatPrivateKey', avmkit.formatPrivateKey, [ewoq.privateKey]],
  ['parseID', avmkit.parseID, [avmkit.formatID(id)]],
  ['formatID', avmkit.formatID, [id]],
  ['parseNodeID', codec.parseNodeID, [codec.formatNodeID(ewoq.address)]],
  ['formatNodeID', codec.formatNodeID, [ewoq.address]],
  ['parseUTXOID', codec.parseUTXOID, [avmkit.formatUTXOID(utxo)]],
  ['formatUTXOID', avmkit.formatUTXOID, [{ txID: id, outputIndex: 0 }]],
  ['parseAmount', avmkit.parseAmount, ['1.5', 9], [[], ['undefined']]],
  ['formatAmount', avmkit.formatAmount, [1n, 9], [[], ['undefined']]],
  ['decodeTx', avmkit.decodeTx, [bytes]],
  ['encodeTx', avmkit.encodeTx, [tx]],
  ['decodeUnsignedTx', codec.decodeUnsignedTx, [codec.encodeUnsignedTx(tx.unsignedTx)]],
  ['encodeUnsignedTx', codec.encodeUnsignedTx, [tx.unsignedTx]],
  ['decodeUTXO', avmkit.decodeUTXO, [avmkit.encodeUTXO(utxo)]],
  ['encodeUTXO', avmkit.encodeUTXO, [utxo]],
  ['decodeBlock', codec.decodeBlock, [codec.encodeBlock(block)]],
  ['encodeBlock', codec.encodeBlock, [block]],
  ['decodeUTXOPage', codec.decodeUTXOPage, [[avmkit.encodeUTXO(utxo)]], [['list']]],
  ['decodeGenesis', codec.decodeGenesis, [codec.encodeGenesis(codec.localGenesis(1))]],
  ['encodeGenesis', codec.encodeGenesis, [codec.localGenesis(1)]],
  [
    'buildGenesis',
    codec.buildGenesis,
    [
      1,
      [
        {
          ...{ alias: 'A', name: 'A', symbol: 'A', denomination: 0, memo: id },
          holders: [{ amount: 1n, address: ewoq.address }],
          minters: [[ewoq.address]],
        },
      ],
    ],
    [[], ['list']],
  ],
  ['networkOfGenesis', codec.networkOfGenesis, [1, codec.localGenesis(1)]],
  ['genesisTx', codec.genesisTx, [codec.localGenesis(context.networkID).assets[0]!], [['memo']]],
  ['txID', avmkit.txID, [tx], [['bytes']]],
  ['blockID', codec.blockID, [block], [['bytes']]],
  ['hashToSign', codec.hashToSign, [tx.unsignedTx], [['bytes']]],
  ['utxoID', avmkit.utxoID, [id, 0]],
  ['createdUTXOs', avmkit.createdUTXOs, [tx], []],
  ['blockTxIDs', codec.blockTxIDs, [{ ...block }], [Object.keys(block)]],
  ['spendsOf', codec.spendsOf, [{ type: 'BaseTx', inputs: [] }], [['type']]],
  ['consumedUTXOs', codec.consumedUTXOs, [{ type: 'BaseTx', inputs: [] }]],
  ['unsignedSize', codec.unsignedSize, [{ type: 'BaseTx', inputs: [], outputs: [], memo: [] }]],
  [
    'feeOf',
    (fees: never) => codec.feeOf(tx.unsignedTx, fees),
    [{ txFee: 1n, createAssetTxFee: 1n }],
  ],
  ['txToJSON', avmkit.txToJSON, [tx, { hrp: 'local', chainAlias: 'X' }]],
  ['blockToJSON', codec.blockToJSON, [block, { hrp: 'local', chainAlias: 'X' }]],
  ['utxoToJSON', codec.utxoToJSON, [utxo, { hrp: 'local', chainAlias: 'X' }]],
  ['parseJSON', avmkit.parseJSON, ['1']],
  ['verifyTx', avmkit.verifyTx, [tx, network]],
  ['signHash', avmkit.signHash, [hash, ewoq.privateKey]],
  ['recoverPublicKey', avmkit.recoverPublicKey, [hash, signature.signature]],
  ['publicKeyOf', avmkit.publicKeyOf, [ewoq.privateKey]],
  ['addressOf', avmkit.addressOf, [publicKey]],
  [
    'normalizeSignature',
    codec.normalizeSignature,
    [signature.signature, { hash, signer: ewoq.address }],
  ],
  ['new KeyChain', (list: never) => new avmkit.KeyChain(list), [[ewoq.privateKey]], [['list']]],
  ['keys.sign', keys.sign.bind(keys), [ewoq.address, hash]],
  ['new HDAccount', (seed: never) => new HDAccount(seed), [id]],
  ['formatHDPath', formatHDPath, [{ account: 0, change: 0, index: 0 }]],
  ['chooseCoins', avmkit.chooseCoins, [[utxo], view], [['list']]],
  [
    'selectFromPages',
    avmkit.selectFromPages,
    [[[utxo]], { need: avmkit.needFor({ context, outputs: [] }), ...view }],
  ],
  ['signDraft', avmkit.signDraft, [draft, keys], [draftMembers]],
  [
    'signDraftWith',
    avmkit.signDraftWith,
    [draft, [avmkit.keyChainSigner(keys)]],
    [draftMembers, ['list']],
  ],
  ['explainDraft', avmkit.explainDraft, [draft], [draftMembers]],
  ['explainTx', avmkit.explainTx, [tx, { context }]],
  ['verifySignatures', avmkit.verifySignatures, [tx, [utxo]]],
  ['keyChainSigner', avmkit.keyChainSigner, [keys]],
  ['requireSigned', avmkit.requireSigned, [{ complete: true }]],
  ['createRequest', avmkit.createRequest, [draft], [draftMembers]],
  ['formatRequest', avmkit.formatRequest, [request], [['chain']]],
  [
    'parseNetworkProfile',
    avmkit.parseNetworkProfile,
    [readFileSync(new URL('../networks/flare.json', import.meta.url), 'utf8')],
  ],
  ['parseRequest', avmkit.parseRequest, [avmkit.formatRequest(request)]],
  ['explainRequest', avmkit.explainRequest, [request], [['chain']]],
  [
    'formatExplanation',
    avmkit.formatExplanation,
    [avmkit.explainRequest(request)],
    [['type', 'signerSets', 'destinationChain', 'sourceChain', 'newAsset']],
  ],
  [
    'formatBalances',
    formatBalances,
    [
      [
        {
          assetID: new Uint8Array(32),
          spendable: 5n,
          spendableUTXOs: 1,
          locked: 1n,
          nextUnlock: 1n,
          lastUnlock: 2n,
          shortOfSigners: 0n,
          reserved: 0n,
          otherOwners: 0n,
          otherOutputs: 0,
          opaque: 0,
          disputed: 1n,
          symbol: 'TR',
          name: 'Team Rocket',
          denomination: 2,
          waiting: [{ chain: 'X', from: 'P', amount: 1n }],
        },
      ],
    ],
    [['list']],
  ],
  ['addSignature', avmkit.addSignature, [request, signature], [['chain']]],
  ['mergeRequests', avmkit.mergeRequests, [request, request], [['chain'], ['chain']]],
  ['mergeRequests of one', avmkit.mergeRequests, [request], [['chain']]],
  [
    'signRequest',
    (of: never, by: never) => avmkit.signRequest(of, by, { accept }),
    [request, keys],
    [['chain']],
  ],
  [
    'signRequestWith',
    (of: never, by: never) => avmkit.signRequestWith(of, by, { accept }),
    [request, [avmkit.keyChainSigner(keys)]],
    [['chain'], ['list']],
  ],
  ['requestID', avmkit.requestID, [request], [['chain']]],
  ['requestStatus', avmkit.requestStatus, [request], [['chain']]],
  ['finishRequest', avmkit.finishRequest, [signed], [['chain']]],
  ['verifyAgainstState', verifyAgainstState, [tx, state, { chainID: context.chainID }]],
  ['testAccounts', testAccounts, [{ hrp: 'local', count: 0 }]],
  ['p-chain verifyTx', pChain.verifyTx, [pTx, { networkID: context.networkID }], [['credentials']]],
  ['p-chain createdUTXOs', pChain.createdUTXOs, [pTx, id], [['credentials'], ['undefined']]],
  ['p-chain gasOf', pChain.gasOf, [pTx.unsignedTx, pChain.DEFAULT_GAS_WEIGHTS], [ids]],
  [
    'p-chain feeOf',
    pChain.feeOf,
    [pTx.unsignedTx, { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }],
    [ids],
  ],
  ['p-chain gasPrice', pChain.gasPrice, [1n, { minPrice: 1n, excessConversionConstant: 9n }]],
  [
    'c-chain verifyTx',
    cChain.verifyTx,
    [cTx, { ...network, chains: context.chains }],
    [['credentials'], ['txFee', 'createAssetTxFee']],
  ],
  ['c-chain exportedUTXOs', cChain.exportedUTXOs, [cTx, id], [['credentials'], ['undefined']]],
  ['c-chain gasOf', cChain.gasOf, [cTx.unsignedTx], [[...ids, 'destinationChain']]],
  ['c-chain feeOf', cChain.feeOf, [cTx.unsignedTx, 1n], [[...ids, 'destinationChain']]],
  ['c-chain evmAddressOf', cChain.evmAddressOf, [publicKey]],
  ['c-chain formatEVMAddress', cChain.formatEVMAddress, [ewoq.address]],
  ['new AddressSet', (list: never) => new AddressSet(list), [[ewoq.text]], [['undefined', 'list']]],
  ['fileStore', fileStore, ['path'], [['text']]],
  ['indexedDBStore', indexedDBStore, ['name'], [['text']]],
  ['postgresStore', postgresStore, [pool], [['text']]],
  [
    'serveOperations',
    async (of: never) => (await serveOperations(of)).close(),
    [{ status: unused }],
  ],
  [
    'nativeBackend',
    nativeBackend,
    [{ ecdsaSign: unused, ecdsaRecover: unused, publicKeyCreate: unused }],
  ],
  ['createWallet', createWallet, [{ client: createNodeClient({ url: 'http://localhost' }), keys }]],
  [
    'openCustody',
    openCustody,
    [{ database: pool, client: createNodeClient({ url: 'http://localhost' }) }],
  ],
  [
    'encryptKeyFile',
    (text: never, password: never) => encryptKeyFile(text, password, { cost }),
    ['text', 'password'],
    [['text'], ['text']],
  ],
  ['isEncryptedKeyFile', isEncryptedKeyFile, ['text'], [['text']]],
]

const set = new avmkit.UTXOSet()
set.add([utxo])
const funds = { utxos: set, ...view }
const named = [{ txID: id, outputIndex: 0 }]
const outputs = [{ to: [ewoq.address], threshold: 1, locktime: 0n, amount: 1n, assetID: id }]
const avax = [{ ...outputs[0]!, assetID: context.assetID }]
const limits = { maxFee: 10n ** 9n, maxSize: 60_000, memo: 'memo' }
const pLimits = { maxFee: 10n ** 9n, maxGas: 10n ** 6n }
const fees = { weights: pChain.DEFAULT_GAS_WEIGHTS, price: 1n }
const pSpending = { context, funds: { utxos: [utxo], ...view }, fees, ...pLimits }
const cLimits = { maxFee: 10n ** 9n, maxGas: 10n ** 6n, maxSize: 40_000 }
const [to] = keys.addresses
const account = { address: ewoq.address, balance: 10n ** 18n, nonce: 0n }

const pDraft = pChain.buildTransfer({
  ...{ context, funds: { utxos: [utxo as pChain.UTXO], ...view }, fees },
  outputs: [{ to: ewoq.address, amount: 1n }],
})
const cDraft = cChain.buildImport({
  ...{ context, sourceChain: 'X', baseFee: 10n ** 9n, to: cChain.evmAddressOf(publicKey!) },
  funds: { utxos: [utxo], ...view },
})
const ours = { ours: keys.addresses }

/** Calls whose options may be omitted. */
const builds: readonly (readonly [name: string, call: unknown, args: readonly unknown[]])[] = [
  [
    'buildTransfer',
    avmkit.buildTransfer,
    [
      {
        ...{ context, funds, outputs: avax, changeTo: to, ...limits },
        burn: [{ assetID: context.assetID, amount: 1n }],
      },
    ],
  ],
  ['buildSendAll', avmkit.buildSendAll, [{ context, funds, to, ...limits }]],
  [
    'buildExport',
    avmkit.buildExport,
    [{ context, funds, destinationChain: 'P', outputs: avax, ...limits }],
  ],
  [
    'buildCreateAsset',
    avmkit.buildCreateAsset,
    [
      {
        ...{ context, funds, name: 'Token', symbol: 'TOK', denomination: 0, ...limits },
        holders: [{ to, amount: 5n }],
        minters: [{ to }],
        nftMinters: [{ to, groupID: 0 }],
      },
    ],
  ],
  [
    'planSweep',
    (options: never) => [...avmkit.planSweep(options).drafts()],
    [
      {
        ...{ context, funds, to, assets: [context.assetID], withoutAssets: [id], ...limits },
        dustThreshold: 1n,
      },
    ],
  ],
  [
    'sweepPages',
    async (pages: never, options: never) => {
      for await (const _ of avmkit.sweepPages(pages, options).drafts);
    },
    [
      [[utxo]],
      {
        ...{ context, ...view, to, assets: [context.assetID], withoutAssets: [id], ...limits },
        ...{ dustThreshold: 1n, feePayers: 1 },
      },
    ],
  ],
  ['needFor', avmkit.needFor, [{ context, outputs: avax, burn: [{ amount: 1n }] }]],
  [
    'set.select',
    (options: never) => set.select(options),
    [
      {
        ...{ ...view, need: avmkit.needFor({ context, outputs: avax }), strategy: 'fewest' },
        ...{ pinned: named, excluded: [], only: named },
      },
    ],
  ],
  ['set.balances', (options: never) => set.balances(options), [view]],
  [
    'p-chain buildTransfer',
    pChain.buildTransfer,
    [{ context, funds: { utxos: [utxo], ...view }, outputs: avax, fees, ...pLimits }],
  ],
  [
    'p-chain buildImport',
    pChain.buildImport,
    [{ context, sourceChain: 'X', funds: { utxos: [utxo], ...view }, to, fees, ...pLimits }],
  ],
  [
    'p-chain buildExport',
    pChain.buildExport,
    [{ ...pSpending, changeTo: to, destinationChain: 'X', outputs: avax, allowStuck: true }],
  ],
  ['p-chain buildExportAll', pChain.buildExportAll, [{ ...pSpending, destinationChain: 'X', to }]],
  [
    'p-chain planImport',
    (options: never) => pChain.planImport(options).drafts(),
    [{ ...pSpending, sourceChain: 'X', to, assets: [context.assetID] }],
  ],
  [
    'c-chain buildExport',
    cChain.buildExport,
    [{ context, account, destinationChain: 'X', outputs: avax, baseFee: 10n ** 9n }],
  ],
  [
    'c-chain buildExportAll',
    cChain.buildExportAll,
    [{ context, account, destinationChain: 'X', to, baseFee: 10n ** 9n, ...cLimits }],
  ],
  [
    'c-chain planImport',
    (options: never) => cChain.planImport(options).drafts(),
    [
      {
        ...{ context, sourceChain: 'X', baseFee: 10n ** 9n, ...cLimits },
        ...{ funds: { utxos: [utxo], ...view }, to: cChain.evmAddressOf(publicKey!) },
      },
    ],
  ],
  [
    'c-chain buildImport',
    cChain.buildImport,
    [
      {
        ...{ context, sourceChain: 'X', baseFee: 10n ** 9n },
        ...{ funds: { utxos: [utxo], ...view }, to: cChain.evmAddressOf(publicKey!) },
      },
    ],
  ],
  [
    'p-chain advanceFeeState',
    pChain.advanceFeeState,
    [{ capacity: 1n, excess: 1n }, 1n, pChain.DEFAULT_PRICE_CONFIG],
  ],
  ['p-chain consumeGas', pChain.consumeGas, [{ capacity: 1n, excess: 1n }, 1n]],
  ['p-chain signDraft', avmkit.signDraft, [pDraft, keys]],
  ['p-chain signDraftWith', avmkit.signDraftWith, [pDraft, [avmkit.keyChainSigner(keys)]]],
  ['p-chain explainDraft', avmkit.explainDraft, [pDraft, ours]],
  ['p-chain createRequest', avmkit.createRequest, [pDraft]],
  ['c-chain signDraft', avmkit.signDraft, [cDraft, keys]],
  ['c-chain signDraftWith', avmkit.signDraftWith, [cDraft, [avmkit.keyChainSigner(keys)]]],
  ['c-chain explainDraft', avmkit.explainDraft, [cDraft, ours]],
  ['c-chain createRequest', avmkit.createRequest, [cDraft]],
  ...withOptions(),
]

/** Calls with all their options. */
function withOptions(): (readonly [string, unknown, readonly unknown[]])[] {
  // Not a plain object, so that the walk replaces it as a whole: its functions are the caller's.
  const backend = Object.create(codec.nobleBackend)
  const paths = [{ address: ewoq.address, path: "m/44'/9000'/0'/0/0" }]
  const explaining = { ours: [ewoq.address], now: 1n, maxFee: 10n ** 9n }
  const signing = { accept, maxFee: 10n ** 9n, backend, extraEntropy: id }
  const creating = { signers: [ewoq.address], parents: [bytes], paths }
  const signer = [avmkit.keyChainSigner(keys)]
  const x = { network: context }
  const named = { ...explaining, ours: { addresses: [ewoq.address] } }
  const xCalls = {
    signDraft: [(of: never) => avmkit.signDraft(draft, keys, of), { ...signing, ...x }],
    signDraftWith: [
      (of: never) => avmkit.signDraftWith(draft, signer, of),
      { ...signing, ...x, paths },
    ],
    explainDraft: [(of: never) => avmkit.explainDraft(draft, of), { ...named, ...x }],
    explainRequest: [(of: never) => avmkit.explainRequest(request, of), { ...explaining, ...x }],
    signRequest: [
      (of: never) => avmkit.signRequest(request, keys, of),
      { ...named, ...signing, ...x },
    ],
    signRequestWith: [
      (of: never) => avmkit.signRequestWith(request, signer, of),
      { ...explaining, ...signing, ...x },
    ],
    createRequest: [(of: never) => avmkit.createRequest(draft, of), creating],
    parseRequest: [
      (of: never) => avmkit.parseRequest(avmkit.formatRequest(signed), of),
      { ...x, backend },
    ],
    'request with proofs': [avmkit.formatRequest, { ...request, proofs: [bytes] }],
    addSignature: [(of: never) => avmkit.addSignature(request, signature, of), { backend }],
    verifySignatures: [(of: never) => avmkit.verifySignatures(tx, [utxo], of), { backend }],
    'new KeyChain': [(of: never) => new avmkit.KeyChain([ewoq.privateKey], of), { backend }],
  }
  return [
    ...Object.entries(xCalls).map(
      ([name, [call, options]]) => [`${name} with options`, call, [options]] as const,
    ),
    ...Object.entries({ 'p-chain': pDraft, 'c-chain': cDraft as never }).flatMap(([name, of]) => {
      const api = avmkit
      const { chain } = of
      const asked = api.createRequest(of)
      const partly = api.signRequest(asked, keys, { accept })
      const [added] = partly.signerSets[0]!.signatures
      const { signedTx } = api.finishRequest(partly)
      const publicKeys = [...keys.publicKeys]
      const chainCalls = {
        signDraft: [(o: never) => api.signDraft(of, keys, o), signing],
        signDraftWith: [
          (o: never) => api.signDraftWith(of, signer, o),
          { ...signing, paths, publicKeys },
        ],
        explainDraft: [(o: never) => api.explainDraft(of, o), explaining],
        createRequest: [(o: never) => api.createRequest(of, o), creating],
        parseRequest: [
          (o: never) => api.parseRequest(api.formatRequest(partly), o),
          { ...x, backend },
        ],
        explainRequest: [(o: never) => api.explainRequest(asked, o), explaining],
        signRequest: [
          (o: never) => api.signRequest(asked, keys, o),
          { ...explaining, ...signing, accounts: [] },
        ],
        signRequestWith: [
          (o: never) => api.signRequestWith(asked, signer, o),
          { ...explaining, ...signing, publicKeys },
        ],
        addSignature: [(o: never) => api.addSignature(asked, o), { ...added }],
        verifySignatures: [(o: never) => api.verifySignatures(o, of.utxos, { chain }), signedTx],
        'verifySignatures of UTXOs': [
          (o: never) => api.verifySignatures(signedTx, o, { chain }),
          [...of.utxos],
        ],
      }
      return Object.entries(chainCalls).map(
        ([call, [run, options]]) => [`${name} ${call} with options`, run, [options]] as const,
      )
    }),
  ]
}

describe('calls with one invalid value inside an argument', () => {
  /** Calls for which the walk says nothing, and why. */
  const exempt: { readonly [name: string]: string } = {
    formatExplanation: 'explanations are created by the library',
    verifyAgainstState: "the state is the caller's functions",
  }
  const walked = [...calls, ...builds].filter(([name]) => exempt[name] === undefined)
  for (const [name, call, args] of walked)
    it(`of ${name} throw nothing but an AvmError`, async () => {
      expect(await thrownBy(() => (call as Call)(...args))).toBe(undefined)
      const untyped: string[] = []
      for (const [at, arg] of args.entries())
        for (const path of todaysOf([...pathsIn(arg)]))
          for (const [what, value] of Object.entries({ ...invalid, zero: 0n, nan: Number.NaN })) {
            const changed = args.with(at, withValue(arg, path, value))
            const error = await thrownBy(() => (call as Call)(...changed))
            if (error !== undefined && !isTyped(error))
              untyped.push(`${at}.${path.join('.')} ${what}: ${error}`)
          }
      expect(untyped).toEqual([])
    })

  it('do not weaken what protects the money', () => {
    const transfer = { context, funds, outputs: avax }
    const two = [ewoq.address, new Uint8Array(20)]
    const options: unknown[] = [
      // A maximum that is not a number would never be exceeded.
      ...['x', {}, Number.NaN, new Uint8Array(7), null].map((maxFee) => ({ ...transfer, maxFee })),
      // One of two owners could spend alone.
      { ...transfer, outputs: [{ to: two, threshold: null, amount: 1n }] },
      { ...transfer, context: { ...context, txFee: -1n } },
      { ...transfer, memo: [] },
      { ...transfer, burn: null },
    ]
    for (const option of options)
      expect(() => avmkit.buildTransfer(option as never)).toThrow(AvmError)
    const sweep = { context, funds, to }
    for (const option of [{ assets: null }, { withoutAssets: null }, { dustThreshold: '5' }])
      expect(() => avmkit.planSweep({ ...sweep, ...option } as never)).toThrow(AvmError)
    const need = avmkit.needFor({ context, outputs: avax })
    for (const option of [{ need, strategy: 'smalest' }, { need: {} }, { need: 1.5 }])
      expect(() => set.select({ ...view, ...option } as never)).toThrow(AvmError)
    // In a text, a part of a word would count as accepted.
    for (const option of [{ maxFee: 'x' }, { maxFee: Number.NaN }, { accept: 'BURN' }])
      expect(() => avmkit.signDraft(draft, keys, option as never)).toThrow(AvmError)
    // Every lock would count as passed.
    for (const now of [Number.NaN, 'abc', {}, Number.POSITIVE_INFINITY, Date.now()] as never[]) {
      expect(() => avmkit.signRequest(request, keys, { accept, now })).toThrow(AvmError)
      const pRequest = avmkit.createRequest(pDraft)
      expect(() => avmkit.signRequest(pRequest, keys, { accept, now })).toThrow(AvmError)
    }
    expect(() => set.remove([{ txID: id }] as never)).toThrow(AvmError)
    expect(set.size()).toBe(1)
    const { inputs } = tx.unsignedTx
    const unencodable = { ...tx.unsignedTx, inputs: [{ ...inputs[0]!, outputIndex: '0' }] }
    expect(() => avmkit.verifyTx({ ...tx, unsignedTx: unencodable as never }, context)).toThrow(
      AvmError,
    )
  })
})

/** The paths of all values in lists and plain objects. */
function* pathsIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path
  if (Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype))
    for (const [key, item] of Object.entries(value as object)) yield* pathsIn(item, [...path, key])
}

/** A copy with another value at a path. */
function withValue(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  if (key === undefined) return to
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const object = copy as { [key: string]: unknown }
  object[key] = withValue(object[key], rest, to)
  return copy
}

describe('calls with an unknown member', () => {
  /** Calls for which the walk says nothing, and why. */
  const exempt: { readonly [name: string]: string } = {
    encodeGenesis: 'genesis data is a struct of the protocol',
    networkOfGenesis: 'genesis data is a struct of the protocol',
    genesisTx: 'genesis data is a struct of the protocol',
    requireSigned: 'results are created by the library',
    verifyAgainstState:
      'any context of a network is accepted; the state is the functions of the caller',
  }
  for (const [name, call, args] of [...calls, ...builds].filter(
    ([name]) => exempt[name] === undefined,
  ))
    it(`of ${name} throw UNKNOWN_OPTION and name its path`, async () => {
      for (const [at, arg] of args.entries())
        for (const [path, copy] of withUnknownOption(arg)) {
          const error = await thrownBy(() => (call as Call)(...args.with(at, copy)))
          expect(error, `${at} ${path}`).toMatchObject({ code: 'UNKNOWN_OPTION' })
          expect((error as { path: string }).path, `${at} ${path}`).toMatch(pathOf(path))
        }
    })
})

/** A path in an argument. Not every positional argument has its name before it, so both forms are allowed. */
function pathOf(path: string): RegExp {
  const escaped = path.replace(/[.[\]]/g, '\\$&')
  return new RegExp(path.startsWith('[') ? `^\\w*${escaped}$` : `^(\\w+\\.)?${escaped}$`)
}

describe('every exported function', () => {
  /** Functions without an argument of options, by what they take; and those whose options another test walks. */
  const withoutOptions: { readonly [kind: string]: string } = {
    'texts, numbers and bytes': `parseAmount formatAmount cb58.encode cb58.decode checkedHex.encode checkedHex.decode hex.encode
      hex.decode formatID formatPrivateKey formatUTXOID parseID parseNetworkProfile parsePrivateKey utxoID decodeTx decodeUTXO parseJSON
      stringifyJSON generatePrivateKey addressOf nobleBackend.sign nobleBackend.recover nobleBackend.publicKey
      publicKeyOf recoverPublicKey base58.encode base58.decode formatNodeID parseNodeID parseUTXOID hrpOf networkName
      decodeBlock decodeGenesis decodeGenesisTx decodeUnsignedTx utxoKey credentialSize generateMnemonic parseMnemonic
      seedFromMnemonic parseHDPath WatchAccount AddressSet systemClock.now systemClock.sleep systemClock.random
      classifyRejection decryptKeyFile isEncryptedKeyFile UTXOSet memoryStore loadWasmBackend loadNativeBackend xChainID
      localGenesis addressElement qrElement encodeMessage parseVault`,
    'structs of the protocol': `createdUTXOs exportedUTXOs txID encodeTx encodeUTXO encodeBlock isCredential genesisTx
      blockID blockTxIDs hashToSign compareInitialStates compareInputs compareOperations compareOutputs
      compareStateOutputs operationSize outputSize signedSize transferableInputSize transferableOutputSize unsignedSize
      consumedUTXOs spendsOf encodeUnsignedTx`,
    'a network, whose other members do not matter': 'networkBadge',
    capabilities:
      'checkedBackend wasmBackend nativeBackend ledgerApp hidTransport vaultNamed positionInVault',
    'tested below, or with wallets and custody': `discoverAccount serveOperations serveCustody openTokens openWebhooks
      keyChainSigner hdSigner signHash encryptKeyFile signMessage verifyMessage
      coreProvider URCollector decodeUR addKeystoneSignatures`,
  }
  /** Functions of these entry points have the names of others, whose options differ. */
  const withoutOptionsOf: { readonly [entry: string]: string } = {
    'p-chain': `decodeTx decodeUnsignedTx decodeUTXO encodeTx encodeUnsignedTx encodeUTXO txID hashToSign createdUTXOs
      exportedUTXOs compareOutputs complexityOf signedSize stakeableLocktime`,
    'c-chain': `decodeTx decodeUnsignedTx encodeTx encodeUnsignedTx txID hashToSign exportedUTXOs compareAccounts gasOf
      feeOf feeOfGas signedSize unsignedSize evmAddressBytes evmAddressOf formatEVMAddress parseEVMAddress`,
  }

  it('refuses unknown members, unless it has no options', async () => {
    const known = new Set([
      ...Object.values(withoutOptions).flatMap((names) => names.split(/\s+/)),
      ...Object.entries(withoutOptionsOf).flatMap(([entry, names]) =>
        names.split(/\s+/).map((name) => `${entry} ${name}`),
      ),
    ])
    const walked = new Set(
      [...calls, ...builds].flatMap(([name, , args]) =>
        args.some((arg) => withUnknownOption(arg).length > 0)
          ? [name.replace(/ (with|of) .*/, '')]
          : [],
      ),
    )
    const uncovered: string[] = []
    const builders: string[] = []
    for (const [entry, file] of entryPoints)
      for (const [name, call] of functionsOf(await import(/* @vite-ignore */ `../src/${file}`))) {
        const isOfChain = Object.hasOwn(withoutOptionsOf, entry.slice(2))
        const fullName = isOfChain ? `${entry.slice(2)} ${name}` : name
        if (walked.has(fullName)) continue
        if (isOfChain && /^(build|plan)/.test(name)) builders.push(fullName)
        if (known.has(fullName.replace('new ', ''))) continue
        const codes = []
        for (const probe of [[{ zzz: 1 }], ['x', { zzz: 1 }], [[], { zzz: 1 }]])
          codes.push(
            ((await thrownBy(() => call(...probe))) as { code?: string } | undefined)?.code,
          )
        if (!codes.includes('UNKNOWN_OPTION')) uncovered.push(`${entry} ${name}`)
      }
    expect(uncovered).toEqual([])
    expect(builders).toEqual([])
  })

  it('with options behind other arguments refuses unknown members', async () => {
    expect(() => avmkit.signHash(id, ewoq.privateKey, { zzz: 1 } as never)).toThrow(
      'signHash: unknown member zzz',
    )
    await expect(encryptKeyFile('secret', 'password', { zzz: 1 } as never)).rejects.toThrow(
      'encryptKeyFile: unknown member zzz',
    )
    expect(() => signMessage('x', keys, { zzz: 1 } as never)).toThrow(
      'signMessage: unknown member zzz',
    )
    expect(() => verifyMessage('x', '', { zzz: 1 } as never)).toThrow(
      'verifyMessage: unknown member zzz',
    )
    const make = (options: unknown) => avmkit.keyChainSigner(keys, options as never)
    expect(() => make({ zzz: 1 })).toThrow('keyChainSigner: unknown member zzz')
    const watch = { address: () => ewoq.address, path: () => 'm' }
    const account = { watch, keyChain: () => keys }
    expect(() => avmkit.hdSigner(account as never, [], { zzz: 1 } as never)).toThrow(
      'hdSigner: unknown member zzz',
    )
  })
})

/** Copies of an argument, each with an unknown member in an object of options, and the path of that member. */
function withUnknownOption(arg: unknown): (readonly [path: string, copy: unknown])[] {
  // The members of `chains` have any names.
  return [...withUnknown(arg, '', (value, path) => path.endsWith('chains') || isExempt(value))]
}

/** Structs have a type of the protocol, or the ID of the transaction that created them; capabilities have functions. */
function isExempt(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = value as { [name: string]: unknown }
  return (
    /Tx$|Output|Input|Operation|Credential|Lock/.test(String(members.type)) ||
    ['txID', 'credentials', 'txs', 'tx', 'parentID'].some((name) => name in members) ||
    Object.values(members).some((member) => typeof member === 'function')
  )
}

describe('calls with one invalid argument', () => {
  for (const [name, call, args, accepts = []] of calls)
    it(`of ${name} throw an AvmError`, async () => {
      expect(await thrownBy(() => (call as Call)(...args))).toBe(undefined)
      const accepted: string[] = []
      const untyped: string[] = []
      const attempt = async (at: number, what: string, value: unknown) => {
        const error = await thrownBy(() => (call as Call)(...args.with(at, value)))
        if (error === undefined) accepted.push(`${at} ${what}`)
        else if (!isTyped(error)) untyped.push(`${at} ${what}: ${error}`)
      }
      for (const [at, arg] of args.entries()) {
        for (const [what, value] of Object.entries(invalid)) await attempt(at, what, value)
        if (Object.getPrototypeOf(arg) === Object.prototype)
          for (const property of Object.keys(arg as object))
            await attempt(at, property, { ...(arg as object), [property]: undefined })
      }
      expect(untyped).toEqual([])
      const allowed = new Set(accepts.flatMap((list, at) => list.map((what) => `${at} ${what}`)))
      expect(accepted.filter((what) => !allowed.has(what))).toEqual([])
    })

  it('of a decoder allocate nothing', () => {
    for (const size of [2 ** 40, '4294967295', { length: 2 ** 40 }])
      expect(() => avmkit.decodeTx(size as never)).toThrow(AvmError)
  })

  it('of encryptKeyFile do not encrypt something else', async () => {
    const file = await encryptKeyFile('secret', 'password', { cost })
    expect(await decryptKeyFile(file, 'password')).toBe('secret')
    await expect(decryptKeyFile(file, 5 as never)).rejects.toThrow(AvmError)
  })

  it('of createDevNode are refused', async () => {
    for (const options of [null, { now: 1.5 }, { now: -1 }, { blocks: 'manaul' }])
      expect(isTyped(await thrownBy(() => createDevNode(options as never)))).toBe(true)
  })

  it('of discovery are refused', async () => {
    for (const call of [addressHistory, discoverAccount] as unknown as Call[])
      for (const value of Object.values(invalid))
        expect(isTyped(await thrownBy(() => call(value, value)))).toBe(true)
  })

  it('of systemClock.sleep reject and leave no timer', async () => {
    for (const signal of [null, 1.5, 'x', {}])
      expect(isTyped(await thrownBy(() => systemClock.sleep(0, signal as never)))).toBe(true)
    // An exception in a timer would end the process.
    await new Promise((resolve) => setTimeout(resolve))
  })
})

describe('methods with invalid arguments', () => {
  let node: DevNode
  let objects: { readonly [name: string]: object }
  beforeAll(async () => {
    node = await createDevNode({ backend: await loadNativeBackend() })
    const options = { url: 'http://localhost', fetch: node.fetch, retry: { retries: 0 } }
    const client = createNodeClient(options)
    const settings = { client, keys, wait: { timeoutMs: 50 } }
    const pChain = createPChainClient(options)
    const cChain = createCChainClient(options)
    const wallet = createWallet(settings)
    objects = {
      node,
      client,
      'client.avm': client.avm,
      'client.info': client.info,
      'client.health': client.health,
      wallet,
      'wallet.prepare': wallet.prepare,
      crossChain: createCrossChainWallet({ ...settings, pChain, cChain }),
      pChain,
      cChain,
      metrics: createMetricsClient(options),
      data: createDataClient(options),
      set: new avmkit.UTXOSet(),
      keys,
    }
  })

  /** Methods for which the walk says nothing, and why. */
  const exempt: { readonly [name: string]: string } = {
    'node.fetch': 'has the errors of fetch',
    'node.answer': 'internal',
    'node.listen': 'opens a port',
    'node.close': 'ends the node',
    'node.stateDigest': 'takes no arguments',
    'keys.wipe': 'ends the keys',
    'set.holdings': 'internal',
    'set.copyOf': 'internal',
    'set.places': 'internal',
  }

  it('throw nothing but an AvmError', async () => {
    const untyped: string[] = []
    for (const [name, object] of Object.entries(objects))
      for (const method of methodsOf(object))
        if ((exempt[`${name}.${method}`] ?? exempt[method]) === undefined)
          for (const [what, value] of Object.entries(invalid))
            for (const args of [[value], [value, value]]) {
              const call = (object as { readonly [name: string]: Call })[method]!
              const error = await thrownBy(() => call.apply(object, args))
              if (error !== undefined && !isTyped(error))
                untyped.push(`${name}.${method}, ${args.length} times ${what}: ${error}`)
            }
    expect(untyped).toEqual([])
  })

  it('throw nothing but an AvmError for invalid values inside', async () => {
    const { wallet, crossChain } = objects as { readonly [name: string]: { [name: string]: Call } }
    const own = [{ to: [ewoq.address], threshold: 1, locktime: 0n, amount: 1n, memo: 'memo' }]
    const walks: readonly (readonly [Call, object, object])[] = [
      [
        wallet!.transfer!,
        { outputs: own, maxFee: 10n ** 9n, changeTo: ewoq.text, burn: [{ amount: 1n }] },
        { accept: [], wait: { timeoutMs: 50, resendMs: 50 } },
      ],
      [
        crossChain!.move!,
        { from: 'X', to: 'P', amount: 1n, recipient: ewoq.text, maxFee: 10n ** 9n },
        { accept: [], wait: { timeoutMs: 50 } },
      ],
    ]
    const untyped: string[] = []
    for (const [call, ...args] of walks)
      for (const [at, arg] of args.entries())
        for (const path of pathsIn(arg))
          for (const [what, value] of Object.entries({ ...invalid, nan: Number.NaN })) {
            const error = await thrownBy(() =>
              call(...args.with(at, withValue(arg, path, value) as object)),
            )
            if (error !== undefined && !isTyped(error))
              untyped.push(`${at}.${path.join('.')} ${what}: ${error}`)
          }
    expect(untyped).toEqual([])
  })

  it('end waits whose durations are not numbers', async () => {
    const { waitForTx, waitUntilReady } = objects.client as { readonly [name: string]: Call }
    for (const value of [null, 'x', {}, Number.NaN, 1n])
      for (const name of ['timeoutMs', 'pollMs'])
        for (const call of [
          () => waitForTx!(id, { timeoutMs: 50, [name]: value }),
          () => waitUntilReady!({ timeoutMs: 50, [name]: value }),
        ])
          expect(isTyped(await thrownBy(call))).toBe(true)
  })

  it('of a wallet refuse a draft of another chain', async () => {
    const { wallet } = objects as { readonly [name: string]: { [name: string]: Call } }
    for (const name of ['sign', 'request'])
      expect(await thrownBy(() => wallet![name]!(pDraft)), name).toMatchObject({
        name: 'ArgumentError',
        code: 'ENC_INVALID',
        path: expect.stringMatching(/(^|\.)chain$/),
      })
  })

  it('leave the state of the node unchanged', () => {
    const before = node.stateDigest()
    for (const recipient of [undefined, null, {}, { amount: 1n }])
      expect(() => node.exportFrom('P', recipient as never)).toThrow(AvmError)
    const bytes = avmkit.encodeUTXO(utxo)
    for (const utxos of [
      [bytes, null],
      [bytes, bytes],
      [bytes, 'x'],
    ])
      expect(() => node.addAtomicUTXOs(id, utxos as never)).toThrow(AvmError)
    for (const [chainID, subnetID] of [[new Uint8Array(7), id], [id, new Uint8Array(7)], [id]])
      expect(() => node.addChain(chainID!, subnetID!)).toThrow(AvmError)
    expect(node.stateDigest()).toEqual(before)
  })

  it('leave a UTXOSet unchanged', () => {
    const set = new avmkit.UTXOSet()
    set.add([utxo])
    for (const ids of [
      [utxo, null],
      [utxo, {}],
    ]) {
      expect(() => set.remove(ids as never)).toThrow(AvmError)
      expect(() => set.reserve(ids as never, view)).toThrow(AvmError)
    }
    expect(set.size()).toBe(1)
    expect(set.isReserved(utxo, view.now)).toBe(false)
  })
})

function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object)
  const names = [
    ...Object.keys(object),
    ...(prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype)),
  ]
  return names.filter(
    (name) =>
      name !== 'constructor' && typeof (object as { [name: string]: unknown })[name] === 'function',
  )
}
