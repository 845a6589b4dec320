import { store } from './store.js'

/** Rows `wallet …`. */
export default async function* wallet() {
  yield* store()
}
