import { AvmError } from '../core/base/errors.ts'
import { escaped } from '../core/sign/text.ts'
import type { PageShape, PageTag } from './forbid-leaving.ts'

/** A child of an element. Strings become text, never markup. */
export type Child = Node | string | undefined

type Properties = { readonly [name: string]: string | number | boolean | EventListener | undefined }

/**
 * Makes an element. `on…` properties are listeners; `true` sets an attribute without a value; `undefined` and
 * `false` leave it out.
 */
export function el<Name extends PageTag>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return withProperties(document.createElement(name), properties, children)
}

/** Makes an element of an SVG image. */
export function svg<Name extends PageShape>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  return withProperties(element, properties, children)
}

function withProperties<E extends Element>(
  element: E,
  properties: Properties,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** A button that does one thing. An error is shown below it; clicks while it is busy are ignored. */
export function button(
  label: string,
  act: () => void | Promise<void>,
  properties: Properties = {},
): HTMLButtonElement {
  const onclick = () => runAction(act, element)
  const element = el('button', { type: 'button', onclick, ...properties }, label)
  return element
}

let lastID = 0

/** A field below its label. */
export function labeled<E extends HTMLElement>(
  label: string,
  field: E,
  hint?: string,
): HTMLElement {
  field.id ||= `field-${++lastID}`
  const note =
    hint === undefined ? undefined : el('p', { class: 'hint', id: `${field.id}-hint` }, hint)
  if (note !== undefined) field.setAttribute('aria-describedby', note.id)
  return el('div', { class: 'field' }, el('label', { for: field.id }, label), field, note)
}

/** A list of names and values without those that are undefined. Values are escaped: they are not trusted. */
export function details(
  rows: readonly (readonly [name: string, value: Node | string | number | bigint | undefined])[],
): HTMLElement {
  const list = el('dl', { class: 'details' })
  for (const [name, value] of rows)
    if (value !== undefined)
      list.append(
        el('dt', {}, name),
        el('dd', {}, value instanceof Node ? value : escaped(String(value))),
      )
  return list
}

/** A box with an error: what is wrong, and what to do. */
export function errorBox(error: unknown): HTMLElement {
  const known = error instanceof AvmError
  // Messages of the library contain no secrets. Other errors are defects of the page.
  const code = known ? error.code : 'UNEXPECTED'
  const message = error instanceof Error ? error.message : String(error)
  return el(
    'div',
    { class: 'error', role: 'alert' },
    el('strong', {}, code),
    ' ',
    escaped(message),
    known && error.hint !== undefined ? el('p', { class: 'hint' }, escaped(error.hint)) : undefined,
  )
}

/** Runs the action of a button. Its error replaces the previous one below the button. */
async function runAction(act: () => void | Promise<void>, at: HTMLElement): Promise<void> {
  if (at.ariaBusy === 'true') return
  const place = at.closest('.actions') ?? at
  if (place.nextElementSibling?.classList.contains('error')) place.nextElementSibling.remove()
  at.ariaBusy = 'true'
  try {
    await act()
  } catch (error) {
    place.after(errorBox(error))
  } finally {
    at.ariaBusy = null
  }
}

/** Buttons in a row. */
export function actions(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'actions' }, ...children)
}

/** Whether the screen is too narrow for two columns; `style.css` has the same limit. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 40rem)').matches
}

/**
 * Fields with one button, which Enter in a field presses. Not a form: a form can be submitted to a server.
 */
export function fields(
  label: string,
  submit: HTMLButtonElement,
  ...children: readonly Child[]
): HTMLElement {
  return el(
    'div',
    {
      class: 'fields',
      role: 'group',
      'aria-label': label,
      onkeydown: (event) => {
        const { key, target } = event as KeyboardEvent
        if (key !== 'Enter' || !(target instanceof HTMLInputElement)) return
        event.preventDefault()
        submit.click()
      },
    },
    ...children,
  )
}

/** Replaces the children of an element. */
export function setChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== undefined))
}

/** Empties a field so that neither it nor its history of changes holds a secret. */
export function clearField(field: HTMLInputElement | HTMLTextAreaElement): void {
  field.value = ''
  field.defaultValue = ''
  // Undo would bring the text back; a field that leaves the document loses its history.
  const { parentNode, nextSibling } = field
  if (parentNode === null) return
  const focused = document.activeElement === field
  field.remove()
  parentNode.insertBefore(field, nextSibling)
  if (focused) field.focus()
}
