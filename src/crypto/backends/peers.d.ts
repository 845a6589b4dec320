// The optional peer dependencies, so that this package compiles whether they are installed or not. The part that
// is used of each is declared in its adapter.
declare module '@bitauth/libauth' {
  export const instantiateSecp256k1Wasm: () => Promise<unknown>
}

declare module 'secp256k1/bindings.js' {
  const bindings: unknown
  export default bindings
}
