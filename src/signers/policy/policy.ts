import {
  argument,
  bigintFrom,
  type Check,
  capability,
  integerFrom,
  invalid,
  list,
  located,
  type Members,
  object,
  oneOf,
  optional,
  record,
  text,
} from '../../core/base/argument.ts'
import { parseAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, parseID } from '../../core/base/encoding/ids.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { networkIDNumber } from '../../core/chain/networks.ts'
import { digestOfParts } from '../../core/sign/digest.ts'
import type { AssetDetails, Explanation } from '../../core/sign/explain/explanation.ts'
import type { SigningPolicy } from '../../core/sign/policy.ts'
import type { SumLimit } from '../../core/sign/sums.ts'
import { type BookRule, readAddressBook } from './address-book.ts'
import { PolicyError } from './errors.ts'
import { baseUnits, expectedHRP, name, readFile } from './read-file.ts'
import { judge, type Rules } from './rules.ts'
import { policySums } from './sums.ts'
import {
  indicesOf,
  type OpenVault,
  openVault,
  type RegisteredVault,
  vaultMembers,
} from './vault.ts'

const FORMAT = 'avmkit-policy'

/** Limit of the owners of all vaults of a policy; each address of an `xpub…` takes about 1 ms. */
const MAX_OWNERS = 20_000

/** Limit of the sums of a policy. */
const MAX_SUMS = 100

/** Longest time of a sum, ten years. */
const MAX_SECONDS = 315_360_000

/** The most of an asset that a policy allows within a time. */
export type SumRule = {
  /** ID in cb58. */
  readonly assetID: string
  /** In the smallest unit of the asset. */
  readonly amount: bigint
  /** Length of the period; every period of this length counts, not only calendar days. */
  readonly seconds: number
}

/** What a signer allows. A rule that is absent allows everything. */
export type PolicyRules = {
  readonly name: string
  /** The network that the policy is for. */
  readonly networkID: number
  /**
   * Vaults whose outputs count as returned. If there are any, nothing else does, not even outputs to the signer's own
   * keys.
   *
   * @defaultValue none: keys and spent UTXOs decide
   */
  readonly vaults?: readonly RegisteredVault[] | undefined
  /** Only recipients of an address book that this key has signed may be paid. */
  readonly addressBook?: BookRule | undefined
  /**
   * The most that one transaction may pay and destroy, fee excluded: base units by asset ID in cb58, or `any`. Other
   * assets must not be paid. Rights, NFTs and properties have no amount, so only `any` allows to give them away.
   */
  readonly maximum?: { readonly [assetID: string]: bigint | 'any' } | undefined
  /**
   * The most that all transactions together may pay and destroy within a time, fees excluded. Wallets with a store check it;
   * for other signers it is the danger `UNCHECKED_SUM`.
   */
  readonly sums?: readonly SumRule[] | undefined
  /** The most of the native asset that one transaction may destroy, fee included, in nAVAX. */
  readonly maxFee?: bigint | undefined
  /** Chains of transactions, and chains that they import from or export to. */
  readonly chains?: readonly ChainAlias[] | undefined
  /** Types of transactions. */
  readonly transactions?: readonly Explanation['type'][] | undefined
  /** Known assets by ID in cb58; others are the danger `UNKNOWN_ASSET`. The native asset is always known. */
  readonly assets?: { readonly [assetID: string]: AssetDetails } | undefined
}

/** Assets by ID, each read with `check`. The ID is canonical, so that no asset can be listed twice. */
function byAsset<T>(check: Check<T>): Check<{ readonly [assetID: string]: T }> {
  const items = record(check)
  return (value, at) => {
    const found = items(value, at)
    for (const id of Object.keys(found))
      located({ ...at, path: `${at.path}.${id}` }, () => parseID(id))
    return found
  }
}

const TYPES = ['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx'] as const

