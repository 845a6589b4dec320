import { isDeepStrictEqual } from 'node:util'
import { differences } from '../kit/compare.js'

// What is compared beyond the kit: codes and texts of refusals, which are this library's own promise.

/** Kinds whose refusals have the error text of the node. */
const WITH_TEXT = new Set([
  'tx',
  'utxo',
  'block',
  'syntactic',
  'semantic',
  'utxos-of-tx',
  'p-tx',
  'p-spend',
  'c-tx',
  'c-spend',
])

/** The stand-in for the P-Chain that judges only says "chain not found". */
const nodeText = (text) =>
  text?.replace(
    /^failed to get subnet of ("\w+"): chain not found$/,
    'failed to get subnet of $1: problem retrieving blockchain $1: not found',
  )

/** What the judge says about a UTXO that does not exist: the node names it. */
const NO_TEXT = 'not found'

/** Facts about a refused transaction. */
const FACTS = ['txType', 'txID', 'type', 'unsigned', 'hashToSign', 'gas', 'fees', 'fee', 'produces']

/** Names of the members in which this library's answer differs from the node's. */
export function disagreements(kind, expected, actual) {
  const names = differences(kind, expected, actual)
  if (expected.ok || actual.ok) return names
  // Chains refuse what has another type in the place of a credential, whichever rule comes first.
  const isOdd = expected.lenient?.includes('credential-type') && actual.code === 'CODEC_WRONG_TYPE'
  if (isOdd && /^[pc]-/.test(kind)) return names
  if (expected.code !== undefined && expected.code !== actual.code) names.push('code')
  if (expected.stage !== actual.stage && actual.stage !== undefined) names.push('stage')
  // Decoders of the P- and C-Chain have no texts of the node.
  const hasText = WITH_TEXT.has(kind) && !(/^[pc]-/.test(kind) && expected.stage === 'decode')
  if (hasText && expected.err !== NO_TEXT && nodeText(expected.err) !== actual.err)
    names.push('err')
  return names.concat(
    FACTS.filter((name) => expected[name] !== undefined && actual[name] !== undefined).filter(
      (name) => !isDeepStrictEqual(expected[name], actual[name]),
    ),
  )
}
