import { blockID, createdUTXOs, txID, type UTXO, utxoID } from '../../src/chain/index.ts'
import { formatID } from '../../src/encoding/index.ts'
import { AvmError } from '../../src/errors.ts'
import { requestID, requestStatus, verifySignatures } from '../../src/sign/index.ts'
import { escaped } from '../../src/sign/text.ts'
import { actions, button, el, labelled, show } from '../dom.ts'
import { PageError } from '../errors.ts'
import { explanationOf } from '../explain.ts'
import { intake } from '../intake.ts'
import { type Loaded, load } from '../read.ts'
import type { Desk, View } from './view.ts'

/** What a check found. */
type Check = { readonly name: string; readonly ok: boolean | undefined; readonly words: string }

/** Checks signatures, IDs and digests. */
export function verifyView(desk: Desk): View {
  const id = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
  const digest = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
  const known: UTXO[] = []
  const count = el('p', { class: 'hint', role: 'status' }, '0 UTXOs known')
  const result = el('div')
  const parents = intake({
    label: 'Spent UTXOs or the transactions that created them',
    hint: 'Needed to check the signatures of a transaction. A signing request has its own.',
    action: 'Add',
    many: true,
    take: (text) => {
      if (text.trim() === '') known.length = 0
      else for (const line of text.split(/\s+(?=0x|[0-9a-f]{8})/)) known.push(...utxosIn(line))
      count.textContent = `${known.length} UTXOs known`
    },
  })
  const check = () => {
    const loaded = desk.loaded()
    const checks = loaded === undefined ? [] : checksOf(loaded, id.value, digest.value, known)
    show(
      result,
      checks.length === 0
        ? el('p', {}, 'Load a transaction, a block or a signing request above.')
        : el(
            'ul',
            { class: 'checks' },
            ...checks.map(({ name, ok, words }) =>
              el(
                'li',
                { class: ok === undefined ? 'open' : ok ? 'good' : 'danger' },
                el(
                  'strong',
                  {},
                  `${ok === undefined ? 'not checked' : ok ? 'correct' : 'WRONG'}: ${name}`,
                ),
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
      labelled('Expected ID (optional)', id),
      labelled('Expected digest (optional)', digest),
    ),
    el('details', {}, el('summary', {}, 'Evidence for signatures'), parents.element, count),
    actions(button('Verify', check, { class: 'primary' })),
    result,
  )
  return { element, update: () => show(result) }
}

function utxosIn(text: string): readonly UTXO[] {
  const { found, error } = load(text)
  if (error !== undefined) throw error
  if (found?.kind === 'utxo') return [found.utxo]
  if (found?.kind === 'tx') return createdUTXOs(found.tx)
  throw new PageError('MISMATCH', 'expected a UTXO or a signed transaction')
}

function checksOf(
  loaded: Loaded,
  id: string,
  digest: string,
  utxos: readonly UTXO[],
): readonly Check[] {
  const { found, error } = loaded
  if (error !== undefined) return [{ name: error.code, ok: false, words: error.message }]
  if (found === undefined) return []
  return [
    ...idChecks(loaded, id),
    ...digestChecks(loaded, digest, utxos),
    ...signatureChecks(loaded, utxos),
  ]
}

function idChecks({ found }: Loaded, expected: string): Check[] {
  const id =
    found?.kind === 'tx'
      ? txID(found.tx)
      : found?.kind === 'block'
        ? blockID(found.block)
        : found?.kind === 'request'
          ? requestID(found.request)
          : found?.kind === 'utxo'
            ? utxoID(found.utxo.txID, found.utxo.outputIndex)
            : undefined
  if (id === undefined) return []
  const text = formatID(id)
  const wanted = expected.trim()
  return [{ name: 'ID', ok: wanted === '' ? undefined : wanted === text, words: text }]
}

function digestChecks(loaded: Loaded, expected: string, utxos: readonly UTXO[]): Check[] {
  const explanation = explanationOf(loaded, undefined, utxos)
  if (explanation === undefined) return []
  const wanted = lettersOf(expected)
  const ok = wanted === '' ? undefined : wanted === lettersOf(explanation.digest)
  return [{ name: 'digest of the explanation', ok, words: explanation.digest }]
}

/** Digests are read aloud and typed: Crockford's alphabet takes look-alikes for what they look like. */
function lettersOf(digest: string): string {
  return digest
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}

function signatureChecks({ found }: Loaded, utxos: readonly UTXO[]): Check[] {
  const name = 'signatures'
  if (found?.kind === 'request') {
    // Reading the file has checked each signature that is in it, and the proofs.
    const missing = requestStatus(found.request).map((variant) => variant.missing.length)
    const made = found.request.variants.reduce((sum, { signatures }) => sum + signatures.length, 0)
    const open = Math.min(...missing)
    const words = `${made} signatures are valid, ${open} are missing; ${found.request.proofs.length} proofs hold`
    return [{ name, ok: true, words }]
  }
  if (found?.kind !== 'tx') return []
  try {
    verifySignatures(found.tx, utxos)
    return [{ name, ok: true, words: 'every signature is of an owner of what is spent' }]
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    if (error.code === 'UTXO_UNKNOWN')
      return [
        {
          name,
          ok: undefined,
          words: 'add the UTXOs it spends, or the transactions that created them',
        },
      ]
    return [{ name, ok: false, words: `${error.code}: ${error.message}` }]
  }
}
