import {
  argument,
  type Check,
  object,
  omissible,
  optional,
  text,
} from '../../core/base/argument.ts'
import { AvmError } from '../../core/base/errors.ts'
import { escaped } from '../../core/sign/text.ts'
import { el } from './dom.ts'

/** Options of `errorElement`. */
export type ErrorElementOptions = {
  /**
   * URL of the first page of the documentation that `npm run docs` writes, such as `https://example.com/docs/`. The element
   * then links the page of the error's code.
   *
   * @defaultValue none: without a link
   */
  readonly docs?: string | undefined
}

const options: Check<ErrorElementOptions> = omissible(
  object<ErrorElementOptions>({ docs: optional(text) }),
)

/**
 * An error as a box that assistive technology announces: message, code, what to do, and where to read more. Errors of this
 * library contain no secrets.
 */
export function errorElement(error: unknown, given?: ErrorElementOptions): HTMLElement {
  const { docs } = argument('errorElement', given, options)
  const known = error instanceof AvmError
  // Other errors are defects of the page.
  const code = known ? error.code : 'UNEXPECTED'
  const message = error instanceof Error ? error.message : String(error)
  return el(
    'div',
    { class: 'error', role: 'alert' },
    el(
      'div',
      { class: 'card-head' },
      el('p', { class: 'message' }, escaped(message)),
      el('strong', {}, code),
    ),
    known && error.hint !== undefined ? el('p', { class: 'hint' }, escaped(error.hint)) : undefined,
    known && docs !== undefined ? moreAbout(error, docs) : undefined,
  )
}

function moreAbout({ code, docs: path }: AvmError, docs: string): HTMLElement {
  const href = new URL(path, new URL(docs, document.baseURI)).href
  const link = el('a', { href, target: '_blank', rel: 'noreferrer' }, `About ${code}`)
  return el('p', {}, link)
}
