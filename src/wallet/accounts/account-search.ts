import { equalBytes } from '../../core/base/bytes/compare.ts'
import type { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { CallOptions } from '../../node/http.ts'
import type { AccountIndexes } from '../store/store.ts'
import type { AccountAddresses } from './account-addresses.ts'
import { type SearchPlace, searchAccount } from './search.ts'

/** The search of a wallet for the used addresses of its account, if it has one. */
export class AccountSearch {
  private readonly account: AccountAddresses | undefined
  private readonly place: Omit<SearchPlace, 'context'>
  /** Why other chains than X were not searched. */
  private notSearched: AvmError | undefined

  constructor(account: AccountAddresses | undefined, place: Omit<SearchPlace, 'context'>) {
    this.account = account
    this.place = place
  }

  /** @param known - indexes that a store has kept, of any account */
  async run(
    context: NetworkContext,
    call: CallOptions & { readonly totalMs: number },
    known: readonly AccountIndexes[] = [],
  ): Promise<void> {
    const { account } = this
    if (account === undefined) return
    const before = known.find((one) => equalBytes(one.account, account.id))
    if (before !== undefined) account.restore(before)
    this.notSearched = await searchAccount(account, { ...this.place, context }, call)
  }

  /**
   * Searches again if other chains did not answer before.
   *
   * @throws RpcError, HttpError or another AvmError if they do not answer now
   */
  async complete(
    context: NetworkContext,
    call: CallOptions & { readonly totalMs: number },
  ): Promise<void> {
    if (this.notSearched === undefined) return
    await this.run(context, call)
    if (this.notSearched !== undefined) throw this.notSearched
  }
}
