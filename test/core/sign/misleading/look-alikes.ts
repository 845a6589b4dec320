import { formatID } from '../../../../src/core/base/encoding/ids.ts'
import type { ChainAlias } from '../../../../src/core/chain/chain-types.ts'
import { createRequest, type ExplainOptions, type SigningRequest } from '../../../../src/index.ts'
import { importOfToken } from '../chains/fixtures.ts'
import { asset, FEE, payingToken, requestOf, vault } from '../scenes.ts'

type Assets = NonNullable<ExplainOptions['assets']>

/** A request with an asset of this symbol, and the ID of the asset; none if the transaction creates it. */
type Imitation = {
  readonly request: SigningRequest<ChainAlias>
  readonly assetID?: string
}

/** Requests in which an asset with a symbol is proven, by chain. */
const imitations: readonly (readonly [what: string, make: (symbol: string) => Imitation])[] = [
  [
    'X payment',
    (symbol) => {
      const { assetID, proof } = asset({ symbol, denomination: 6 })
      return { request: requestOf(payingToken(assetID), [proof]), assetID: formatID(assetID) }
    },
  ],
  [
    'X creation of an asset',
    (symbol) => ({
      request: requestOf({
        spend: [[vault, 1_000_000 + FEE]],
        pay: [[vault, 1_000_000]],
        as: (tx) => ({
          ...tx,
          type: 'CreateAssetTx',
          name: 'Token',
          symbol,
          denomination: 6,
          initialStates: [
            { fxIndex: 0, outputs: [{ type: 'secp256k1fx.MintOutput' as const, ...vault }] },
          ],
        }),
      }),
    }),
  ],
  [
    'P import',
    (symbol) => {
      const { draft, parent, creation, token } = importOfToken(symbol)
      const request = createRequest(draft, { parents: [parent, creation] })
      return { request, assetID: formatID(token) }
    },
  ],
]

/** The ID of an asset that the reader knows. */
const known = (symbol: string): Assets => ({
  [formatID(new Uint8Array(32).fill(9))]: { symbol, denomination: 6 },
})

/** Symbols of unknown assets, which assets the reader knows, and whether the symbol imitates one of them. */
const symbols: readonly (readonly [symbol: string, assets: Assets, isImitation: boolean])[] = [
  ['USDC', known('USDC'), true],
  ['USDO', known('USDQ'), true],
  ['AVAX', {}, true],
  ['TOK', known('USDC'), false],
  ['USDC', {}, false],
]

/**
 * Symbols that the node accepts in no CreateAssetTx: only the hash of a transaction is proven, not that it was
 * accepted.
 */
const refusedSymbols: typeof symbols = [
  ['USD0', known('USDO'), true],
  ['usdc', known('USDC'), true],
  ['5USD', known('SUSD'), true],
  ['avax', {}, true],
]

/** A request with an unknown asset, the assets that its reader knows, and whether LOOK_ALIKE is expected. */
export type LookAlikeCase = {
  readonly name: string
  readonly make: () => Imitation
  readonly assets: Assets
  readonly isImitation: boolean
}

/** Unknown assets that call themselves like known ones, and others that do not. */
export const lookAlikeCases: readonly LookAlikeCase[] = imitations.flatMap(([what, make]) => {
  const createsAsset = what === 'X creation of an asset'
  return [...symbols, ...(createsAsset ? [] : refusedSymbols)].map(
    ([symbol, assets, isImitation]) => ({
      name: `the ${what} with an unknown ${symbol} beside ${Object.values(assets)[0]?.symbol ?? 'AVAX'}`,
      make: () => make(symbol),
      assets,
      isImitation,
    }),
  )
})
