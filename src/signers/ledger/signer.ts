import {
  argument,
  type Check,
  capability,
  iterable,
  kinds,
  memberOf,
  object,
  optional,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { HDPosition } from '../../core/crypto/hd/path.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import type { AddressPath, SignAllQuery, Signer } from '../../core/sign/signer.ts'
import { accountNumber, type LedgerApp, ledgerApp } from './app.ts'
import { LedgerError } from './errors.ts'
import { knownChain } from './known-chains.ts'
import { isPath, type SplitPath, splitPath } from './paths.ts'
import { reviewOf } from './review.ts'
import { type LedgerTransport, transport } from './transport.ts'

/**
 * Limit for the signed size of transactions that a device signs, as `maxSize` of sweeps and consolidations. What is
 * uploaded then fits in the buffer of the app if every input has one signer and there are at most 20 outputs: 172
 * inputs of 88 bytes, which take 161 bytes when signed.
 */
export const LEDGER_MAX_SIZE = 28_000

/** The part of a `WatchAccount` that is used. Importing the class would load BIP-32. */
export type LedgerAccount = {
  readonly account: number
  /** 20 bytes. */
  address(position: HDPosition): Uint8Array
  /** `m/44'/9000'/a'/change/index`. */
  path(position: HDPosition): string
}

/** Options of {@link ledgerSigner}. */
export type LedgerSignerOptions = {
  readonly transport: LedgerTransport
  /** Number of the account, or its public part: `new WatchAccount(await ledgerApp(transport).extendedPublicKey())`. */
  readonly account: number | LedgerAccount
  /**
   * Positions of the keys in a `WatchAccount`. The signer then lists their addresses and paths.
   *
   * @defaultValue none: the signer signs for every address whose path in the account it is told
   */
  readonly positions?: Iterable<HDPosition> | undefined
}

const watchAccount: Check<LedgerAccount> = (value, at) => {
  const account = capability<LedgerAccount>(
    'the number of an account or a WatchAccount',
    'address',
    'path',
  )(value, at)
  accountNumber(account.account, memberOf(at, 'account'))
  return account
}

const signerOptions: Check<LedgerSignerOptions> = /* @__PURE__ */ object<LedgerSignerOptions>({
  transport,
  account: kinds<number | LedgerAccount>({ number: accountNumber, object: watchAccount }),
  // `account.path` checks each.
  positions: optional(iterable<HDPosition>((position) => position as HDPosition)),
})

/**
 * A signer for the keys of an account on a Ledger device. The device shows each transaction once, however many keys
 * sign it; accounts of the C-Chain, whose paths begin with `m/44'/60'`, are approved separately. What the app cannot
 * show or hold is refused before anything is sent.
 *
 * @example
 * const account = new WatchAccount(await ledgerApp(transport).extendedPublicKey())
 * const signer = ledgerSigner({ transport, account, positions: [{ change: 0, index: 0 }] })
 * const wallet = createWallet({ client, signers: [signer] })
 */
export function ledgerSigner(options: LedgerSignerOptions): Signer {
  const given = argument('ledgerSigner', options, signerOptions)
  const { account } = given
  const app = ledgerApp(given.transport)
  const paths = pathsOf(account, [...(given.positions ?? [])])
  const byAddress = new Map(paths.map(({ address, path }) => [hex.encode(address), path]))
  const isOwn = ownerTest(app, account)

  async function signAll({
    unsignedBytes,
    signers,
    changePaths,
  }: Pick<SignAllQuery, 'unsignedBytes' | 'signers' | 'changePaths'>): Promise<
    (Uint8Array | undefined)[]
  > {
    const places: SplitPath[] = []
    const owned: number[] = []
    for (const [i, { address, path = byAddress.get(hex.encode(address)) }] of signers.entries()) {
      if (path === undefined || !(await isOwn(address, path))) continue
      places.push(splitPath(path))
      owned.push(i)
    }
    const signatures: (Uint8Array | undefined)[] = signers.map(() => undefined)
    if (owned.length === 0) return signatures
    const owners = reviewableOwners(unsignedBytes)
    const known = owners.flatMap((address) => byAddress.get(hex.encode(address)) ?? [])
    // Paths may come from a request. The device derives their addresses; without a path it shows the output.
    const change = [...changePaths.filter(isPath), ...known].map(splitPath)
    for (const prefix of new Set(places.map((place) => place.prefix))) {
      const group = [...places.keys()].filter((k) => places[k]!.prefix === prefix)
      const answers = await app.signTransaction({
        prefix,
        signers: group.map((k) => places[k]!.suffix),
        change: change.flatMap((path) => (path.prefix === prefix ? path.suffix : [])),
        unsignedBytes,
      })
      for (const [at, k] of group.entries()) signatures[owned[k]!] = answers[at]
    }
    return signatures
  }

  return {
    ...(given.positions && { addresses: paths.map(({ address }) => address), paths }),
    signAll,
    async sign({ address, path, unsignedBytes }) {
      const signers = [{ address, path }]
      const [signature] = await signAll({ unsignedBytes, signers, changePaths: [] })
      return signature
    },
  }
}

function pathsOf(
  account: number | LedgerAccount,
  positions: readonly HDPosition[],
): readonly AddressPath[] {
  return positions.map((position) => {
    if (typeof account === 'number')
      throw new LedgerError('LEDGER_PATH', 'positions need a public account', {
        hint: 'account: new WatchAccount(await ledgerApp(transport).extendedPublicKey())',
      })
    return { address: account.address(position), path: account.path(position) }
  })
}

/**
 * Whether an address is the device's at a path. All co-signers of a vault usually have the same paths, so the path
 * alone does not decide.
 */
function ownerTest(
  app: LedgerApp,
  account: number | LedgerAccount,
): (address: Uint8Array, path: string) => Promise<boolean> {
  const number = typeof account === 'number' ? account : account.account
  const addresses = new Map<string, Uint8Array>()
  return async (address, path) => {
    const { prefix, suffix } = splitPath(path)
    const isAccount = prefix === `m/44'/9000'/${number}'`
    if (!isAccount && !prefix.startsWith("m/44'/60'/")) return false
    let own = addresses.get(path)
    if (own === undefined) {
      const [change, index] = suffix.split('/').map(Number) as [number, number]
      own =
        isAccount && typeof account !== 'number'
          ? account.address({ change, index })
          : (await app.publicKey({ path })).address
      addresses.set(path, own)
    }
    return equalBytes(own, address)
  }
}

/** Offset of the chain's ID, behind the version of the codec, the type and the ID of the network. */
const CHAIN_ID_AT = 10

/**
 * The owners of the outputs of a transaction that the app can show.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED`
 */
function reviewableOwners(unsignedBytes: Uint8Array): Uint8Array[] {
  const chainID = unsignedBytes.slice(CHAIN_ID_AT, CHAIN_ID_AT + 32)
  const chain = chainNamed(knownChain(chainID, 'blockchainID'))
  const tx = chain.decodeUnsignedTx(unsignedBytes)
  reviewOf(tx, () => false)
  return chain.outputs(tx).flatMap(({ output }) => [...output.addresses])
}
