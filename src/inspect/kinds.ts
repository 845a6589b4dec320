/** The kinds that are recognized by decoding the bytes, in the order in which they are tried. */
export const READ_KINDS = [
  'tx',
  'unsignedTx',
  'utxo',
  'block',
  'genesis',
  'pTx',
  'pUnsignedTx',
  'pUTXO',
  'cTx',
  'cUnsignedTx',
] as const

/** A kind that is recognized by decoding the bytes. */
export type ReadKind = (typeof READ_KINDS)[number]

/** A kind that `decode --as` accepts. */
export type Kind = ReadKind | 'id'

/** The kinds that `decode --as` accepts. In a separate file, so that the command table loads no codec. */
export const KINDS: readonly Kind[] = [...READ_KINDS, 'id']
