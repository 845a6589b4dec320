import { argument, type Check, list, object, optional } from '../../core/base/argument.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { id } from '../../core/base/encoding/ids.ts'
import type { Chain } from '../x-chain/chain.ts'
import { unixTime } from './arguments.ts'

/** Options of `produceBlock`. */
export type BlockOptions = {
  /** Unix seconds; by default the node's clock, but not before the last block. */
  readonly time?: number | bigint | undefined
  /** IDs as bytes or text. */
  readonly txIDs?: readonly (Uint8Array | string)[] | undefined
}

/** {@link BlockOptions} after the check. */
type ParsedBlockOptions = {
  readonly time?: bigint | undefined
  readonly txIDs?: readonly Uint8Array[] | undefined
}

const blockOptions: Check<ParsedBlockOptions> = object<ParsedBlockOptions>({
  time: optional(unixTime),
  txIDs: optional(list(id)),
})

/** Accepts a block of pending transactions of an AVM chain, and returns its bytes. */
export function produceBlock(chain: Chain, options: BlockOptions = {}): Uint8Array {
  const { time, txIDs } = argument('produceBlock', options, blockOptions)
  return chain.buildBlock(time, txIDs?.map(hex.encode))
}
