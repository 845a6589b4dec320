import { follow } from './follow.js'
import { latency } from './latency.js'
import { payments } from './payments.js'
import { store } from './store.js'

/** Rows `wallet …`: payments, following blocks, and the file store. */
export default async function* wallet() {
  yield* payments()
  yield* latency()
  yield* follow()
  yield* store()
}
