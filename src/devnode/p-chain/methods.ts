import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { DEFAULT_GAS_WEIGHTS } from '../../core/chain/p/gas.ts'
import { txToJSON } from '../../core/chain/p/json.ts'
import { DEFAULT_PRICE_CONFIG } from '../../core/chain/p/price.ts'
import { unlockedOutput } from '../../core/chain/p/transferables.ts'
import { decodeTx } from '../../core/chain/p/tx.ts'
import { decodeUTXO, type UTXO } from '../../core/chain/p/utxo.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { reasonOf } from '../errors.ts'
import { type AddressContext, decodeBytes, parseServiceAddress } from '../rpc/arguments.ts'
import { MethodError, type MethodHandler } from '../rpc/envelope.ts'
import { atomicPage, localPage } from '../rpc/paging.ts'
import {
  checkAddressCount,
  pageAddresses,
  pageReply,
  pageRequest,
  sourceChainID,
  startOf,
} from '../rpc/utxo-page.ts'
import { chainHandlers } from './chain-methods.ts'
import { genesisTxJSON } from './genesis-json.ts'
import type { PendingPTx } from './ledger.ts'
import type { PService } from './service.ts'
import { validatorHandlers } from './validator-methods.ts'

/** The methods of `platform.*` that the development node has, by name. */
export function platformHandlers(service: PService): { readonly [name: string]: MethodHandler } {
  const { ledger, context } = service
  const addresses: AddressContext = {
    hrp: context.hrp,
    chainID: P_CHAIN_ID,
    lookup: service.lookup,
  }
  const timestamp = (): string => timeText(ledger.time)
  return {
    ...chainHandlers(service),
    ...validatorHandlers(service, addresses),
    getHeight: () => stringifyJSON({ height: String(ledger.height) }),
    getTimestamp: () => stringifyJSON({ timestamp: timestamp() }),
    getFeeState: () =>
      stringifyJSON({ ...ledger.fees, price: ledger.price, timestamp: timestamp() }),
    getFeeConfig: () => stringifyJSON(feeConfig()),
    getUTXOs(params) {
      const request = pageRequest(params)
      checkAddressCount(request)
      const source = request.sourceChain === '' ? P_CHAIN_ID : sourceChainID(request, addresses)
      const owners = pageAddresses(request, addresses)
      const start = startOf(request, (text) => parseServiceAddress(text, addresses))
      const local = equalBytes(source, P_CHAIN_ID)
      const set = local ? ledger.utxos : service.memory.list(source, P_CHAIN_ID)
      const page = (local ? localPage : atomicPage)(set, owners, start, request.limit)
      return pageReply(
        set,
        page,
        request,
        { alias: 'P', hrp: context.hrp },
        (key) =>
          `couldn't encode UTXO ${cb58.encode(hex.decode(key))} as json: unsupported encoding in method`,
      )
    },
    getBalance: (params) => balanceReply(params.strings('addresses'), service, addresses),
    getTx(params) {
      const id = params.id('txID')
      const encoding = params.encoding()
      const genesisTx = ledger.genesisTx(id)
      const bytes = genesisTx?.bytes ?? ledger.txBytes(hex.encode(id))
      if (bytes === undefined) throw new MethodError(txNotFound(id, context))
      if (encoding === 'json') {
        const tx =
          genesisTx === undefined
            ? txToJSON(decodeTx(bytes), context)
            : genesisTxJSON(genesisTx, context.hrp)
        return stringifyJSON({ tx, encoding })
      }
      const text = encoding === 'hexnc' ? `0x${hex.encode(bytes)}` : checkedHex.encode(bytes)
      return `{"tx":"${text}","encoding":"${encoding}"}`
    },
    getTxStatus(params) {
      const id = params.id('txID')
      const key = hex.encode(id)
      const isGenesisTx = ledger.genesisTx(id) !== undefined || isCChain(id, context)
      if (isGenesisTx || ledger.txBytes(key) !== undefined)
        return stringifyJSON({ status: 'Committed' })
      if (ledger.isPending(key)) return stringifyJSON({ status: 'Processing' })
      const reason = ledger.dropReason(key)
      return stringifyJSON(
        reason === undefined ? { status: 'Unknown' } : { status: 'Dropped', reason },
      )
    },
    issueTx(params) {
      const text = params.string('tx')
      const encoding = params.encoding()
      const bytes = txArgument(text, encoding)
      let item: PendingPTx
      try {
        item = ledger.issue(bytes)
      } catch (error) {
        if (error instanceof AvmError) throw new MethodError(reasonOf(error))
        throw error
      }
      service.admitted(item)
      return stringifyJSON({ txID: cb58.encode(item.id) })
    },
  }
}

