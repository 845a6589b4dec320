/** An amount on another chain, or between two chains. */
export type WaitingAmount = {
  /** The chain on which it can be spent: after an import, if `from` is present. */
  readonly chain: string
  /** The chain that exported it. */
  readonly from?: string | undefined
  readonly amount: bigint
}

/** An amount of an asset that waits elsewhere. */
export type Waiting = WaitingAmount & { readonly assetID: Uint8Array }
