import { quoted } from '../text.ts'
import type { Warning } from '../warnings.ts'
import type { Explanation } from './explanation.ts'

/** Characters that are easily taken for others, in upper case, and the one that stands for each group. */
const FOLDED: readonly (readonly [RegExp, string])[] = [
  [/[0QD]/g, 'O'],
  [/[1L!|]/g, 'I'],
  [/5/g, 'S'],
  [/8/g, 'B'],
  [/2/g, 'Z'],
  [/VV/g, 'W'],
  [/RN/g, 'M'],
]

/** A symbol without the differences that a reader overlooks. */
function folded(symbol: string): string {
  return FOLDED.reduce(
    (text, [pattern, letter]) => text.replace(pattern, letter),
    symbol.toUpperCase(),
  )
}

/**
 * Warns of assets that are not known but call themselves like a known one. Anyone can create an asset with any symbol.
 */
export function lookAlikeWarnings({
  assets,
  newAsset,
}: Pick<Explanation, 'assets' | 'newAsset'>): Warning[] {
  const known = new Map<string, string>()
  for (const { symbol, known: isKnown } of Object.values(assets))
    if (isKnown) known.set(folded(symbol), symbol)
  const warn = (what: string, symbol: string): Warning[] => {
    const imitated = known.get(folded(symbol))
    if (imitated === undefined) return []
    const message = `${what} calls itself ${quoted(symbol)}, but is not the known ${quoted(imitated)}`
    return [{ code: 'LOOK_ALIKE', message, path: '', danger: false }]
  }
  return [
    ...Object.entries(assets).flatMap(([assetID, { symbol, known: isKnown }]) =>
      isKnown ? [] : warn(`the asset ${assetID}`, symbol),
    ),
    ...(newAsset === undefined ? [] : warn('the new asset', newAsset.symbol)),
  ]
}