function members(amount: Check<bigint>): Members<PolicyRules> {
  return {
    name,
    networkID: networkIDNumber,
    vaults: optional(list(object<RegisteredVault>(vaultMembers))),
    addressBook: optional(object<BookRule>({ signer: text, atLeast: optional(integerFrom(1)) })),
    maximum: optional(
      byAsset<bigint | 'any'>((value, at) => (value === 'any' ? value : amount(value, at))),
    ),
    sums: optional(
      list(
        object<SumRule>({
          assetID: (value, at) => located(at, () => formatID(parseID(text(value, at)))),
          amount,
          seconds: integerFrom(1, MAX_SECONDS),
        }),
      ),
    ),
    maxFee: optional(amount),
    chains: optional(list(oneOf<ChainAlias>('X', 'P', 'C'))),
    transactions: optional(list(oneOf<Explanation['type']>(...TYPES))),
    assets: optional(
      byAsset(object<AssetDetails>({ symbol: name, denomination: integerFrom(0, 32) })),
    ),
  }
}

/** A policy that was read from a file. */
export type ParsedPolicy = SigningPolicy & {
  /** What the file says. */
  readonly rules: PolicyRules
  /** The registered vaults, with their checksums and owners. */
  readonly registered: readonly OpenVault[]
}

/** Options of {@link parsePolicy}. */
export type ParsePolicyOptions = {
  /** Text of the address book; required to pay anyone if the policy names a key that signs it. */
  readonly addressBook?: string | undefined
  /** The checksum that the policy must have, as an earlier explanation has shown it. */
  readonly checksum?: string | undefined
}

const parseOptions: Check<ParsePolicyOptions> = /* @__PURE__ */ object<ParsePolicyOptions>({
  addressBook: optional(text),
  checksum: optional(text),
})

/**
 * Reads the policy of a signer from a file. Pass it as `policy` to explanations, signing, wallets and custody: what it
 * refuses is not signed, whatever the request or the caller accepts.
 *
 * @throws PolicyError, ArgumentError
 *
 * @example
 * const policy = parsePolicy(readFileSync('policy.json', 'utf8'))
 * const result = signDraft(buildTransfer({ context, funds, outputs }), keys, { policy })
 */
export function parsePolicy(file: string, givenOptions: ParsePolicyOptions = {}): ParsedPolicy {
  const options = argument('parsePolicy', givenOptions, parseOptions)
  return openPolicy('parsePolicy', readFile(file, FORMAT, members(baseUnits)), options)
}

const rulesArgument: Check<PolicyRules> = (value, at) =>
  object<PolicyRules>(members(bigintFrom(0n, 0xffff_ffff_ffff_ffffn)))(value, at)

/**
 * Formats a policy as the file that `parsePolicy` reads.
 *
 * @throws ArgumentError, PolicyError
 */
export function formatPolicy(given: PolicyRules): string {
  const rules = argument('formatPolicy', given, rulesArgument)
  const { registered } = openPolicy('formatPolicy', rules, {})
  const vaults = registered.map((vault) => {
    const { name: title, threshold, members: who, checksum } = vault
    return { name: title, threshold, members: who, ...indicesOf(vault), checksum }
  })
  const contents = { ...canonical(rules), ...(vaults.length > 0 && { vaults }) }
  return `${JSON.stringify({ format: FORMAT, version: 1, ...contents }, undefined, 2)}\n`
}

