import type { Explanation } from '../../core/sign/explain/explanation.ts'
import { CliError, UsageError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { isInteractive } from '../surroundings.ts'
import { paintFor } from './paint.ts'

/** Fails at once if confirmation would be impossible later. */
export function requireConfirmable({ values, io }: Invocation): void {
  if (values.has('yes') || isInteractive(io)) return
  throw new UsageError('CONFIRMATION_NEEDED', 'cannot ask for confirmation: not a terminal', {
    hint: 'pass --yes to continue without confirmation; nothing was done',
  })
}

/** Shows an explanation and asks for confirmation. With `--yes` only the warnings are printed. */
export async function confirm(
  invocation: Invocation,
  explanation: Explanation,
  question: string,
): Promise<void> {
  const { explanationText } = await import('./explanation-text.ts')
  const { stderr, env } = invocation.io
  const text = () => explanationText(explanation, paintFor(stderr, env))
  await confirmWarned(invocation, explanation.warnings, text, question)
}

/** Shows a text and asks for confirmation. With `--yes` only the warnings are printed. */
export async function confirmWarned(
  invocation: Invocation,
  warnings: readonly { readonly code: string; readonly message: string }[],
  text: () => string,
  question: string,
): Promise<void> {
  if (!invocation.values.has('yes')) return confirmText(invocation, text(), question)
  for (const { code, message } of warnings) invocation.warn(code, message)
}

/**
 * Shows a text and asks for confirmation, unless `--yes` was given.
 *
 * @throws CliError `NOT_CONFIRMED`
 */
export async function confirmText(
  invocation: Invocation,
  text: string,
  question: string,
): Promise<void> {
  const { values, io } = invocation
  if (values.has('yes')) return
  requireConfirmable(invocation)
  const { ask } = await import('./prompt.ts')
  io.stderr.write(`${text}\n`)
  const answer = await ask(io, `${question} [y/N] `)
  if (!/^\s*y(es)?\s*$/i.test(answer))
    throw new CliError('NOT_CONFIRMED', 'not confirmed; this was neither signed nor sent')
}