/** The creating transaction of a chain has the chain's ID. That of the C-Chain is known only for the local network. */
function txNotFound(id: Uint8Array, context: NetworkContext): string {
  return isCChain(id, context)
    ? "platform.getTx is not available: the genesis of this network's C-Chain is not known to a development node"
    : "couldn't get tx: not found"
}

function isCChain(id: Uint8Array, { chains }: NetworkContext): boolean {
  return equalBytes(id, chains.C!)
}

/** Decodes a transaction argument of the P-Chain or C-Chain; `prefix` begins the error text. */
export function txArgument(
  text: string,
  encoding: Parameters<typeof decodeBytes>[1],
  prefix = 'problem decoding transaction',
): Uint8Array {
  try {
    return decodeBytes(text, encoding)
  } catch (error) {
    if (!(error instanceof MethodError)) throw error
    throw new MethodError(`${prefix}: ${error.message}`)
  }
}

function feeConfig(): {
  readonly [name: string]: bigint | readonly bigint[]
} {
  const { bandwidth, dbRead, dbWrite, compute } = DEFAULT_GAS_WEIGHTS
  const { maxCapacity, maxPerSecond, targetPerSecond, minPrice, excessConversionConstant } =
    DEFAULT_PRICE_CONFIG
  return {
    weights: [bandwidth, dbRead, dbWrite, compute],
    maxCapacity,
    maxPerSecond,
    targetPerSecond,
    minPrice,
    excessConversionConstant,
  }
}

function timeText(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

/** The reply of `getBalance`. Counts every output that one of the addresses owns, even if others must sign as well. */
function balanceReply(
  texts: readonly string[],
  { ledger, context, now }: PService,
  addresses: AddressContext,
): string {
  const keys = new Set(
    texts
      .map((text) => parseServiceAddress(text, addresses))
      .flatMap((owner) => [...ledger.utxos.of(owner).from()]),
  )
  const utxos = [...keys].map((key) => decodeUTXO(ledger.utxos.bytes(key)!))
  const groups = ['unlocked', 'lockedStakeable', 'lockedNotStakeable'] as const
  const sums = groups.map((group) =>
    cappedSumsOf(utxos.filter((utxo) => lockGroupOf(utxo, now()) === group)),
  )
  const all = cappedSumsOf(utxos)
  const avax = cb58.encode(context.assetID)
  const total = (map: ReadonlyMap<string, bigint>): string => String(map.get(avax) ?? 0n)
  return stringifyJSON({
    balance: total(all),
    unlocked: total(sums[0]!),
    lockedStakeable: total(sums[1]!),
    lockedNotStakeable: total(sums[2]!),
    balances: decimalTexts(all),
    unlockeds: decimalTexts(sums[0]!),
    lockedStakeables: decimalTexts(sums[1]!),
    lockedNotStakeables: decimalTexts(sums[2]!),
    utxoIDs:
      utxos.length === 0
        ? null
        : utxos.map(({ txID, outputIndex }) => ({ txID: cb58.encode(txID), outputIndex })),
  })
}

function lockGroupOf({ output }: UTXO, now: bigint): string {
  if (unlockedOutput(output).locktime > now) return 'lockedNotStakeable'
  return output.type === 'stakeable.LockOut' && output.locktime > now
    ? 'lockedStakeable'
    : 'unlocked'
}

function cappedSumsOf(utxos: readonly UTXO[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { assetID, output } of utxos) {
    const key = cb58.encode(assetID)
    const sum = (sums.get(key) ?? 0n) + unlockedOutput(output).amount
    sums.set(key, sum < MAX_U64 ? sum : MAX_U64)
  }
  return sums
}

/** Amounts as text. Go prints maps sorted by key. */
function decimalTexts(sums: ReadonlyMap<string, bigint>): { readonly [assetID: string]: string } {
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, amount]) => [key, String(amount)]))
}
