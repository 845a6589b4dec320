export { addressElement } from './address.ts'
export { type ErrorElementOptions, errorElement } from './error.ts'
export {
  type ExplanationElementOptions,
  explanationElement,
  sentenceElement,
} from './explanation.ts'
export { type NamedNetwork, networkBadge } from './network-badge.ts'
export { qrElement } from './qr.ts'
