import { equalBytes } from '../../core/base/bytes/compare.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { AssetSums } from '../../core/chain/amounts.ts'
import { knownNetwork, type NetworkContext, networks } from '../../core/chain/networks.ts'
import { aliasOf, type Chain, NEW_ASSET } from '../../core/sign/chain.ts'
import { type AttributedOutput, spentOutputs, viewOwnership } from '../../core/sign/ownership.ts'
import type { PolicyFinding, PolicySubject } from '../../core/sign/policy.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import type { SumLimit } from '../../core/sign/sums.ts'
import {
  type Burns,
  burnsOf,
  type TxView,
  viewTx,
  warningAmountText,
} from '../../core/sign/warnings.ts'
import { type OpenAddressBook, recipientKey } from './address-book.ts'
import type { OpenVault } from './vault.ts'

/** The rules of a policy, with everything that its file names read. */
export type Rules = {
  readonly networkID: number
  readonly vaults: readonly OpenVault[]
  /** Undefined if everyone may be paid; without a book nobody may. */
  readonly recipients: { readonly book: OpenAddressBook | undefined } | undefined
  /** By the hex of the asset ID; undefined for no maximum, null for any amount. Other assets have the maximum 0. */
  readonly maximum: ReadonlyMap<string, bigint | null> | undefined
  readonly sums: readonly SumLimit[]
  readonly maxFee: bigint | undefined
  readonly chains: readonly string[] | undefined
  readonly transactions: readonly string[] | undefined
  /** Hex of the IDs of known assets; undefined if the policy names none. */
  readonly assets: ReadonlySet<string> | undefined
}

/** A transaction as the rules see it: derived from its bytes. */
type Judged = {
  readonly chain: Chain
  /** Whose IDs are built in for the public networks, whatever a draft or request claims. */
  readonly network: NetworkContext
  readonly view: TxView
  /** Outputs that do not return. */
  readonly paid: readonly AttributedOutput[]
  readonly burns: Burns
}

/** Everything that the rules have against a transaction, refusals first. */
export function judge(rules: Rules, subject: PolicySubject): PolicyFinding[] {
  const chain = chainNamed(subject.chain)
  const { unsignedTx, utxos, certain, ours, accounts } = subject
  const isPublic = rules.networkID !== networks.local.networkID
  const network = (isPublic ? knownNetwork(rules.networkID) : undefined) ?? subject.network
  const view = viewTx(chain, unsignedTx)
  const { outputs } = viewOwnership(
    spentOutputs(chain, view.spends, utxos, certain),
    view.outputs,
    { addresses: ours, accounts, vaults: rules.vaults.flatMap(({ allOwners }) => allOwners) },
  )
  const paid = outputs.filter(({ ownership }) => ownership === 'payment')
  const judged = { chain, network, view, paid, burns: burnsOf(view, network) }
  return [
    ...networkRule(rules, judged),
    ...chainRule(rules, judged),
    ...typeRule(rules, judged),
    ...vaultRule(rules, judged),
    ...recipientRule(rules, judged),
    ...maximumRule(rules, judged),
    ...feeRule(rules, judged),
    ...assetRule(rules, judged),
    ...sumRule(rules, judged),
  ]
}

function refusal(code: PolicyFinding['code'], message: string, path = ''): PolicyFinding {
  return { code, message, path, danger: true }
}

function networkRule({ networkID }: Rules, { view: { tx } }: Judged): PolicyFinding[] {
  return tx.networkID === networkID
    ? []
    : [
        refusal(
          'POLICY_NETWORK',
          `is for network ${tx.networkID}, the policy for ${networkID}`,
          'networkID',
        ),
      ]
}

/** The chain of the transaction, and the one that it imports from or exports to. */
function chainRule({ chains }: Rules, { chain, network, view: { tx } }: Judged): PolicyFinding[] {
  const id = chain.idIn(network)
  if (id === undefined || !equalBytes(tx.blockchainID, id))
    return [
      refusal(
        'POLICY_CHAIN',
        `is for chain ${formatID(tx.blockchainID)}, which is not the ${chain.alias}-Chain`,
        'blockchainID',
      ),
    ]
  if (chains === undefined) return []
  const others = [
    'sourceChain' in tx ? tx.sourceChain : undefined,
    'destinationChain' in tx ? tx.destinationChain : undefined,
  ].flatMap((other) => (other === undefined ? [] : [aliasOf(other, network) ?? formatID(other)]))
  return [chain.alias, ...others]
    .filter((alias) => !chains.includes(alias))
    .map((alias) => refusal('POLICY_CHAIN', `the policy does not allow the chain ${alias}`))
}

function typeRule({ transactions }: Rules, { view: { tx } }: Judged): PolicyFinding[] {
  return transactions === undefined || transactions.includes(tx.type)
    ? []
    : [refusal('POLICY_TYPE', `the policy does not allow a transaction of type ${tx.type}`)]
}

function keyOf({ output, isAccount }: AttributedOutput): string {
  return recipientKey(output.threshold, output.addresses, isAccount === true)
}

/** The name of the recipient of an output; a lock makes it something else than what the book lists. */
function recipientOf({ recipients }: Rules, item: AttributedOutput): string | undefined {
  if (item.output.locktime !== 0n || item.stakeableLocktime !== 0n) return undefined
  return recipients?.book?.byKey.get(keyOf(item))
}

