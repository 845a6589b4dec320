import { type Explanation, formatExplanation } from 'avmkit'

/** Creates an element with text or child elements. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  created.append(...children)
  return created
}

/** Creates a table. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement {
  const line = (name: 'th' | 'td', cells: readonly string[]) =>
    element('tr', ...cells.map((cell) => element(name, cell)))
  return element('table', line('th', titles), ...rows.map((row) => line('td', row)))
}

/** Creates a form with fields and a button. The button is disabled while its action runs. */
export function form(
  title: string,
  fields: { readonly [name: string]: string },
  act: (values: { readonly [name: string]: string }) => Promise<void>,
): HTMLElement {
  const button = element('button', title)
  const inputs = Object.entries(fields).map(([name, value]) => {
    const input = element('input')
    Object.assign(input, { name, value, required: true, autocomplete: 'off' })
    return element('label', name, input)
  })
  const formElement = element('form', ...inputs, button)
  formElement.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    const values = Object.fromEntries(new FormData(formElement)) as { [name: string]: string }
    await act(values)
    button.disabled = false
  })
  return formElement
}

/** Shows what is to be signed, and resolves with the user's decision. */
export function preview(explanation: Explanation): Promise<boolean> {
  const dialog = document.querySelector('dialog')!
  dialog.querySelector('pre')!.textContent = formatExplanation(explanation)
  dialog.showModal()
  return new Promise((resolve) => {
    const answer = (isYes: boolean) => {
      dialog.close()
      resolve(isYes)
    }
    for (const button of dialog.querySelectorAll('button'))
      button.onclick = () => answer(button.value === 'yes')
    dialog.oncancel = () => answer(false)
  })
}
