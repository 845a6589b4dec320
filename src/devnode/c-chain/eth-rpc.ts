import { AvmError } from '../../core/base/errors.ts'
import { parseEVMAddress } from '../../core/chain/c/evm-address.ts'
import type { Json } from '../../core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../core/codec/json-text.ts'
import { isJSONObject } from '../../core/codec/json-value.ts'
import { evmChainID } from './chain-id.ts'
import type { CLedger } from './ledger.ts'

/** Data of the Ethereum API. */
export type EthService = { readonly ledger: CLedger; readonly networkID: number }

class EthError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The largest batch that is answered. */
const MAX_BATCH = 1000

/** Answers a request or a batch of the Ethereum JSON-RPC API. Only the methods that atomic transfers need exist. */
export function answerEth(body: string, service: EthService): string {
  let request: Json
  try {
    request = parseJSON(body)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    return failure(null, -32700, 'parse error')
  }
  if (!Array.isArray(request)) return answerOne(request, service)
  if (request.length === 0) return failure(null, -32600, 'empty batch')
  if (request.length > MAX_BATCH) return failure(null, -32600, 'batch too large')
  return `[${request.map((item: Json) => answerOne(item, service)).join(',')}]`
}

function answerOne(request: Json, service: EthService): string {
  const { id = null, method, params = [] } = isJSONObject(request) ? request : {}
  if (typeof method !== 'string') return failure(id, -32600, 'invalid request')
  try {
    const list = Array.isArray(params) ? params : []
    if (!Array.isArray(params)) throw new EthError(-32602, 'non-array args')
    const result = resultOfMethod(method, list, service)
    return stringifyJSON({ jsonrpc: '2.0', id, result })
  } catch (error) {
    if (!(error instanceof EthError)) throw error
    return failure(id, error.code, error.message)
  }
}

function resultOfMethod(method: string, params: readonly Json[], service: EthService): string {
  const { ledger, networkID } = service
  switch (method) {
    case 'eth_chainId':
      return formatQuantity(evmChainID(networkID))
    case 'eth_blockNumber':
      return formatQuantity(ledger.height)
    case 'eth_baseFee':
      return formatQuantity(ledger.baseFee)
    case 'eth_getBalance':
      return formatQuantity(ledger.account(addressIn(params)).balance)
    case 'eth_getTransactionCount':
      return formatQuantity(ledger.account(addressIn(params)).nonce)
    default:
      throw new EthError(-32601, `the method ${method} does not exist/is not available`)
  }
}

/** Reads the address of a call. Like the node, it accepts upper and lower case without checking the checksum. */
function addressIn([address, block]: readonly Json[]): Uint8Array {
  if (address === undefined) throw new EthError(-32602, 'missing value for required argument 0')
  const type = 'Go value of type common.Address'
  if (typeof address !== 'string')
    throw new EthError(-32602, `invalid argument 0: json: cannot unmarshal non-string into ${type}`)
  if (!/^0x/i.test(address))
    throw new EthError(
      -32602,
      `invalid argument 0: json: cannot unmarshal hex string without 0x prefix into ${type}`,
    )
  const digits = address.slice(2).toLowerCase()
  if (!/^[0-9a-f]*$/.test(digits))
    throw new EthError(
      -32602,
      `invalid argument 0: json: cannot unmarshal invalid hex string into ${type}`,
    )
  if (digits.length !== 40)
    throw new EthError(
      -32602,
      `invalid argument 0: hex string has length ${digits.length}, want 40 for common.Address`,
    )
  if (block === undefined) throw new EthError(-32602, 'missing value for required argument 1')
  return parseEVMAddress(`0x${digits}`)
}

function formatQuantity(value: bigint): string {
  return `0x${value.toString(16)}`
}

function failure(id: Json, code: number, message: string): string {
  return stringifyJSON({ jsonrpc: '2.0', id, error: { code, message } })
}
