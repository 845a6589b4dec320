/** Copies bytes. Not `slice`, which for a Node Buffer returns a view of the same memory. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
