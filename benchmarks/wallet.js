import { follow } from './follow.js'
import { payments } from './payments.js'
import { store } from './store.js'

/** Rows `wallet …`: what a wallet does beside signing. */
export default async function* wallet() {
  yield* payments()
  yield* follow()
  yield* store()
}
