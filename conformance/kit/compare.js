import { isDeepStrictEqual } from 'node:util'

// Compares an implementation's answer with the node's.

/** Members of answers that describe the verdict, or that are no answer. */
const NOT_COMPARED = new Set([
  'kind',
  'id',
  'ok',
  'err',
  'errName',
  'code',
  'lenient',
  'stage',
  'decodedOnly',
])

/** Answers of the node that this library has no function for. */
const NOT_ASKED = { utxo: ['verify'], 'c-tx': ['burned', 'gasPrice'] }

/** Whether the node accepts a case for a reason that a stricter reader may refuse. */
const isLenient = ({ ok, lenient = [] }) => ok && lenient.length > 0

/**
 * Names of the members in which an answer differs from the node's. Where the node is lenient, accepting and refusing are
 * both right. Of a refusal only `ok` is compared. `decodedOnly` says that the implementation has decoded a transaction and
 * has no function for the rules.
 */
export function differences(kind, expected, actual) {
  const isRefused = actual.decodedOnly ? expected.stage === 'decode' : !expected.ok
  if (isLenient(expected) && !actual.ok) return []
  if (isRefused === actual.ok) return ['ok']
  if (isRefused) return []
  const skipped = NOT_ASKED[kind] ?? []
  return Object.keys({ ...expected, ...actual })
    .filter((name) => !NOT_COMPARED.has(name) && !skipped.includes(name))
    .filter((name) => !isDeepStrictEqual(expected[name], actual[name]))
}

/**
 * The same, but members that the implementation leaves out are not compared, and nothing where the node is lenient: there is
 * more than one way to read what no encoder writes.
 */
export function differencesOf(kind, expected, actual) {
  if (isLenient(expected)) return []
  return differences(kind, expected, actual).filter((name) => name === 'ok' || name in actual)
}
