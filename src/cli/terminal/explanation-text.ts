import { formatExplanation } from '../../core/sign/explain/explain-text.ts'
import type { Explanation } from '../../core/sign/explain/explanation.ts'
import type { Paint } from './paint.ts'

/** An explanation with its title and warnings highlighted; without a final line break. */
export function explanationText(explanation: Explanation, paint: Paint): string {
  return formatExplanation(explanation, {
    title: paint.bold,
    warning: paint.yellow,
    danger: paint.red,
  }).trimEnd()
}
