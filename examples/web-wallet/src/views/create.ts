import { AvmError } from 'avmkit'
import { generateMnemonic } from 'avmkit/hd'
import { showPage } from '../app.ts'
import { actions, button, el, field, form } from '../dom.ts'
import { storeMnemonic } from '../vault.ts'
import { passwordFields } from './password.ts'
import type { OpenWallet } from './welcome.ts'

/** How many words are asked for. */
const ASKED = 3

/** Creates a wallet: the words are shown once, checked, and stored only encrypted. */
export function showCreate(root: Element, open: OpenWallet, back: () => void): void {
  showWords(root, generateMnemonic().split(' '), open, back)
}

function showWords(
  root: Element,
  words: readonly string[],
  open: OpenWallet,
  back: () => void,
): void {
  showPage(
    root,
    'Write down your recovery phrase',
    progress(1),
    el(
      'p',
      {},
      'These 24 words are the wallet. Whoever has them can take everything; without them, nobody can restore it. Write them on paper, in this order. They are not shown again unless you enter your password.',
    ),
    el('ol', { class: 'phrase' }, ...words.map((word) => el('li', {}, word))),
    actions(
      button('I have written them down', () => showCheck(root, words, open, back), {
        class: 'primary',
      }),
      button('Back', back),
    ),
  )
}

function showCheck(
  root: Element,
  words: readonly string[],
  open: OpenWallet,
  back: () => void,
): void {
  const positions = randomPositions(words.length)
  const inputs = positions.map((at) => ({
    at,
    input: el('input', {
      type: 'text',
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'none',
    }),
  }))
  showPage(
    root,
    'Check your copy',
    progress(2),
    el('p', {}, 'Enter these words from your paper.'),
    form(
      'check',
      {
        label: 'Continue',
        act: () => {
          const wrong = inputs.find(
            ({ at, input }) => input.value.trim().toLowerCase() !== words[at],
          )
          if (wrong !== undefined)
            throw new AvmError(
              'PHRASE_MISMATCH',
              `word ${wrong.at + 1} is not the one of your phrase`,
              {
                hint: 'compare your paper with the words once more',
              },
            )
          showPassword(root, words, open, back)
        },
        others: [button('Show the words again', () => showWords(root, words, open, back))],
      },
      ...inputs.map(({ at, input }) => field(`Word ${at + 1}`, input)),
    ),
  )
}

function showPassword(
  root: Element,
  words: readonly string[],
  open: OpenWallet,
  back: () => void,
): void {
  const password = passwordFields()
  showPage(
    root,
    'Choose a password',
    progress(3),
    form(
      'password',
      {
        label: 'Create the wallet',
        act: async () => {
          await open(await storeMnemonic(words.join(' '), password.value()))
        },
        others: [button('Back', back)],
      },
      ...password.elements,
    ),
  )
}

function progress(step: number): HTMLElement {
  return el('p', { class: 'hint' }, `Step ${step} of 3`)
}

/** Different positions, in order. */
function randomPositions(count: number): number[] {
  const found = new Set<number>()
  while (found.size < ASKED) found.add(crypto.getRandomValues(new Uint32Array(1))[0]! % count)
  return [...found].sort((a, b) => a - b)
}
