import { formatAmount } from '../../core/base/encoding/amount.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import {
  type TransferableOutput,
  transferableInput,
  transferableOutput,
} from '../../core/chain/p/transferables.ts'
import type { FieldReader } from './field-reader.ts'
import {
  amountOf,
  fee,
  type IsChange,
  item,
  type LedgerScreen,
  requireCount,
  requireMemo,
  requireThreshold,
  stakeableItems,
  transferOf,
  unsupported,
} from './items.ts'
import {
  hexText,
  isZero,
  PROOF_SIZE,
  PUBLIC_KEY_SIZE,
  percent,
  readAddresses,
  readNode,
  readOwners,
  readSigner,
  readSizedNode,
  readSubnet,
  readValidator,
  readWarpPayload,
  skipAuthorization,
} from './staking-fields.ts'

// Transactions of the P-Chain that the library does not build: staking, subnets and L1s. They are read as far as the app
// reads them (app/rust/src/parser/transactions/pvm at 1.4.4), and no further: what it does not show is skipped.

/** The bytes of a transaction behind the ID of its chain, and what else decides about the review. */
export type Subject = {
  readonly fields: FieldReader
  readonly hrp: string
  readonly isChange: IsChange
  /** Whether the app is in expert mode. */
  readonly isExpert: boolean
}

type Review = (subject: Subject) => readonly LedgerScreen[]

type Base = { readonly outputs: readonly TransferableOutput[]; readonly inputs: readonly bigint[] }

function readBase({ fields }: Subject): Base {
  const outputs = readOutputs(fields, 'outputs')
  const inputs = fields.list(transferableInput).map(amountOf)
  requireMemo(fields.blob())
  return { outputs, inputs }
}

function readOutputs(fields: FieldReader, path: string): readonly TransferableOutput[] {
  const outputs = fields.list(transferableOutput)
  requireCount(outputs, path)
  outputs.map(transferOf).forEach(requireThreshold)
  return outputs
}

/** The fee, and what else the transaction consumes without an output. */
function feeItem({ inputs, outputs }: Base, ...consumed: readonly bigint[]): LedgerScreen {
  const amounts = consumed.map((amount) => ({ amount }))
  return fee('Fee(AVAX)', inputs, [...outputs.map(transferOf), ...amounts])
}

/** `AddValidatorTx`, `AddDelegatorTx` and the two that need no permission of a subnet. */
/* @__NO_SIDE_EFFECTS__ */
function staking(title: string, isValidator: boolean, isPermissionless: boolean): Review {
  return (subject) => {
    const { fields, hrp, isChange } = subject
    const base = readBase(subject)
    const validator = readValidator(fields)
    const subnet = isPermissionless ? [readSubnet(fields)] : []
    const signer = isPermissionless && isValidator ? readSigner(fields) : []
    const stake = readOutputs(fields, 'stake')
    const owners = (title: string) => readOwners(fields, title, hrp)
    const rewards =
      isPermissionless && isValidator
        ? [...owners('Valida rewards to'), ...owners('Delega rewards to')]
        : owners('Rewards to')
    const shares = isValidator ? [item('Delegate fee(%)', percent(fields.u32()))] : []
    const staked = stake.map(transferOf)
    if (staked.reduce((sum, { amount }) => sum + amount, 0n) !== validator.weight)
      throw unsupported('the stake is not the weight of the validator', 'stake')
    return [
      item(title, 'Transaction'),
      ...stakeableItems('Transfer', base.outputs, hrp, isChange, true),
      validator.node,
      ...subnet,
      ...validator.times,
      item('Total stake(AVAX)', formatAmount(validator.weight)),
      ...signer,
      ...stakeableItems('Stake', stake, hrp, isChange, true),
      ...rewards,
      ...shares,
      feeItem(base, ...staked.map(({ amount }) => amount)),
    ]
  }
}

const addSubnetValidator: Review = (subject) => {
  const { fields } = subject
  const base = readBase(subject)
  const { node, times, weight } = readValidator(fields)
  const subnet = readSubnet(fields)
  skipAuthorization(fields)
  return [
    item('SubnetValidator', 'Transaction'),
    node,
    ...times,
    item('Weight', String(weight)),
    subnet,
    feeItem(base),
  ]
}

const removeSubnetValidator: Review = (subject) => {
  const { fields } = subject
  const base = readBase(subject)
  const shown = [readNode(fields), readSubnet(fields)]
  skipAuthorization(fields)
  return [item('RemoveSubnetValid', 'Transaction'), ...shown, feeItem(base)]
}

const createChain: Review = (subject) => {
  const { fields } = subject
  const base = readBase(subject)
  const subnet = readSubnet(fields)
  const name = fields.text()
  if (/[^\0-\x7f]/.test(name)) throw unsupported('the app shows ASCII only', 'chainName')
  const vm = formatID(fields.id())
  fields.list((io, id: Uint8Array) => io.id(id))
  const genesis = fields.blob()
  skipAuthorization(fields)
  return [
    item('CreateChain', 'transaction'),
    subnet,
    item('ChainName', name),
    item('VMID', vm),
    item('GenesisData', hex.encode(sha256(genesis))),
    feeItem(base),
  ]
}

