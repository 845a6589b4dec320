import type { BlockProgress } from '../../wallet/index.ts'
import type { Invocation } from '../invocation.ts'

/**
 * A callback that shows the progress of reading blocks on a terminal; undefined with `--json`.
 *
 * @param from - height of the first block; default: that of the first call
 */
export function blockProgress(
  { values, progress }: Invocation,
  from?: bigint,
): ((blocks: BlockProgress) => void) | undefined {
  if (values.has('json')) return undefined
  let first = from
  return ({ height, end }) => {
    // Most commands read a few blocks at once, and there is nothing to count.
    if (height >= end) return progress.end()
    first ??= height
    progress.show(Number(height - first + 1n), Number(end - first + 1n), 'blocks read')
  }
}
