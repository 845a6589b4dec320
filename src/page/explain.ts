import type { AnyUTXO } from '../core/sign/chain.ts'
import { escaped } from '../core/sign/text.ts'
import { explainDetected, isTx, networkIDOf } from '../inspect/explain.ts'
import { builtInContext } from '../inspect/networks.ts'
import { diagrams } from './diagram.ts'
import { el } from './dom.ts'
import type { Loaded } from './read.ts'
import { type ExplanationReader, type PageExplanation, pageExplanation } from './requests.ts'

/** The current time in Unix seconds, with which locktimes are compared. */
export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** The explanation of a document, the same as that of `avmkit explain`; undefined if it has none. */
export function explanationOf(
  { found }: Loaded,
  reader: ExplanationReader,
  utxos: readonly AnyUTXO[] = [],
): PageExplanation | undefined {
  if (found?.kind === 'request') return found.request.explain(reader)
  if (found === undefined || !isTx(found)) return undefined
  const context = builtInContext(networkIDOf(found))
  return pageExplanation(explainDetected(found, { ...reader, context, utxos }))
}

/** The warnings, diagrams and text of an explanation. The text is that of the library and of the CLI. */
export function explanationBox({ warnings, flows, words, digest }: PageExplanation): HTMLElement {
  return el(
    'div',
    { class: 'explanation' },
    warningList(warnings),
    diagrams(flows),
    el('h2', {}, 'In words'),
    el('pre', { tabindex: 0, class: 'words', 'aria-label': 'explanation' }, words),
    el('p', {}, 'Digest to compare with other signers: ', el('code', {}, digest)),
  )
}

function warningList(warnings: PageExplanation['warnings']): HTMLElement {
  if (warnings.length === 0) return el('p', { class: 'good' }, 'No warnings.')
  return el(
    'ul',
    { class: 'warnings' },
    ...warnings.map(({ code, message, danger }) =>
      el(
        'li',
        { class: danger ? 'danger' : 'warning' },
        el('strong', {}, `${danger ? 'DANGER' : 'WARNING'} ${code}`),
        ' ',
        escaped(message),
      ),
    ),
  )
}
