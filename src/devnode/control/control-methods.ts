import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { formatID, parseID } from '../../core/base/encoding/ids.ts'
import { decodeBlock } from '../../core/chain/x/block.ts'
import { blockID } from '../../core/chain/x/ids.ts'
import { encodeUTXO, type UTXO } from '../../core/chain/x/utxo.ts'
import type { Json } from '../../core/codec/json.ts'
import { DevNodeError } from '../errors.ts'
import { FAULT_KINDS, type Fault } from '../faults.ts'
import type { ErrorStatus } from '../http-apis/errors.ts'
import type { ControlMethods } from './control.ts'
import { type ControlParams, ParamError } from './control-params.ts'

/** A recipient, as JSON can express it. */
type Grantee = {
  readonly address: string | readonly string[]
  readonly amount: bigint
  readonly asset?: string | undefined
  readonly locktime?: bigint | undefined
  readonly threshold?: number | undefined
}

/** The functions of a development node that the control API calls. */
export type Controlled<Snapshot> = {
  readonly context: { readonly chains: { readonly [alias: string]: Uint8Array } }
  readonly now: () => bigint
  readonly setTime: (unixSeconds: bigint) => void
  readonly fund: (address: string, amount: bigint, asset?: string) => Uint8Array
  readonly produceBlock: (options: {
    readonly time?: bigint | undefined
    readonly txIDs?: readonly string[] | undefined
  }) => Uint8Array
  readonly addAtomicUTXOs: (sourceChainID: Uint8Array, utxos: readonly Uint8Array[]) => void
  readonly exportFrom: (chain: 'P' | 'C', ...recipients: readonly Grantee[]) => UTXO[]
  readonly injectFault: (fault: Fault) => () => void
  readonly snapshot: () => Snapshot
  readonly restore: (snapshot: Snapshot) => void
  readonly pChain: {
    readonly fund: (recipient: { readonly address: string; readonly amount: bigint }) => unknown
    readonly produceBlock: () => number
  }
  readonly cChain: {
    readonly fund: (address: string, amount: bigint) => void
    readonly produceBlock: () => number
  }
}

/** Maximum number of snapshots, each of which is a copy of the whole state. */
const MAX_SNAPSHOTS = 64

/** The methods of the control API, named as those of the library. */
export function controlMethods<Snapshot>(node: Controlled<Snapshot>): ControlMethods {
  const snapshots = new Map<string, Snapshot>()
  const faults = new Map<string, () => void>()
  let lastFault = 0
  let lastSnapshot = 0
  return {
    now: { params: [], run: () => ({ time: String(node.now()) }) },
    setTime: {
      params: ['time'],
      run: (params) => {
        node.setTime(params.uint('time'))
        return { time: String(node.now()) }
      },
    },
    fund: { params: ['address', 'amount', 'asset'], run: (params) => fund(node, params) },
    produceBlock: {
      params: ['chain', 'time', 'txIDs'],
      run: (params) => produceBlock(node, params),
    },
    addAtomicUTXOs: {
      params: ['sourceChain', 'utxos'],
      run: (params) => {
        const utxos = params.bytes('utxos')
        node.addAtomicUTXOs(chainID(node, params.text('sourceChain')), utxos)
        return { added: utxos.length }
      },
    },
    exportFrom: {
      params: ['chain', 'recipients'],
      run: (params) => {
        const chain = params.text('chain')
        if (chain !== 'P' && chain !== 'C') throw new ParamError('chain must be P or C')
        const utxos = node.exportFrom(chain, ...params.objects('recipients', GRANTEE).map(grantee))
        return { utxos: utxos.map((utxo) => checkedHex.encode(encodeUTXO(utxo))) }
      },
    },
    injectFault: {
      params: FAULT_PARAMS,
      run: (params) => {
        const remove = node.injectFault(parseFault(params))
        const faultID = String(++lastFault)
        faults.set(faultID, remove)
        return { faultID }
      },
    },
    removeFault: {
      params: ['faultID'],
      run: (params) => {
        const faultID = params.text('faultID')
        const remove = faults.get(faultID)
        if (remove === undefined) throw new ParamError('faultID is unknown')
        faults.delete(faultID)
        remove()
        return {}
      },
    },
    snapshot: {
      params: [],
      run: () => {
        if (snapshots.size === MAX_SNAPSHOTS)
          throw new DevNodeError(
            'BAD_OPTION',
            `too many snapshots: at most ${MAX_SNAPSHOTS} allowed; call devnode.removeSnapshot`,
          )
        const snapshotID = String(++lastSnapshot)
        snapshots.set(snapshotID, node.snapshot())
        return { snapshotID }
      },
    },
    revert: {
      params: ['snapshotID'],
      run: (params) => {
        const snapshot = snapshots.get(params.text('snapshotID'))
        if (snapshot === undefined) throw new ParamError('snapshotID is unknown')
        node.restore(snapshot)
        return {}
      },
    },
    removeSnapshot: {
      params: ['snapshotID'],
      run: (params) => {
        if (!snapshots.delete(params.text('snapshotID')))
          throw new ParamError('snapshotID is unknown')
        return {}
      },
    },
  }
}

