import { argument, type Check, integerFrom, object, optional, text } from '../core/base/argument.ts'
import { formatAddress } from '../core/base/encoding/address.ts'
import { formatPrivateKey } from '../core/base/encoding/ids.ts'
import { sha256 } from '../core/base/hash/sha256.ts'
import { evmAddressOf } from '../core/chain/c/evm-address.ts'

/** The mnemonic of the test accounts, which is public. Never send real funds to it. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

/** An account for tests. Its key is public. */
export type TestAccount = {
  /** `PrivateKey-…` */
  readonly privateKey: string
  /** `m/44'/9000'/0'/0/i` */
  readonly path: string
  /** `X-local1…` */
  readonly address: string
  /** `P-local1…` */
  readonly pAddress: string
  /** `0x…` */
  readonly cAddress: string
}

/** Accounts for tests, by index, and the mnemonic from which they are derived. */
export type TestAccounts = { readonly mnemonic: string; readonly accounts: readonly TestAccount[] }

/** Options of {@link testAccounts}. */
export type TestAccountsOptions = {
  readonly hrp: string
  readonly count: number
  /** @defaultValue the accounts of the mnemonic `test test … junk` */
  readonly seed?: string | undefined
}

const testAccountsOptions: Check<TestAccountsOptions> = object<TestAccountsOptions>({
  hrp: text,
  count: integerFrom(0, 1_000_000),
  seed: optional(text),
})

/**
 * Derives test accounts, which are the same for the same seed. None of them has funds until it is funded.
 *
 * @param options.seed - any text; by default the accounts of the mnemonic `test test … junk`
 * @example
 * const { accounts } = await testAccounts({ hrp: node.context.hrp, count: 3 })
 * for (const { address } of accounts) node.fund(address, 1_000_000_000n)
 */
export async function testAccounts(options: TestAccountsOptions): Promise<TestAccounts> {
  const { hrp, count, seed } = argument('testAccounts', options, testAccountsOptions)
  // Loaded on first use: most nodes have no test accounts, and would start 24 ms later.
  const { accountFromMnemonic } = await import('../core/crypto/hd/index.ts')
  const mnemonic = seed === undefined ? TEST_MNEMONIC : await mnemonicFrom(seed)
  const hd = accountFromMnemonic(mnemonic)
  const accounts = Array.from({ length: count }, (_, index) => {
    const position = { change: 0, index }
    const address = hd.watch.address(position)
    return {
      privateKey: formatPrivateKey(hd.privateKey(position)),
      path: hd.watch.path(position),
      address: formatAddress({ chain: 'X', hrp, address }),
      pAddress: formatAddress({ chain: 'P', hrp, address }),
      cAddress: evmAddressOf(hd.watch.publicKey(position)),
    }
  })
  return { mnemonic, accounts }
}

async function mnemonicFrom(seed: string): Promise<string> {
  const { entropyToMnemonic } = await import('@scure/bip39')
  const { wordlist } = await import('@scure/bip39/wordlists/english.js')
  return entropyToMnemonic(sha256(new TextEncoder().encode(seed)).slice(0, 16), wordlist)
}
