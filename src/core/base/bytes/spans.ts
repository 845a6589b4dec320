/** Many values in one buffer: value `i` is `bytes[starts[i] … ends[i])`. Bytes between values have no meaning. */
export type Spans = {
  readonly bytes: Uint8Array
  /** Offset of the first byte of each value. */
  readonly starts: Uint32Array
  /** Offset after the last byte of each value. */
  readonly ends: Uint32Array
}
