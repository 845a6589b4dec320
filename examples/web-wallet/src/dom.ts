import { errorElement } from 'avmkit/view'

/** A child of an element. Strings become text, never markup. */
export type Child = Node | string | undefined

type Properties = { readonly [name: string]: string | number | boolean | EventListener | undefined }

/** Makes an element. `on…` properties are listeners; `undefined` and `false` leave an attribute out. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value))
  }
  put(element, ...children)
  return element
}

/** Replaces the children of an element. */
export function put(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== undefined))
}

/** An error with its text, what to do, and a link if the URL of the documentation is known. */
export function problem(error: unknown): HTMLElement {
  return errorElement(error, { docs: import.meta.env.VITE_DOCS })
}

/** Runs an action while its button is busy. Its error replaces the previous one below `place`. */
async function run(act: () => unknown, button: HTMLButtonElement, place: Element): Promise<void> {
  if (button.ariaBusy === 'true') return
  if (place.nextElementSibling?.classList.contains('error')) place.nextElementSibling.remove()
  button.ariaBusy = 'true'
  try {
    await act()
  } catch (error) {
    announce('')
    place.after(problem(error))
  } finally {
    button.ariaBusy = null
  }
}

/** A button that does one thing. Clicks while it is busy are ignored. */
export function button(
  label: string,
  act: () => unknown,
  properties: Properties = {},
): HTMLButtonElement {
  const element = el('button', { type: 'button', ...properties }, label)
  element.addEventListener('click', () => run(act, element, element.closest('.actions') ?? element))
  return element
}

/** Buttons in a row. */
export function actions(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'actions' }, ...children)
}

/** Fields with one main action, which Enter in a field starts. */
export function form(
  label: string,
  submit: {
    readonly label: string
    readonly act: () => unknown
    /** Whether the view has another main action. */
    readonly isMinor?: boolean
    readonly others?: readonly Child[]
  },
  ...children: readonly Child[]
): HTMLFormElement {
  const main = el('button', { class: submit.isMinor ? undefined : 'primary' }, submit.label)
  const row = actions(main, ...(submit.others ?? []))
  return el(
    'form',
    {
      'aria-label': label,
      // Chromium's own messages are not in the page, and errors of the library say more.
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault()
        void run(submit.act, main, row)
      },
    },
    ...children,
    row,
  )
}

let lastID = 0

/** A field below its label, with a hint that assistive technology reads with it. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  control.id ||= `field-${++lastID}`
  const note =
    hint === undefined ? undefined : el('p', { class: 'hint', id: `${control.id}-hint` }, hint)
  if (note !== undefined) control.setAttribute('aria-describedby', note.id)
  return el('div', { class: 'field' }, el('label', { for: control.id }, label), control, note)
}

/** A box with its label beside it. */
export function checkbox(
  label: string,
  isChecked: boolean,
): {
  readonly element: HTMLElement
  readonly box: HTMLInputElement
} {
  const box = el('input', { type: 'checkbox' })
  box.checked = isChecked
  return { element: el('label', { class: 'option' }, box, el('span', {}, label)), box }
}

const status = el('p', { class: 'toast', role: 'status' })

/** The place where short messages appear, which assistive technology announces. */
export function statusLine(): HTMLElement {
  return status
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Announces something for a few seconds; an empty text ends an earlier message. */
export function announce(message: string): void {
  clearTimeout(timer)
  status.textContent = message
  timer = setTimeout(() => {
    status.textContent = ''
  }, 6_000)
}

/** A button that copies a text. */
export function copyButton(text: string, what: string): HTMLButtonElement {
  return button(`Copy ${what}`, async () => {
    await navigator.clipboard.writeText(text)
    announce(`Copied the ${what}.`)
  })
}

/** Offers a text for saving as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  el('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** What a view shows instead of a list without entries. */
export function emptyState(
  title: string,
  text: string,
  ...children: readonly Child[]
): HTMLElement {
  return el(
    'div',
    { class: 'empty' },
    el('p', { class: 'card-title' }, title),
    el('p', {}, text),
    ...children,
  )
}
