import { type AcceptCode, type Draft, type Explanation, formatExplanation } from 'avmkit'
import type { MoveQuote } from 'avmkit/moves'
import { addressElement, explanationElement, sentenceElement } from 'avmkit/view'
import { avax } from './amounts.ts'
import { actions, button, type Child, el } from './dom.ts'

/** Thrown by `confirm` to start again with the dangers that the user has accepted. */
class DangersAccepted extends Error {}

/** What a call that signs takes. */
type Consent = {
  readonly accept: readonly AcceptCode[]
  readonly confirm: (explanation: Explanation, draft: Draft) => Promise<boolean>
}

/**
 * Runs a call whose transaction the user reviews first. Dangers must be accepted one by one; the call is then made again
 * with exactly these codes, and reviewed again if anything has changed.
 */
export async function withReview<Result>(
  call: (consent: Consent) => Promise<Result>,
  extra: (draft: Draft) => Promise<readonly Child[]> = async () => [],
): Promise<Result> {
  let agreed: { readonly text: string; readonly accept: readonly AcceptCode[] } | undefined
  const confirm: Consent['confirm'] = async (explanation, draft) => {
    const text = formatExplanation(explanation)
    if (agreed?.text === text) return true
    const accept = await review(explanation, await extra(draft))
    if (accept === undefined) return false
    agreed = { text, accept }
    if (accept.length > 0) throw new DangersAccepted()
    return true
  }
  for (;;) {
    try {
      return await call({ accept: agreed?.accept ?? [], confirm })
    } catch (error) {
      if (!(error instanceof DangersAccepted)) throw error
    }
  }
}

/** Shows what would be signed. Resolves with the accepted dangers, or with undefined if the user declines. */
function review(
  explanation: Explanation,
  extra: readonly Child[],
): Promise<readonly AcceptCode[] | undefined> {
  const dangers = new Set(
    explanation.warnings.flatMap(({ code, danger }) => (danger ? [code] : [])),
  )
  let accepted: readonly AcceptCode[] = []
  const reason = el('p', { class: 'hint', id: 'review-reason', role: 'status' })
  const draw = (sign: HTMLButtonElement) => {
    const left = dangers.size - accepted.length
    sign.disabled = left > 0
    reason.textContent =
      left > 0
        ? `Accept ${left === 1 ? 'the danger' : `the ${left} dangers`} above, or cancel.`
        : ''
  }
  return ask(
    'Check before you sign',
    'Sign and send',
    () => accepted,
    (sign) => {
      draw(sign)
      sign.setAttribute('aria-describedby', reason.id)
      const onAccept = (codes: readonly AcceptCode[]) => {
        accepted = codes
        draw(sign)
      }
      return {
        body: [explanationElement(explanation, { onAccept }), ...extra],
        bar: [sentenceElement(explanation), reason],
      }
    },
  )
}

/** Shows both transactions of a move. Resolves with the user's decision. */
export async function reviewMove(quote: MoveQuote): Promise<boolean> {
  const { from, to, exported, arrives, exportFee, importFee, recipient, explanations } = quote
  const sum = (amounts: MoveQuote['arrives']) =>
    amounts.reduce((all, { amount }) => all + amount, 0n)
  const rows = [
    ['Leaves', `${avax(sum(exported))} from the ${from}-Chain`],
    ['Arrives', `${avax(sum(arrives))} on the ${to}-Chain`],
    ['To', addressElement(recipient)],
    ['Fees', `${avax(exportFee)} for the export, ${avax(importFee)} for the import`],
  ] as const
  const parts = [
    ['The export', explanations.export],
    ['The import', explanations.import],
  ] as const
  const answer = await ask(
    'Check before you sign',
    'Sign and move',
    () => true,
    () => ({
      body: [
        el(
          'dl',
          { class: 'facts' },
          ...rows.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)]),
        ),
        ...parts.map(([name, explanation]) =>
          explanation === undefined
            ? undefined
            : el(
                'details',
                { open: hasDanger(explanation) },
                el('summary', {}, name),
                explanationElement(explanation),
              ),
        ),
      ],
      bar: [
        el(
          'p',
          { class: 'sentence' },
          `You sign two transactions: ${avax(sum(arrives))} arrive on the ${to}-Chain.`,
        ),
      ],
    }),
  )
  return answer === true
}

function hasDanger({ warnings }: Explanation): boolean {
  return warnings.some(({ danger }) => danger)
}

/** A modal dialog with one main action. Escape and Cancel resolve with undefined; the focus returns to where it was. */
function ask<Answer>(
  title: string,
  label: string,
  answer: () => Answer,
  content: (main: HTMLButtonElement) => {
    readonly body: readonly Child[]
    readonly bar: readonly Child[]
  },
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const finish = (result: Answer | undefined) => {
      dialog.close()
      dialog.remove()
      resolve(result)
    }
    const main = button(label, () => finish(answer()), { class: 'primary' })
    const { body, bar } = content(main)
    const heading = el('h2', { id: 'review-title', tabindex: -1, autofocus: true }, title)
    const dialog = el(
      'dialog',
      { 'aria-labelledby': heading.id },
      heading,
      ...body,
      el(
        'div',
        { class: 'sign-bar' },
        ...bar,
        actions(
          main,
          button('Cancel', () => finish(undefined)),
        ),
      ),
    )
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      finish(undefined)
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}
