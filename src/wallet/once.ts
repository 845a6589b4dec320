import { orAborted, refuseAborted } from './aborted.ts'
import type { Dispatch } from './dispatch.ts'
import { WalletError } from './errors.ts'
import { keysOf } from './journal.ts'
import { type Receipt, type RunOptions, waitOptions } from './options.ts'
import { receiptOf } from './receipt.ts'

/** Sees to it that payments with names are made once, whoever asks for them and however often. */
export class Once {
  private readonly dispatch: Dispatch
  /** Payments under way, by their names. */
  private readonly paying = new Map<string, Promise<Receipt>>()

  constructor(dispatch: Dispatch) {
    this.dispatch = dispatch
  }

  /** Pays unless that was done under the same names. Who shares a name waits for the one before. */
  async run(options: RunOptions, pay: () => Promise<Receipt>): Promise<Receipt> {
    const keys = keysOf(options)
    if (keys.length === 0) return pay()
    refuseRepeated(keys)
    const before = keys.map((key) => this.paying.get(key))
    const turn = Promise.allSettled(before)
    const paying = turn.then(() => this.unlessPaid(keys, options, pay))
    for (const key of keys) this.paying.set(key, paying)
    const ended = paying.finally(() => {
      for (const key of keys) if (this.paying.get(key) === paying) this.paying.delete(key)
    })
    ended.catch(() => {})
    // Who leaves while others pay does not begin when it would be their turn.
    await orAborted(turn, options.signal)
    return ended
  }

  private async unlessPaid(
    keys: readonly string[],
    options: RunOptions,
    pay: () => Promise<Receipt>,
  ): Promise<Receipt> {
    refuseAborted(options.signal)
    await this.dispatch.open()
    for (;;) {
      const standing = this.dispatch.standing(keys)
      if (standing === undefined) return pay()
      const { txID } = standing
      if (standing.status === 'accepted') return { txID }
      const outcome = await this.dispatch.settle(standing, waitOptions(options))
      // Behind one that is refused another may stand.
      if (outcome.status !== 'refused') return receiptOf(txID, outcome)
    }
  }
}

/** The same payment twice in one transaction is twice the money. */
function refuseRepeated(keys: readonly string[]): void {
  const seen = new Set<string>()
  const repeated = new Set(keys.filter((key) => seen.size === seen.add(key).size))
  if (repeated.size > 0)
    throw new WalletError(
      'KEYS_REPEATED',
      `expected ${keys.length} different payments, found ${repeated.size} more than once`,
      { keys: [...repeated], hint: 'nothing was signed' },
    )
}