const createSubnet: Review = (subject) => {
  const base = readBase(subject)
  const owners = readOwners(subject.fields, 'Owner address', subject.hrp, false)
  return [item('CreateSubnet', 'transaction'), ...owners, feeItem(base)]
}

const transformSubnet: Review = (subject) => {
  const { fields, isExpert } = subject
  const base = readBase(subject)
  const subnet = readSubnet(fields)
  const asset = item('AssetId', formatID(fields.id()))
  const number = (title: string) => item(title, String(fields.u64()))
  const seconds = (title: string) => item(title, String(fields.u32()))
  const share = (title: string) => item(title, `${percent(fields.u32())}%`)
  const details = [
    number('Initial supply'),
    number('Maximum supply'),
    number('Min consumption'),
    number('Max consumption'),
    number('Min valid. stake'),
    number('Max valid. stake'),
    seconds('Min stake time'),
    seconds('Max stake time'),
    share('Min delegate fee'),
    number('Min delega. stake'),
    item('Max weight fact.', String(fields.u8())),
    share('Uptime req.'),
  ]
  skipAuthorization(fields)
  const shown = [item('TransformSubnet', 'Transaction'), subnet, asset, feeItem(base)]
  return isExpert ? [...shown, ...details] : shown
}

const convertSubnetToL1: Review = (subject) => {
  const { fields } = subject
  const base = readBase(subject)
  if (isZero(fields.id()))
    throw unsupported('the app refuses to convert the primary network', 'subnetID')
  const chain = hexText(fields.id())
  const manager = fields.blob()
  if (manager.length > 32) throw unsupported('the app shows 32 bytes of an address', 'address')
  const nodes: LedgerScreen[] = []
  const balances: bigint[] = []
  for (let count = fields.u32(); count > 0; count--) {
    nodes.push(readSizedNode(fields))
    fields.u64()
    balances.push(fields.u64())
    fields.bytes(PUBLIC_KEY_SIZE + PROOF_SIZE)
    readAddresses(fields)
    readAddresses(fields)
  }
  skipAuthorization(fields)
  return [
    item('ConvertSubnetToL1', 'Transaction'),
    item('Chain ID', chain),
    // The title is that of the app.
    item('Validator', hexText(manager)),
    feeItem(base, ...balances),
    ...nodes,
  ]
}

const registerL1Validator: Review = (subject) => {
  const { fields } = subject
  const base = readBase(subject)
  const balance = fields.u64()
  fields.bytes(PROOF_SIZE)
  const message = readWarpPayload(fields, 1)
  message.id()
  const node = readSizedNode(message)
  message.bytes(PUBLIC_KEY_SIZE)
  message.u64()
  const remaining = readAddresses(message)
  const disabling = readAddresses(message)
  const weight = message.u64()
  return [
    item('RegisterL1Val', 'Transaction'),
    node,
    item('Weight', String(weight)),
    item('Balance (AVAX)', formatAmount(balance)),
    feeItem(base, balance),
    ...remaining.map((address) => item('Rem Addr', hexText(address))),
    ...disabling.map((address) => item('Disabler', hexText(address))),
  ]
}

const setL1ValidatorWeight: Review = (subject) => {
  const base = readBase(subject)
  const message = readWarpPayload(subject.fields, 3)
  return [
    item('SetL1ValWeight', 'Transaction'),
    item('Validator', hexText(message.id())),
    item('Nonce', String(message.u64())),
    item('Weight', String(message.u64())),
    feeItem(base),
  ]
}

const increaseL1ValidatorBalance: Review = (subject) => {
  const base = readBase(subject)
  const id = hexText(subject.fields.id())
  const balance = subject.fields.u64()
  return [
    item('IncreaseL1ValBal', 'Transaction'),
    item('Validator', id),
    item('Amount(AVAX)', formatAmount(balance)),
    feeItem(base, balance),
  ]
}

const disableL1Validator: Review = (subject) => {
  const base = readBase(subject)
  const id = hexText(subject.fields.id())
  skipAuthorization(subject.fields)
  return [item('DisableL1Val', 'transaction'), item('Validator', id), feeItem(base)]
}

/** By type ID. */
const REVIEWS: ReadonlyMap<number, Review> = /* @__PURE__ */ new Map<number, Review>([
  [12, staking('AddValidator', true, false)],
  [13, addSubnetValidator],
  [14, staking('AddDelegator', false, false)],
  [15, createChain],
  [16, createSubnet],
  [23, removeSubnetValidator],
  [24, transformSubnet],
  [25, staking('AddPermlessValida', true, true)],
  [26, staking('AddPermlessDelega', false, true)],
  [35, convertSubnetToL1],
  [36, registerL1Validator],
  [37, setL1ValidatorWeight],
  [38, increaseL1ValidatorBalance],
  [39, disableL1Validator],
])

/** The review of a type of transactions of the P-Chain; undefined for types that the app or this library cannot read. */
export function stakingReview(typeID: number): Review | undefined {
  return REVIEWS.get(typeID)
}
