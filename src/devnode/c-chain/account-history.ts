import { hex } from '../../core/base/encoding/hex.ts'
import type { Account } from './rules.ts'

/** An account from a block on. */
type Version = { readonly height: bigint; readonly account: Account }

const NO_ACCOUNT: Account = { nonce: 0n, balance: 0n }

/** The accounts of the C-Chain as they were after each block. */
export class AccountHistory {
  /** By address in hex, oldest version first. Lists are replaced, never changed, so that copies can share them. */
  private readonly versions: Map<string, readonly Version[]>

  constructor(versions: ReadonlyMap<string, readonly Version[]> = new Map()) {
    this.versions = new Map(versions)
  }

  /** An account after the block of a height. */
  at(address: Uint8Array, height: bigint): Account {
    const versions = this.versions.get(hex.encode(address)) ?? []
    return versions.findLast((version) => version.height <= height)?.account ?? NO_ACCOUNT
  }

  /** Sets an account from a height on; what is known of this height and later ones is replaced. */
  set(address: Uint8Array, height: bigint, account: Account): void {
    const key = hex.encode(address)
    const earlier = (this.versions.get(key) ?? []).filter((version) => version.height < height)
    this.versions.set(key, [...earlier, { height, account }])
  }

  /** The newest version of all accounts by address in hex. */
  *newest(): Generator<readonly [string, Account]> {
    for (const [address, versions] of this.versions) yield [address, versions.at(-1)!.account]
  }

  clone(): AccountHistory {
    return new AccountHistory(this.versions)
  }
}
