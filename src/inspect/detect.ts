import { equalBytes } from '../core/base/bytes/compare.ts'
import { ADDRESS_SIZE, type ParsedAddress, parseAddress } from '../core/base/encoding/address.ts'
import { cb58 } from '../core/base/encoding/cb58.ts'
import { checkedHex } from '../core/base/encoding/checked-hex.ts'
import { hex } from '../core/base/encoding/hex.ts'
import { ID_SIZE, parseNodeID, parsePrivateKey, parseUTXOID } from '../core/base/encoding/ids.ts'
import { AvmError, CodecError } from '../core/base/errors.ts'
import * as cChain from '../core/chain/c/tx.ts'
import type { ChainAlias } from '../core/chain/chain-types.ts'
import { P_CHAIN_ID } from '../core/chain/networks.ts'
import { txFromJSON as pTxFromJSON } from '../core/chain/p/json-in.ts'
import * as pChain from '../core/chain/p/tx.ts'
import * as pUTXO from '../core/chain/p/utxo.ts'
import { type Block, decodeBlock } from '../core/chain/x/block.ts'
import { decodeGenesis, type Genesis } from '../core/chain/x/genesis.ts'
import { blockFromJSON, txFromJSON } from '../core/chain/x/json-in.ts'
import type { UTXOID } from '../core/chain/x/transferables.ts'
import { decodeTx, decodeUnsignedTx, type SignedTx, type UnsignedTx } from '../core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../core/chain/x/utxo.ts'
import { parseJSON } from '../core/codec/json-text.ts'
import { isJSONObject, type JsonObject } from '../core/codec/json-value.ts'
import { decodeUR } from '../signers/keystone/avax.ts'
import { isUR } from '../signers/keystone/ur.ts'
import { InspectError } from './errors.ts'
import { type Kind, READ_KINDS, type ReadKind } from './kinds.ts'
import type { NamedNetwork } from './networks.ts'
import { networkByID } from './networks.ts'
import { requestChainOf } from './request-chain.ts'
import { holdsSecret, isDamagedHexKey, isHexKey } from './secrets.ts'

/** Encoding of the input. `hexnc` is the node's name for hex without a checksum, `ur` a request for a Keystone device. */
export type Form = 'hex' | 'hexnc' | 'cb58' | 'json' | 'ur'

/** The kind of a text, and its decoded content. */
export type Detected =
  | { readonly kind: 'tx'; readonly form: Form; readonly tx: SignedTx }
  | { readonly kind: 'unsignedTx'; readonly form: Form; readonly tx: UnsignedTx }
  | { readonly kind: 'utxo'; readonly form: Form; readonly utxo: UTXO }
  | { readonly kind: 'block'; readonly form: Form; readonly block: Block }
  | { readonly kind: 'genesis'; readonly form: Form; readonly genesis: Genesis }
  | { readonly kind: 'pTx'; readonly form: Form; readonly tx: pChain.SignedTx }
  | { readonly kind: 'pUnsignedTx'; readonly form: Form; readonly tx: pChain.UnsignedTx }
  /** With a stakeable lock. The bytes of all other UTXOs are the same on every chain: `utxo`. */
  | { readonly kind: 'pUTXO'; readonly form: Form; readonly utxo: pUTXO.UTXO }
  | { readonly kind: 'cTx'; readonly form: Form; readonly tx: cChain.SignedTx }
  | { readonly kind: 'cUnsignedTx'; readonly form: Form; readonly tx: cChain.UnsignedTx }
  | { readonly kind: 'id'; readonly form: Form; readonly id: Uint8Array }
  | {
      readonly kind: 'shortID'
      readonly form: Form
      readonly bytes: Uint8Array
      /** Whether it has the form of an EVM address: `0x` and 20 bytes without a checksum. */
      readonly isEVM: boolean
    }
  | { readonly kind: 'publicKey'; readonly form: Form; readonly publicKey: Uint8Array }
  | ({ readonly kind: 'address' } & ParsedAddress)
  /** With the path of its owner if it is a UR of a Keystone device. */
  | ({ readonly kind: 'utxoName'; readonly path?: string | undefined } & UTXOID)
  | { readonly kind: 'nodeID'; readonly nodeID: Uint8Array }
  | { readonly kind: 'privateKey'; readonly privateKey: Uint8Array }
  /** Not parsed yet, so that detection does not load the code for keys and signing. */
  | { readonly kind: 'extendedPublicKey'; readonly text: string }
  | { readonly kind: 'request'; readonly chain: ChainAlias; readonly text: string }

const SIGNED_KINDS = ['tx', 'pTx', 'cTx'] as const

/** Options of `detect`. */
export type DetectOptions = {
  /**
   * The kind that the text must be.
   *
   * @defaultValue detected from the text
   */
  readonly as?: Kind | undefined
  /** For texts that do not name their network. */
  readonly network?: NamedNetwork | undefined
}

