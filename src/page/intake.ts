import { actions, button, clearField, el, labeled, setChildren } from './dom.ts'
import { errorElement } from './elements/error.ts'
import { readImage, scanner } from './qr/camera.ts'
import { MAX_TEXT, tooLarge } from './read.ts'
import { beginsSecret, mayBeSecret } from './typed-secret.ts'

/** Longer texts are not put into the field: browsers need seconds to lay out megabytes of text. */
const SHOWN_TEXT = 200_000

/** Settings of an intake. */
export type IntakeOptions = {
  readonly label: string
  readonly hint?: string
  /** Label of the button that submits the text. */
  readonly action: string
  /** Whether that button is the main one of the view. */
  readonly isPrimary?: boolean
  /** Whether several files may be opened at once; `take` gets all of them in one call. */
  readonly many?: boolean
  readonly take: (...texts: readonly string[]) => void | Promise<void>
}

/**
 * An input for a document that is pasted, typed, dropped, opened as a file or an image, or scanned. Keys and mnemonics
 * are removed while they are typed or pasted.
 */
export type Intake = {
  readonly element: HTMLElement
  /** Empties it. */
  readonly clear: () => void
  /** Shows a text without submitting it. */
  readonly set: (text: string) => void
}

/** Makes an intake. */
export function intake({
  label,
  hint,
  action,
  isPrimary = false,
  many = false,
  take,
}: IntakeOptions): Intake {
  const field = el('textarea', { rows: 5, spellcheck: 'false', autocomplete: 'off' })
  const note = el('p', { class: 'hint', role: 'status' })
  const problem = el('div')
  const panel = el('div')
  let long: string | undefined

  const set = (text: string) => {
    long = text.length > SHOWN_TEXT ? text : undefined
    field.value = long === undefined ? text : ''
    note.textContent =
      long === undefined ? '' : `${text.length.toLocaleString('en')} characters, too many to show`
  }
  const guarded = async (work: () => void | Promise<void>) => {
    setChildren(problem)
    try {
      await work()
    } catch (error) {
      setChildren(problem, errorElement(error))
    }
  }
  const takeText = (text: string) =>
    guarded(() => {
      set(text)
      return take(text)
    })
  const open = (files: FileList) =>
    guarded(async () => {
      const texts: string[] = []
      for (const file of many ? files : [...files].slice(0, 1)) {
        if (file.size > MAX_TEXT) throw tooLarge()
        texts.push(file.type.startsWith('image/') ? await readImage(file) : await file.text())
      }
      set(texts.length === 1 ? texts[0]! : '')
      if (texts.length > 0) await take(...texts)
    })
  const picker = el('input', {
    type: 'file',
    class: 'visually-hidden',
    tabindex: -1,
    'aria-label': `${label}: file`,
    multiple: many,
    onchange: async () => {
      await open(picker.files!)
      // The same file can be opened again, after an error too.
      picker.value = ''
    },
  })
  const element = el(
    'div',
    {
      class: 'intake',
      // Names the group of the buttons, which are the same in every intake.
      role: 'group',
      'aria-label': label,
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault()
        const { files, types } = (event as DragEvent).dataTransfer!
        if (types.includes('Files')) open(files)
        else takeText((event as DragEvent).dataTransfer!.getData('text/plain'))
      },
    },
    labeled(label, field, hint),
    note,
    picker,
    actions(
      button(action, () => takeText(long ?? field.value), {
        class: isPrimary ? 'primary' : undefined,
      }),
      button('Open file', () => picker.click()),
      button('Scan QR code', () => setChildren(panel, scanner(takeText))),
      button('Clear', () => {
        clear()
        return take('')
      }),
    ),
    problem,
    panel,
  )
  field.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text.length <= SHOWN_TEXT) return
    event.preventDefault()
    takeText(text)
  })
  field.addEventListener('input', (event) => {
    if (field.value !== '') long = undefined
    const isTyped = (event as InputEvent).inputType === 'insertText'
    if (!(isTyped ? beginsSecret : mayBeSecret)(field.value)) return
    clear()
    const box = secretBox()
    setChildren(problem, box)
    // What is typed next must not go into the field, either.
    box.focus()
  })
  const clear = () => {
    set('')
    setChildren(problem)
    setChildren(panel)
    clearField(field)
  }
  return { element, clear, set }
}

/** Says that a secret was removed. */
function secretBox(): HTMLElement {
  return el(
    'div',
    { class: 'error', role: 'alert', tabindex: -1 },
    el('strong', {}, 'This may be a private key or a mnemonic'),
    el(
      'p',
      {},
      'It was removed from this field, which is for documents. Enter keys in the step Key, after you have loaded and checked a request.',
    ),
  )
}
