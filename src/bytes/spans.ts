/** Many values in one buffer: value i is `bytes[starts[i] … ends[i])`; what lies between has no meaning. */
export type Spans = {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}
