import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { Block } from '../../core/chain/x/block.ts'
import { type VerifyContext, verifyTx } from '../../core/chain/x/verify/verify.ts'
import { DevNodeError } from '../errors.ts'
import { BlockView } from './block-view.ts'
import type { ChainTx, VerifiedTx } from './execute.ts'
import type { StateView } from './semantic.ts'
import type { Tip } from './state.ts'

/** Maximum number of seconds that a block's time may be ahead of the node's clock. */
const SYNC_BOUND = 10n

/** Checks one transaction against the state after the previous ones of the block. */
export type VerifyInBlock = (item: ChainTx, view: StateView) => void

/**
 * Checks a block that follows the tip, in the node's order. Follows `Verify` of `vms/avm/block/executor/block.go`.
 */
export function verifyBlock(
  block: Block,
  txs: readonly ChainTx[],
  tip: Tip,
  base: StateView,
  context: VerifyContext,
  verify: VerifyInBlock,
): VerifiedTx[] {
  if (block.merkleRoot.some((byte) => byte !== 0))
    throw new DevNodeError('BLOCK_MERKLE_ROOT', 'unexpected merkle root')
  if (block.time > BigInt(base.now) + SYNC_BOUND)
    throw new DevNodeError('BLOCK_TIME_FUTURE', 'proposed timestamp is too far in the future')
  if (txs.length === 0) throw new DevNodeError('BLOCK_EMPTY', 'block contains no transactions')
  for (const { tx } of txs) verifyTx(tx, context)
  if (!equalBytes(block.parentID, tip.id))
    throw new DevNodeError('BLOCK_PARENT_UNKNOWN', 'block does not follow the last accepted one')
  if (block.height !== tip.height + 1n)
    throw new DevNodeError(
      'BLOCK_HEIGHT',
      `expected block to have height ${tip.height + 1n}, but found ${block.height}`,
    )
  if (block.time < tip.time)
    throw new DevNodeError('BLOCK_TIME_BEFORE_PARENT', 'proposed timestamp before parent timestamp')
  const view = new BlockView(base)
  return txs.map((item) => {
    verify(item, view)
    return view.include(item)
  })
}
