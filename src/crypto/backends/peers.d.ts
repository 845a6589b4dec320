// The optional peers, so that this package compiles whether they are installed or not. What is used of
// them is written down in the adapters.
declare module '@bitauth/libauth' {
  export const instantiateSecp256k1: (randomSeed: Uint8Array) => Promise<unknown>
}

declare module 'secp256k1/bindings.js' {
  const bindings: unknown
  export default bindings
}
