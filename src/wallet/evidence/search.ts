import { hex } from '../../core/base/encoding/hex.ts'
import { txID as idOf } from '../../core/chain/x/ids.ts'
import { consumedUTXOs } from '../../core/chain/x/spends.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { decodeTx } from '../../core/chain/x/tx.ts'
import { ignoreAvmError } from '../../node/errors.ts'
import type { CallOptions } from '../../node/http.ts'
import type { Attempt } from '../store/store.ts'
import type { WalletState } from '../wallet-state.ts'
import { History } from './history.ts'

/** Limits the requests for transactions that created inputs. */
const MAX_ANCESTORS = 16

/** Looks for what has spent, or not created, the inputs of an attempt that a server does not have. */
export class Search {
  private readonly state: WalletState
  private readonly history: History

  constructor(state: WalletState) {
    this.state = state
    this.history = new History(state)
  }

  /** @param turn - number of the server that refused it */
  async find(attempt: Attempt, turn: number, call: CallOptions): Promise<void> {
    // Failures are repeated after the next rejection.
    await this.readAncestors(attempt, turn, call).catch(ignoreAvmError)
    await this.history.search(attempt, turn, call).catch(ignoreAvmError)
  }

  /**
   * Looks for the transactions that created inputs which a server does not have. It may have shown them although they are
   * not accepted: own ones are issued again, and a transaction that conflicts with one of them decides the attempt.
   */
  private async readAncestors(attempt: Attempt, turn: number, call: CallOptions): Promise<void> {
    const { chain, pending } = this.state
    const known = this.ownBefore(attempt)
    await this.issueBefore(attempt, known, turn, call)
    let { inputs } = attempt
    for (let depth = 0; depth < MAX_ANCESTORS && inputs.length > 0; depth++) {
      const parents = new Map(inputs.map(({ txID }) => [hex.encode(txID), txID]))
      const next: UTXOID[] = []
      for (const [name, txID] of [...parents].slice(0, MAX_ANCESTORS)) {
        const bytes = known.get(name)
        const tx = bytes ? decodeTx(bytes) : await chain.findTx(txID, call)
        if (tx === undefined) continue
        const consumed = consumedUTXOs(tx.unsignedTx)
        pending.ancestors.add(txID, consumed)
        // Transactions that enough servers show are accepted, and so are those before them.
        if (bytes !== undefined) next.push(...consumed)
      }
      inputs = next
    }
  }

  /**
   * Issues the transactions before an attempt again, oldest first. One that spends an output of another which the server
   * has just taken is left to the next search: a node refuses it until the other is accepted, and remembers that.
   */
  private async issueBefore(
    attempt: Attempt,
    txs: ReadonlyMap<string, Uint8Array>,
    turn: number,
    call: CallOptions,
  ): Promise<void> {
    const port = this.state.port(attempt)!
    const issue = async (bytes: Uint8Array) => {
      await this.state.store.assertOwned()
      return port.issue(bytes, turn, call).then(() => true, ignoreAvmError)
    }
    const taken = new Set<string>()
    for (const [name, bytes] of txs) {
      const parents = consumedUTXOs(decodeTx(bytes).unsignedTx).map(({ txID }) => hex.encode(txID))
      const isEarly = parents.some((parent) => taken.has(parent))
      if (isEarly || (await issue(bytes))) taken.add(name)
    }
  }

  /** The own transactions before an attempt whose bytes are known, oldest first, by the hex of their IDs. */
  private ownBefore({ inputs }: Attempt): Map<string, Uint8Array> {
    const { recent, claims } = this.state.pending
    const found = [...claims.rivals.shownBy(inputs)].flatMap(({ txs }) => txs)
    let before: readonly UTXOID[] = inputs
    for (let depth = 0; depth < MAX_ANCESTORS && before.length > 0; depth++) {
      const parents = before.flatMap(({ txID }) => recent.get(txID) ?? [])
      found.unshift(...parents)
      before = parents.flatMap((bytes) => consumedUTXOs(decodeTx(bytes).unsignedTx))
    }
    return new Map(found.map((bytes) => [hex.encode(idOf(bytes)), bytes]))
  }
}