/** Outputs with another threshold, fewer owners or a lock look like the vault at first sight. */
function vaultRule(rules: Rules, { paid }: Judged): PolicyFinding[] {
  const names = new Map<string, string>()
  for (const { name, allOwners } of rules.vaults)
    for (const { addresses } of allOwners)
      for (const address of addresses) names.set(hex.encode(address), name)
  return paid.flatMap((item) => {
    const { output, outputIndex, isAccount } = item
    if (isAccount || recipientOf(rules, item) !== undefined) return []
    const shared = output.addresses.flatMap((address) => names.get(hex.encode(address)) ?? [])
    if (shared.length === 0) return []
    const path = `output ${outputIndex}`
    const owners = `${output.threshold} of ${output.addresses.length} owners`
    const lock = output.locktime > 0n || item.stakeableLocktime > 0n ? ', locked' : ''
    return [
      refusal(
        'POLICY_VAULT',
        `${path} has ${shared.length} owners of the vault "${shared[0]}", but is not the vault (${owners}${lock})`,
        path,
      ),
    ]
  })
}

function recipientRule(rules: Rules, { paid }: Judged): PolicyFinding[] {
  const { recipients } = rules
  if (recipients === undefined) return []
  return paid.flatMap((item) => {
    if (recipientOf(rules, item) !== undefined) return []
    const path = `output ${item.outputIndex}`
    const reason =
      recipients.book === undefined
        ? 'someone, and the policy was read without its address book'
        : 'someone who is not in the address book'
    return [refusal('POLICY_RECIPIENT', `${path} pays ${reason}`, path)]
  })
}

/** What leaves or is destroyed of an asset may be limited over time, which a single transaction does not show. */
function sumRule({ sums }: Rules, { network, paid, burns }: Judged): PolicyFinding[] {
  const leaves = new AssetSums(burns.beyondFee)
  for (const { assetID, output } of paid)
    if (assetID !== NEW_ASSET && output.type === 'secp256k1fx.TransferOutput')
      leaves.add(assetID, output.amount)
  return sums
    .filter(({ assetID }) => leaves.get(assetID) > 0n)
    .map((limit) =>
      refusal(
        'UNCHECKED_SUM',
        `the policy allows ${warningAmountText(limit, network)} within ${limit.seconds} s, and this signer does not know earlier payments`,
      ),
    )
}

/** Sums over all outputs that do not return, and what is destroyed in addition to the fee. */
function maximumRule({ maximum }: Rules, { network, view, paid, burns }: Judged): PolicyFinding[] {
  if (maximum === undefined) return []
  const refusals: PolicyFinding[] = []
  const sums = new AssetSums()
  const limitOf = (assetID: Uint8Array): bigint | null => {
    const limit = assetID === NEW_ASSET ? undefined : maximum.get(hex.encode(assetID))
    // Assets that are not listed must not be paid.
    return limit === undefined ? 0n : limit
  }
  const noAmount = (assetID: Uint8Array, what: string, path: string) => {
    if (limitOf(assetID) === null) return
    refusals.push(refusal('POLICY_MAXIMUM', `${what}, which no maximum covers`, path))
  }
  for (const { output, outputIndex, assetID } of paid) {
    const path = `output ${outputIndex}`
    if (output.type !== 'secp256k1fx.TransferOutput')
      noAmount(assetID, `${path} gives away a right, an NFT or a property`, path)
    else if (assetID === NEW_ASSET)
      refusals.push(
        refusal('POLICY_MAXIMUM', `${path} pays the new asset, which no maximum covers`, path),
      )
    else sums.add(assetID, output.amount)
  }
  for (const { assetID, amount } of burns.beyondFee) sums.add(assetID, amount)
  if (view.tx.type === 'OperationTx')
    for (const { assetID, operation } of view.tx.operations)
      if (operation.type === 'propertyfx.BurnOperation')
        noAmount(assetID, 'destroys a property', '')
  for (const sum of sums.list()) {
    const limit = limitOf(sum.assetID)
    if (limit === null || sum.amount <= limit) continue
    const text = (amount: bigint) => warningAmountText({ ...sum, amount }, network)
    refusals.push(
      refusal(
        'POLICY_MAXIMUM',
        `pays or destroys ${text(sum.amount)}, the maximum is ${text(limit)}`,
      ),
    )
  }
  return refusals
}

/** All of the native asset that is destroyed: on the P- and C-Chain everything that is burned is the fee. */
function feeRule({ maxFee }: Rules, { network, burns }: Judged): PolicyFinding[] {
  if (maxFee === undefined || burns.native <= maxFee) return []
  const { assetID } = network
  const text = (amount: bigint) => warningAmountText({ assetID, amount }, network)
  return [
    refusal('POLICY_FEE', `destroys ${text(burns.native)}, the maximum fee is ${text(maxFee)}`),
  ]
}

function assetRule({ assets }: Rules, { network, view }: Judged): PolicyFinding[] {
  if (assets === undefined) return []
  const native = hex.encode(network.assetID)
  const found = new Map<string, Uint8Array>()
  for (const { assetID } of [...view.spends, ...view.outputs])
    if (assetID !== NEW_ASSET) found.set(hex.encode(assetID), assetID)
  return [...found]
    .filter(([name]) => name !== native && !assets.has(name))
    .map(([, id]) => refusal('UNKNOWN_ASSET', `the policy does not list the asset ${formatID(id)}`))
}
