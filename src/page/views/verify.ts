import { formatID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import * as cIDs from '../../core/chain/c/ids.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import * as pIDs from '../../core/chain/p/ids.ts'
import { createdUTXOs, exportedUTXOs } from '../../core/chain/x/created.ts'
import { blockID, txID, utxoID } from '../../core/chain/x/ids.ts'
import type { AnyUTXO } from '../../core/sign/chain.ts'
import { escaped } from '../../core/sign/text.ts'
import { verifySignatures } from '../../core/sign/verify.ts'
import { chainOf, utxosOn } from '../../inspect/explain.ts'
import { actions, button, el, labeled, setChildren } from '../dom.ts'
import { PageError } from '../errors.ts'
import { explanationOf, now } from '../explain.ts'
import { intake } from '../intake.ts'
import { type Found, type Loaded, loadText } from '../read.ts'
import type { View, ViewHost } from './view.ts'

/** The result of a check. */
type CheckResult = { readonly name: string; readonly verdict: Verdict; readonly words: string }

type Verdict = 'correct' | 'WRONG' | 'incomplete' | 'not checked'

/** Checks signatures, IDs and digests. */
export function verifyView(host: ViewHost): View {
  const id = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
  const digest = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
  const known = new Map<string, AnyUTXO>()
  const count = el('p', { class: 'hint', role: 'status' }, '0 UTXOs known')
  const result = el('div', { 'aria-live': 'polite' })
  const parents = intake({
    label: 'Spent UTXOs or the transactions that created them',
    hint: 'Needed to check the signatures of a transaction. A signing request has its own.',
    action: 'Add',
    many: true,
    take: (...texts) => {
      const documents = texts.flatMap(documentsIn)
      if (documents.length === 0) known.clear()
      for (const utxo of documents.flatMap(utxosIn)) known.set(formatUTXOID(utxo), utxo)
      count.textContent = `${known.size} UTXOs known`
    },
  })
  const check = () => {
    const loaded = host.loaded()
    const checks =
      loaded === undefined ? [] : checksOf(loaded, id.value, digest.value, [...known.values()])
    setChildren(
      result,
      checks.length === 0
        ? el('p', {}, 'Load a transaction, a block or a signing request first.')
        : el(
            'ul',
            { class: 'checks' },
            ...checks.map(({ name, verdict, words }) =>
              el(
                'li',
                { class: CLASSES[verdict] },
                el('strong', {}, `${verdict}: ${name}`),
                ' ',
                escaped(words),
              ),
            ),
          ),
    )
  }
  const element = el(
    'div',
    {},
    el(
      'div',
      { class: 'row' },
      labeled('Expected ID (optional)', id),
      labeled('Expected digest (optional)', digest),
    ),
    el('details', {}, el('summary', {}, 'Evidence for signatures'), parents.element, count),
    actions(button('Verify', check, { class: 'primary' })),
    result,
  )
  return { element, update: () => setChildren(result) }
}

const CLASSES: { readonly [name in Verdict]: string } = {
  correct: 'good',
  WRONG: 'danger',
  incomplete: 'open',
  'not checked': 'open',
}

/** JSON is one document; hex and cb58 are separated by white space. */
function documentsIn(text: string): string[] {
  return /^\s*[[{]/.test(text) ? [text] : text.split(/\s+/).filter((part) => part !== '')
}

/** The UTXOs in a text: itself, or those that a transaction creates or exports. */
function utxosIn(text: string): readonly AnyUTXO[] {
  const { found, error } = loadText(text)
  if (error !== undefined) throw error
  switch (found?.kind) {
    case 'utxo':
    case 'pUTXO':
      return [found.utxo]
    case 'tx':
      return [...createdUTXOs(found.tx), ...exportedUTXOs(found.tx)]
    case 'pTx':
      return [...pIDs.createdUTXOs(found.tx), ...pIDs.exportedUTXOs(found.tx)]
    case 'cTx':
      return cIDs.exportedUTXOs(found.tx)
    default:
      throw new PageError('MISMATCH', 'expected a UTXO or a signed transaction')
  }
}

function checksOf(
  loaded: Loaded,
  id: string,
  digest: string,
  utxos: readonly AnyUTXO[],
): readonly CheckResult[] {
  const { found, error } = loaded
  if (error !== undefined) return [{ name: error.code, verdict: 'WRONG', words: error.message }]
  if (found === undefined) return []
  return [
    ...idChecks(loaded, id),
    ...digestChecks(loaded, digest, utxos),
    ...signatureChecks(loaded, utxos),
  ]
}

function idChecks({ found }: Loaded, expected: string): CheckResult[] {
  const text = found === undefined ? undefined : idOfFound(found)
  if (text === undefined) return []
  return [{ name: 'ID', verdict: compared(expected.trim(), text), words: text }]
}

function idOfFound(found: Found): string | undefined {
  switch (found.kind) {
    case 'tx':
      return formatID(txID(found.tx))
    case 'pTx':
      return formatID(pIDs.txID(found.tx))
    case 'cTx':
      return formatID(cIDs.txID(found.tx))
    case 'block':
      return formatID(blockID(found.block))
    case 'request':
      return found.request.state.id
    case 'utxo':
    case 'pUTXO':
      return formatID(utxoID(found.utxo.txID, found.utxo.outputIndex))
    default:
      return undefined
  }
}

function compared(expected: string, actual: string): Verdict {
  if (expected === '') return 'not checked'
  return expected === actual ? 'correct' : 'WRONG'
}

function digestChecks(loaded: Loaded, expected: string, utxos: readonly AnyUTXO[]): CheckResult[] {
  const explanation = explanationOf(loaded, { now: now() }, utxos)
  const digest = explanation?.digest
  if (digest === undefined) return []
  const verdict = compared(lettersOf(expected), lettersOf(digest))
  return [{ name: 'digest of the explanation', verdict, words: digest }]
}

/** Digests are read aloud and typed: in Crockford's alphabet O is read as 0, and I and L as 1. */
function lettersOf(digest: string): string {
  return digest
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}

function signatureChecks({ found }: Loaded, utxos: readonly AnyUTXO[]): CheckResult[] {
  const name = 'signatures'
  if (found?.kind === 'request') {
    // Parsing the request has checked all signatures and proofs in it.
    const { state, signatures, proofs } = found.request
    const missing = Math.min(...state.signerSets.map((each) => each.missing.length))
    const words = `valid: ${signatures}, missing: ${missing}; valid proofs: ${proofs}`
    return [{ name, verdict: missing === 0 ? 'correct' : 'incomplete', words }]
  }
  try {
    if (found?.kind !== 'tx' && found?.kind !== 'pTx' && found?.kind !== 'cTx') return []
    const chain = chainOf(found)
    verifySignatures<ChainAlias>(found.tx, utxosOn(chain, utxos), { chain })
    return [
      { name, verdict: 'correct', words: 'every signature belongs to an owner of a spent UTXO' },
    ]
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    if (error.code === 'UTXO_UNKNOWN')
      return [
        {
          name,
          verdict: 'not checked',
          words: 'add the UTXOs it spends, or the transactions that created them',
        },
      ]
    return [{ name, verdict: 'WRONG', words: `${error.code}: ${error.message}` }]
  }
}
