/** Maximum amount of one output. */
export const MAX_U64 = 0xffffffffffffffffn
