/** What a form would pay, and the idempotency key of that payment. */
export type PendingForm = {
  readonly key: string
  readonly values: { readonly [name: string]: string }
}

/** Where forms are kept; `localStorage` in the page. */
export type FormStorage = Pick<Storage, 'getItem' | 'setItem'>

/**
 * The idempotency keys of a form. The same values have the same key until that payment is done, also after a reload and
 * after other values were entered in between: pressing the button twice, or again after a crash, pays once.
 */
export class FormKeys {
  readonly #name: string
  readonly #storage: FormStorage

  constructor(name: string, storage: FormStorage = localStorage) {
    this.#name = `avmkit wallet form ${name}`
    this.#storage = storage
  }

  /** What was submitted and is not done, the newest one last. */
  get pending(): readonly PendingForm[] {
    return JSON.parse(this.#storage.getItem(this.#name) ?? '[]') as PendingForm[]
  }

  /** The key for these values. It is stored before it is used. */
  keyFor(values: PendingForm['values']): string {
    const { pending } = this
    const text = textOf(values)
    const known = pending.find((form) => textOf(form.values) === text)
    const form = known ?? { key: crypto.randomUUID(), values }
    this.#store([...pending.filter((other) => other !== known), form])
    return form.key
  }

  /** The payment is accepted, or will never be made. The same values are another payment from now on. */
  done(key: string): void {
    this.#store(this.pending.filter((form) => form.key !== key))
  }

  #store(pending: readonly PendingForm[]): void {
    this.#storage.setItem(this.#name, JSON.stringify(pending))
  }
}

function textOf(values: PendingForm['values']): string {
  return JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))
}
