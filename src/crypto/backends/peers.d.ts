// The optional peer dependency, so that this package compiles whether it is installed or not. The part that is used is
// declared in its adapter.
declare module 'secp256k1/bindings.js' {
  const bindings: unknown
  export default bindings
}