function fund<Snapshot>(node: Controlled<Snapshot>, params: ControlParams): Json {
  const address = params.text('address')
  const amount = params.uint('amount')
  if (address.startsWith('0x')) {
    node.cChain.fund(address, amount)
    return { chain: 'C' }
  }
  if (address.startsWith('P-')) {
    node.pChain.fund({ address, amount })
    return { chain: 'P' }
  }
  const asset = params.optional('asset', (name) => params.text(name))
  return { chain: 'X', txID: formatID(node.fund(address, amount, asset)) }
}

function produceBlock<Snapshot>(node: Controlled<Snapshot>, params: ControlParams): Json {
  const chain = params.optional('chain', (name) => params.text(name)) ?? 'X'
  if (chain === 'P' || chain === 'C')
    return { chain, transactions: node[chain === 'P' ? 'pChain' : 'cChain'].produceBlock() }
  if (chain !== 'X') throw new ParamError('chain must be X, P or C')
  const bytes = node.produceBlock({
    time: params.optional('time', (name) => params.uint(name)),
    txIDs: params.optional('txIDs', (name) => params.texts(name)),
  })
  const { height, txs } = decodeBlock(bytes)
  return {
    chain,
    blockID: formatID(blockID(bytes)),
    height: String(height),
    transactions: txs.length,
    block: checkedHex.encode(bytes),
  }
}

function chainID<Snapshot>(node: Controlled<Snapshot>, text: string): Uint8Array {
  return node.context.chains[text] ?? parseID(text)
}

const GRANTEE = ['address', 'amount', 'asset', 'locktime', 'threshold'] as const

function grantee(params: ControlParams): Grantee {
  return {
    address: params.isList('address') ? params.texts('address') : params.text('address'),
    amount: params.uint('amount'),
    asset: params.optional('asset', (name) => params.text(name)),
    locktime: params.optional('locktime', (name) => params.uint(name)),
    threshold: params.optional('threshold', (name) => params.count(name, 1024)),
  }
}

const ERROR_STATUSES: readonly ErrorStatus[] = [400, 401, 403, 404, 429, 500, 502, 503]

const FAULT_PARAMS = [
  'kind',
  'on',
  'times',
  'after',
  'ms',
  'retryAfterSeconds',
  'status',
  'message',
  'withoutError',
] as const

const MAX_FAULT_MS = 600_000
const MAX_FAULT_TIMES = 1_000_000_000
const MAX_RETRY_AFTER_SECONDS = 86_400

function parseFault(params: ControlParams): Fault {
  const kind = FAULT_KINDS.find((name) => name === params.text('kind'))
  if (kind === undefined) throw new ParamError(`kind must be one of ${FAULT_KINDS.join(', ')}`)
  const text = (name: string) => params.optional(name, () => params.text(name))
  const count = (name: string, max: number) => params.optional(name, () => params.count(name, max))
  const requested = count('status', 599)
  const status = ERROR_STATUSES.find((known) => known === requested)
  if (requested !== status)
    throw new ParamError(`status must be one of ${ERROR_STATUSES.join(', ')}`)
  return {
    kind,
    on: text('on'),
    times: count('times', MAX_FAULT_TIMES),
    after: count('after', MAX_FAULT_TIMES),
    ms: count('ms', MAX_FAULT_MS),
    retryAfterSeconds: count('retryAfterSeconds', MAX_RETRY_AFTER_SECONDS),
    status,
    message: text('message'),
    withoutError: params.optional('withoutError', (name) => params.boolean(name)),
  }
}
