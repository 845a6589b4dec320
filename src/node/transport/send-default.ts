import { type Send, sendWith } from './send.ts'

// Imported as `#send`, which is `send-node.ts` on Node: see `imports` in package.json.

/** Sends requests with the `fetch` of the platform. */
export const platformSend: Send = /* @__PURE__ */ sendWith((url, init) =>
  globalThis.fetch(url, init),
)