/**
 * Detects the kind of a text and decodes it strictly. Signing requests and extended public keys are not parsed.
 *
 * @throws InspectError `NOT_RECOGNIZED`, ArgumentError, CodecError
 */
export function detect(input: string, options: DetectOptions = {}): Detected {
  const text = input.trim()
  if (text === '') throw notRecognized('the input is empty')
  if (text.startsWith('{')) return fromJSONText(text, options)
  if (isUR(text)) return fromUR(text, options)
  if (text.startsWith('PrivateKey-'))
    return { kind: 'privateKey', privateKey: parsePrivateKey(text) }
  const mayBeHexKey = options.as === undefined && (isHexKey(text) || isDamagedHexKey(text))
  if (holdsSecret(text) || mayBeHexKey) throw maybeKey()
  if (text.startsWith('NodeID-')) return { kind: 'nodeID', nodeID: parseNodeID(text) }
  if (text.startsWith('xpub')) return { kind: 'extendedPublicKey', text }
  // Names and addresses are short; expressions that may backtrack fail for megabytes.
  const start = text.slice(0, 200)
  if (/^\S{30,}:/.test(start)) return { kind: 'utxoName', ...parseUTXOID(text) }
  if (/^\w+-[a-z]*1/i.test(start)) return { kind: 'address', ...parseAddress(text) }
  return fromEncoded(text, (bytes, form) => fromBytes(bytes, form, options))
}

/** The texts of the QR codes of a Keystone device, or of those that it reads. */
function fromUR(text: string, options: DetectOptions): Detected {
  const content = decodeUR(text)
  switch (content.type) {
    case 'avax-sign-request':
      return fromBytes(content.unsignedBytes, 'ur', options)
    case 'avax-utxo': {
      const { txID, outputIndex, path } = content
      return { kind: 'utxoName', txID, outputIndex, path }
    }
    case 'avax-signature':
      throw new InspectError(
        'NOT_RECOGNIZED',
        'these are signatures of a Keystone device, which say nothing without their request',
        { hint: 'merge them into the request, or use avmkit request scan --into' },
      )
  }
}

type Read = (bytes: Uint8Array, form: Form) => Detected

/** Bytes in hex or cb58. */
function fromEncoded(text: string, read: Read): Detected {
  const isHex = text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text)
  if (isHex || text.startsWith('0x')) return fromHex(text, read)
  if (text.length < 30 || /[^1-9A-HJ-NP-Za-km-z]/.test(text)) throw nothingFound()
  return read(cb58.decode(text), 'cb58')
}

/** Hex with or without the checksum of the node. */
function fromHex(text: string, read: Read): Detected {
  const raw = hex.decode(text)
  if (!text.startsWith('0x')) return read(raw, 'hexnc')
  let failure: AvmError
  try {
    return read(checkedHex.decode(text), 'hex')
  } catch (error) {
    if (!(error instanceof AvmError) || error instanceof CodecError) throw error
    failure = error
  }
  try {
    const found = read(raw, 'hexnc')
    return found.kind === 'shortID' ? { ...found, isEVM: true } : found
  } catch (error) {
    // Four trailing bytes are most likely a checksum that does not match.
    const extra = error instanceof CodecError && error.code === 'CODEC_TRAILING_BYTES'
    throw extra && raw.length - error.offset === 4 ? failure : error
  }
}

function fromBytes(bytes: Uint8Array, form: Form, options: DetectOptions): Detected {
  if (options.as !== undefined) return readAs(options.as, bytes, form)
  if (bytes.length === ID_SIZE) return { kind: 'id', form, id: bytes }
  if (bytes.length === ADDRESS_SIZE) return { kind: 'shortID', form, bytes, isEVM: false }
  if (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3))
    return { kind: 'publicKey', form, publicKey: bytes }
  return fromStructure(READ_KINDS, bytes, form)
}

/**
 * Tries to decode bytes as each kind. Bytes of a foreign chain could happen to decode as a transaction of the X-Chain,
 * so a reading whose `blockchainID` is that of its own chain comes first.
 *
 * @throws CodecError of the attempt that decoded the most bytes
 */
function fromStructure(kinds: readonly ReadKind[], bytes: Uint8Array, form: Form): Detected {
  let failure: CodecError | undefined
  let misplaced: Detected | undefined
  for (const kind of kinds) {
    try {
      const found = readAs(kind, bytes, form)
      if (!isMisplaced(found)) return found
      misplaced ??= found
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      if (failure === undefined || error.offset > failure.offset) failure = error
    }
  }
  if (misplaced !== undefined) return misplaced
  throw failure!
}

