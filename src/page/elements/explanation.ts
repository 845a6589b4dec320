import {
  argument,
  boolean,
  type Check,
  fn,
  object,
  omissible,
  optional,
} from '../../core/base/argument.ts'
import { formatExplanation, policyText } from '../../core/sign/explain/explain-text.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import { explanationArgument } from '../../core/sign/explain/explanation-argument.ts'
import type { AcceptCode } from '../../core/sign/sign.ts'
import { escaped } from '../../core/sign/text.ts'
import { diagrams } from './diagram.ts'
import { el } from './dom.ts'
import { figures, sentenceOf } from './figures.ts'
import { flowsOf } from './flows.ts'
import { summaryOf } from './summary.ts'
import { acceptBox, warningCards } from './warnings.ts'

/** Options of `explanationElement`. */
export type ExplanationElementOptions = {
  /**
   * Called with all codes that are accepted, whenever the user accepts a danger or takes it back. Nothing may be signed
   * before all dangers of the explanation are among them.
   *
   * @defaultValue none: dangers are shown without a box to accept them
   */
  readonly onAccept?: ((accepted: readonly AcceptCode[]) => void) | undefined
  /**
   * Whether the digest is shown, which several signers compare.
   *
   * @defaultValue false
   */
  readonly digest?: boolean | undefined
}

const elementOptions: Check<ExplanationElementOptions> = omissible(
  object<ExplanationElementOptions>({
    onAccept: optional(fn<(accepted: readonly AcceptCode[]) => void>()),
    digest: optional(boolean),
  }),
)

/**
 * All of an explanation: dangers first, each with its consequence and what to compare; then what leaves, in large type with
 * complete addresses, what returns and the fee; then a diagram. Details are folded. Texts of the transaction are escaped, and
 * nothing is inserted as markup. The styles are in `avmkit/view.css`.
 *
 * @example
 * const explanation = explainDraft(draft, { ours: keys })
 * const dangers = new Set(explanation.warnings.flatMap(({ code, danger }) => (danger ? [code] : [])))
 * const sign = document.createElement('button')
 * const onAccept = (accepted: readonly string[]) => {
 *   sign.disabled = accepted.length < dangers.size
 * }
 * document.body.append(explanationElement(explanation, { onAccept }), sentenceElement(explanation), sign)
 */
export function explanationElement(
  given: Explanation,
  options?: ExplanationElementOptions,
): HTMLElement {
  const explanation = argument('explanationElement', given, explanationArgument)
  const { onAccept, digest = false } = argument('explanationElement', options, elementOptions)
  const { title, network, warnings, policy } = explanation
  const accepted = new Set<AcceptCode>()
  const accept = (code: AcceptCode) =>
    acceptBox(code, false, (isAccepted) => {
      if (isAccepted) accepted.add(code)
      else accepted.delete(code)
      onAccept?.([...accepted])
    })
  return el(
    'div',
    { class: 'explanation' },
    el('p', { class: 'what' }, `${escaped(title)}, ${escaped(network.chainAlias)}-Chain`),
    warningCards(warnings, onAccept && accept),
    figures(explanation),
    digest ? digestBox(explanation) : undefined,
    policy && el('p', {}, `Policy ${policyText(policy)}`),
    diagrams(flowsOf(explanation)),
    wordsOf(explanation),
  )
}

function digestBox({ digest }: Explanation): HTMLElement {
  return el(
    'div',
    { class: 'digest' },
    el('p', {}, 'Digest to compare with the other signers, by voice or on paper:'),
    el('code', {}, digest),
  )
}

/** Amount, recipient and fee in one sentence, for the place beside the button that signs. */
export function sentenceElement(given: Explanation): HTMLElement {
  return sentenceOf(summaryOf(argument('sentenceElement', given, explanationArgument)))
}

/** The text of the library and of the command line, folded. */
export function wordsOf(explanation: Explanation): HTMLElement {
  return el(
    'details',
    {},
    el('summary', {}, 'All details as text'),
    el(
      'pre',
      { tabindex: 0, class: 'words', 'aria-label': 'explanation' },
      formatExplanation(explanation),
    ),
  )
}
