import { nearest } from '../../../core/base/nearest.ts'
import type { Result } from '../../command.ts'
import { errorTexts } from '../../error-texts/index.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'

/** Explains an error code: its meaning, cause and fix, for each class of errors that has it. */
export async function explainError({ values, paint }: Invocation): Promise<Result> {
  const code = values.args[0]!.trim().toUpperCase()
  const found = Object.entries(errorTexts).flatMap(([name, texts]) =>
    Object.hasOwn(texts, code) ? [{ class: name, ...texts[code]! }] : [],
  )
  if (found.length === 0) throw unknownCode(code)
  const blocks = found.map(({ class: name, meaning, cause, fix }) =>
    [
      paint.bold(`${code} (${name})`),
      meaning,
      '',
      `${paint.dim('cause')}       ${cause}`,
      `${paint.dim('what to do')}  ${fix}`,
    ].join('\n'),
  )
  return {
    json: { code, docs: `errors/${code}.html`, errors: found },
    text: blocks.join('\n\n').replaceAll('`', ''),
  }
}

function unknownCode(code: string): UsageError {
  const codes = new Set(Object.values(errorTexts).flatMap((texts) => Object.keys(texts)))
  const suggestion = nearest(code, codes)
  return new UsageError('BAD_VALUE', 'there is no such error code', {
    hint:
      suggestion === undefined ? 'docs/errors.md lists all codes' : `did you mean ${suggestion}?`,
  })
}
