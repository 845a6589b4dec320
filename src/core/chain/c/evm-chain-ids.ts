/** EVM chain IDs (EIP-155) of the public networks and the local one, by network ID. */
export const EVM_CHAIN_IDS: { readonly [networkID: number]: bigint } = {
  1: 43_114n,
  5: 43_113n,
  12345: 43_112n,
}