/** Whether a transaction names another chain of its network than the one whose types it has. */
function isMisplaced(found: Detected): boolean {
  if (!('tx' in found)) return false
  const { networkID, blockchainID } = 'unsignedTx' in found.tx ? found.tx.unsignedTx : found.tx
  const { context } = networkByID(networkID)
  if (context === undefined) return false
  const { P, C } = context.chains
  const isOn = (id: Uint8Array | undefined) => id !== undefined && equalBytes(id, blockchainID)
  const chain = isOn(P) ? 'p' : isOn(C) ? 'c' : 'x'
  return chain !== (/^[pc](?=[A-Z])/.exec(found.kind)?.[0] ?? 'x')
}

function readAs(kind: Kind, bytes: Uint8Array, form: Form): Detected {
  switch (kind) {
    case 'id':
      if (bytes.length !== ID_SIZE)
        throw notRecognized(`an ID has ${ID_SIZE} bytes, not ${bytes.length}`)
      return { kind, form, id: bytes }
    case 'tx':
      return { kind, form, tx: decodeTx(bytes) }
    case 'unsignedTx':
      return { kind, form, tx: decodeUnsignedTx(bytes) }
    case 'utxo':
      return { kind, form, utxo: decodeUTXO(bytes) }
    case 'block':
      return { kind, form, block: decodeBlock(bytes) }
    case 'genesis':
      return { kind, form, genesis: decodeGenesis(bytes) }
    case 'pTx':
      return { kind, form, tx: pChain.decodeTx(bytes) }
    case 'pUnsignedTx':
      return { kind, form, tx: pChain.decodeUnsignedTx(bytes) }
    case 'pUTXO':
      return { kind, form, utxo: pUTXO.decodeUTXO(bytes) }
    case 'cTx':
      return { kind, form, tx: cChain.decodeTx(bytes) }
    case 'cUnsignedTx':
      return { kind, form, tx: cChain.decodeUnsignedTx(bytes) }
  }
}

/**
 * A signing request, a reply of the node, output of this program, or a transaction or block in the JSON of the node.
 */
function fromJSONText(text: string, options: DetectOptions): Detected {
  const json = parseJSON(text) as JsonObject
  const chain = requestChainOf(json)
  if (chain !== undefined) return { kind: 'request', chain, text }
  const holder = isJSONObject(json.result) ? json.result : json
  const { tx, block } = holder
  if (typeof tx === 'string')
    return fromEncoded(tx, (bytes, form) => fromStructure(SIGNED_KINDS, bytes, form))
  if (typeof block === 'string')
    return fromEncoded(block, (bytes, form) => readAs('block', bytes, form))
  const body = isJSONObject(tx) ? tx : isJSONObject(block) ? block : holder
  if ('unsignedTx' in body) {
    const prefix = addressPrefix(body, options)
    // The P-Chain has the same ID on every network.
    if (unsignedOf(body).blockchainID === cb58.encode(P_CHAIN_ID))
      return { kind: 'pTx', form: 'json', tx: pTxFromJSON(body, prefix) }
    return { kind: 'tx', form: 'json', tx: txFromJSON(body, prefix) }
  }
  if ('parentID' in body && 'txs' in body)
    return { kind: 'block', form: 'json', block: blockFromJSON(body, addressPrefix(body, options)) }
  throw notRecognized('the JSON is not a signing request, transaction or block')
}

/** Addresses in the node's JSON must be of the network that the transaction names. */
function addressPrefix(
  body: JsonObject,
  { network }: DetectOptions,
): { hrp: string; chainAlias: string } {
  const unsigned = unsignedOf(body)
  const networkID = typeof unsigned.networkID === 'number' ? unsigned.networkID : undefined
  const hrp = networkID === undefined ? (network?.hrp ?? 'avax') : networkByID(networkID).hrp
  return { hrp, chainAlias: 'X' }
}

function unsignedOf(body: JsonObject): JsonObject {
  return isJSONObject(body.unsignedTx) ? body.unsignedTx : {}
}

function nothingFound(): InspectError {
  return new InspectError(
    'NOT_RECOGNIZED',
    'this is nothing that avmkit recognizes: it is not JSON, hex, cb58, an address, a UTXO name, a node ID, a key or a file',
    {
      hint: 'avmkit decode reads transactions, UTXOs, blocks, genesis data, IDs, addresses, public keys and signing requests',
    },
  )
}

function maybeKey(): InspectError {
  return new InspectError('NOT_RECOGNIZED', 'the input may be a private key and is not shown', {
    hint: 'avmkit keys show --key-file - shows the address of a key; --as id reads 32 bytes as an ID',
  })
}

function notRecognized(message: string): InspectError {
  return new InspectError('NOT_RECOGNIZED', message, {
    hint: 'avmkit decode reads transactions, UTXOs, blocks, genesis data, IDs, addresses, keys and signing requests',
  })
}
