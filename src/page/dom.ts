import { escaped } from '../core/sign/text.ts'
import { type Child, el as makeElement, type Properties } from './elements/dom.ts'
import { errorElement } from './elements/error.ts'
import type { PageTag } from './forbid-leaving.ts'

export type { Child } from './elements/dom.ts'

/** Makes an element of those that the page may create. */
export const el: <Name extends PageTag>(
  name: Name,
  properties?: Properties,
  ...children: readonly Child[]
) => HTMLElementTagNameMap[Name] = makeElement

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

/** Runs the action of a button. Its error replaces the previous one below the button. */
async function runAction(act: () => void | Promise<void>, at: HTMLElement): Promise<void> {
  if (at.ariaBusy === 'true') return
  const place = at.closest('.actions') ?? at
  if (place.nextElementSibling?.classList.contains('error')) place.nextElementSibling.remove()
  at.ariaBusy = 'true'
  try {
    await act()
  } catch (error) {
    place.after(errorElement(error))
  } finally {
    at.ariaBusy = null
  }
}

/** Buttons in a row. */
export function actions(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'actions' }, ...children)
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
