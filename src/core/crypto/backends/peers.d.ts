// Declares the optional peer dependency, so that this package compiles whether it is installed or not. `native.ts`
// declares the functions that are used.
declare module 'secp256k1/bindings.js' {
  const bindings: unknown
  export default bindings
}