function openPolicy(call: string, rules: PolicyRules, options: ParsePolicyOptions): ParsedPolicy {
  const { networkID, vaults = [], addressBook: rule, maximum, sums = [], assets } = rules
  const registered = vaults.map((vault, i) =>
    openVault(vault, networkID, { call, path: `vaults[${i}]` }),
  )
  if (new Set(registered.map((vault) => vault.name)).size < registered.length)
    throw new PolicyError('FILE_MALFORMED', 'two vaults have the same name', { path: 'vaults' })
  if (registered.reduce((sum, { allOwners }) => sum + allOwners.length, 0) > MAX_OWNERS)
    throw new PolicyError('FILE_MALFORMED', `vaults with more than ${MAX_OWNERS} owners`, {
      path: 'vaults',
    })
  if (sums.length > MAX_SUMS || new Set(sums.map(sumName)).size < sums.length)
    throw new PolicyError(
      'FILE_MALFORMED',
      `expected at most ${MAX_SUMS} sums, one for each asset and time`,
      { path: 'sums' },
    )
  if (rule !== undefined)
    located({ call, path: 'addressBook.signer' }, () =>
      parseAddress(rule.signer, expectedHRP(networkID)),
    )
  const checksum = policyChecksum(rules, registered)
  if (options.checksum !== undefined && options.checksum !== checksum)
    throw new PolicyError('FILE_CHECKSUM', `the policy has the checksum ${checksum}`, {
      hint: 'it is not the one that was explained',
    })
  if (rule === undefined && options.addressBook !== undefined)
    throw new PolicyError('BOOK_POLICY', 'the policy names no key for an address book')
  const book =
    rule === undefined || options.addressBook === undefined
      ? undefined
      : readAddressBook(options.addressBook, { name: rules.name, networkID, rule })
  const limits = sums.map((sum): SumLimit => ({ ...sum, assetID: parseID(sum.assetID) }))
  const checked: Rules = {
    networkID,
    vaults: registered,
    recipients: rule && { book },
    maximum:
      maximum &&
      new Map(
        Object.entries(maximum).map(([id, most]) => [
          hex.encode(parseID(id)),
          most === 'any' ? null : most,
        ]),
      ),
    sums: limits,
    maxFee: rules.maxFee,
    chains: rules.chains,
    transactions: rules.transactions,
    assets: assets && new Set(Object.keys(assets).map((id) => hex.encode(parseID(id)))),
  }
  const policy: SigningPolicy = {
    name: rules.name,
    checksum,
    addressBook: book && { edition: book.edition, checksum: book.checksum },
    vaults: registered.flatMap(({ allOwners }) => allOwners),
    assets: assets ?? {},
    judge: (subject) => judge(checked, subject),
  }
  return Object.freeze({
    ...policy,
    ...(limits.length > 0 && { sums: policySums(limits, policy) }),
    rules,
    registered,
  } satisfies ParsedPolicy)
}

function sumName({ assetID, seconds }: SumRule): string {
  return `${assetID} ${seconds}`
}

/** The rules as JSON has them, in one order. */
function canonical({ vaults: _, ...rules }: PolicyRules): object {
  const sorted = <T, U>(items: { readonly [id: string]: T }, map: (item: T) => U) =>
    Object.fromEntries(
      Object.keys(items)
        .sort()
        .map((id) => [formatID(parseID(id)), map(items[id]!)]),
    )
  const { addressBook, maximum, sums, maxFee, chains, transactions, assets } = rules
  return {
    name: rules.name,
    networkID: rules.networkID,
    ...(addressBook && { addressBook }),
    ...(maximum && { maximum: sorted(maximum, String) }),
    ...(sums && {
      sums: sums
        .map(({ assetID, amount, seconds }) => ({ assetID, amount: `${amount}`, seconds }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    }),
    ...(maxFee !== undefined && { maxFee: `${maxFee}` }),
    ...(chains && { chains: chains.toSorted() }),
    ...(transactions && { transactions: transactions.toSorted() }),
    ...(assets && { assets: sorted(assets, (details) => details) }),
  }
}

/** Covers everything that the policy says, however its file is laid out. */
function policyChecksum(rules: PolicyRules, registered: readonly OpenVault[]): string {
  const vaults = registered.map(({ name: title, checksum }) => [title, checksum]).sort()
  const parts = [`${FORMAT} 1`, JSON.stringify(canonical(rules)), JSON.stringify(vaults)]
  return digestOfParts(parts.map((part) => new TextEncoder().encode(part)))
}

const parsedPolicy: Check<ParsedPolicy> = (value, at) => {
  const policy = capability<ParsedPolicy>('a policy of parsePolicy', 'judge')(value, at)
  if (!Array.isArray(policy.registered)) throw invalid(value, at, 'a policy of parsePolicy')
  return policy
}

/**
 * A registered vault by its name.
 *
 * @throws PolicyError `VAULT_UNKNOWN`
 */
export function vaultNamed(policy: ParsedPolicy, givenName: string): OpenVault {
  const { registered } = argument('vaultNamed', policy, parsedPolicy, 'policy')
  const title = argument('vaultNamed', givenName, text, 'name')
  const found = registered.find((vault) => vault.name === title)
  if (found !== undefined) return found
  const names = registered.map((vault) => `"${vault.name}"`).join(', ')
  throw new PolicyError('VAULT_UNKNOWN', `the policy does not register the vault "${title}"`, {
    hint: names === '' ? 'it registers none' : `it registers ${names}`,
  })
}
