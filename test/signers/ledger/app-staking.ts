import {
  addressText,
  amounts,
  ascii,
  avax,
  type Cursor,
  cb58,
  dateText,
  difference,
  fixedPoint,
  type Item,
  owners,
  ParserError,
  PREFIXES,
  type Read,
  readBase,
  readOutputs,
  sha256,
  sum,
  transferItems,
  ViewError,
} from './app-fields.ts'

// Staking, subnets and L1s in the app (app/rust/src/parser/transactions/pvm). The library builds no such transactions; the
// device signs them for others.

type Validator = {
  readonly weight: bigint
  readonly node: Item
  readonly times: () => readonly Item[]
}

const nodeItem = (nodeID: Uint8Array): Item => ['Validator', `NodeID-${cb58(nodeID)}`]
const hexText = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`

function readValidator(c: Cursor): Validator {
  const node = nodeItem(c.take(20))
  const [start, end, weight] = [c.i64(), c.i64(), c.u64()]
  if (end <= start) throw new ParserError('InvalidTimestamp')
  const times = (): Item[] => [
    ['Start time', dateText(start)],
    ['End time', dateText(end)],
  ]
  return { weight, node, times }
}

/** `SubnetId::render_item`. */
function subnetItem(id: Uint8Array): Item {
  return ['SubnetID', id.every((byte) => byte === 0) ? 'Primary Subnet' : cb58(id)]
}

/** `SECPOutputOwners`. */
function readOwners(c: Cursor): {
  readonly isLocked: boolean
  readonly addresses: readonly Uint8Array[]
} {
  c.tag(0x0b)
  const { at } = c
  const isLocked = c.u64() > 0n
  c.at = at
  return { isLocked, addresses: owners(c) }
}

/** `BLSSigner`. */
function readSigner(c: Cursor): readonly Item[] {
  const type = c.u32()
  if (type === 0x1b) return []
  if (type !== 0x1c) throw new ParserError('InvalidTypeId')
  const key = c.take(48)
  c.take(96)
  return [['Signer', hexText(key)]]
}

type Staking = { readonly title: string; readonly shares?: true; readonly permissionless?: true }

function staking({ title, shares, permissionless }: Staking): Read {
  return (c, _chain, hrp) => {
    const { outputs, inputs } = readBase(c, 'P')
    const validator = readValidator(c)
    const subnet = permissionless ? [subnetItem(c.take(32))] : []
    const signer = permissionless && shares ? readSigner(c) : []
    const stake = readOutputs(c, 'P')
    if (sum(amounts(stake)) !== validator.weight) throw new ParserError('InvalidStakingAmount')
    const titles =
      permissionless && shares ? ['Valida rewards to', 'Delega rewards to'] : ['Rewards to']
    const rewards = titles.flatMap((text) =>
      readOwners(c).addresses.map((address): Item => [text, addressText(hrp, address)]),
    )
    const share = shares ? c.u32() : 0
    return {
      hidable: [
        { outputs, force: true },
        { outputs: stake, force: true },
      ],
      items: () => [
        [title, 'Transaction'],
        ...transferItems('Transfer', outputs, hrp, true),
        validator.node,
        ...subnet,
        ...validator.times(),
        ['Total stake(AVAX)', avax(validator.weight)],
        ...signer,
        ...transferItems('Stake', stake, hrp, true),
        ...rewards,
        ...(shares ? [['Delegate fee(%)', fixedPoint(BigInt(share), 4)] as const] : []),
        ['Fee(AVAX)', difference(sum(inputs), sum(amounts([...outputs, ...stake])))],
      ],
    }
  }
}

/** What a transaction shows before and behind its fee, and what it consumes besides. */
type Parts = {
  readonly before: () => readonly Item[]
  readonly behind?: readonly Item[]
  readonly consumed?: readonly bigint[]
}

function subnet(read: (c: Cursor, hrp: string) => Parts): Read {
  return (c, _chain, hrp) => {
    const { outputs, inputs } = readBase(c, 'P')
    const { before, behind = [], consumed = [] } = read(c, hrp)
    return {
      hidable: [],
      items: () => [
        ...before(),
        ['Fee(AVAX)', difference(sum(inputs), sum([...amounts(outputs), ...consumed]))],
        ...behind,
      ],
    }
  }
}

function readAuthorization(c: Cursor): void {
  c.tag(0x0a)
  c.list(() => c.u32())
}

const subnetValidator = subnet((c) => {
  const { node, times, weight } = readValidator(c)
  const subnetID = subnetItem(c.take(32))
  readAuthorization(c)
  return {
    before: () => [
      ['SubnetValidator', 'Transaction'],
      node,
      ...times(),
      ['Weight', String(weight)],
      subnetID,
    ],
  }
})

const removeSubnetValidator = subnet((c) => {
  const [node, subnetID] = [nodeItem(c.take(20)), subnetItem(c.take(32))]
  readAuthorization(c)
  return { before: () => [['RemoveSubnetValid', 'Transaction'], node, subnetID] }
})

const createChain = subnet((c) => {
  const subnetID = subnetItem(c.take(32))
  const name = ascii(c.take(c.u16()))
  const vmID = cb58(c.take(32))
  c.list(() => c.take(32))
  const genesis = c.take(c.u32())
  readAuthorization(c)
  return {
    before: () => [
      ['CreateChain', 'transaction'],
      subnetID,
      ['ChainName', name],
      ['VMID', vmID],
      ['GenesisData', Buffer.from(sha256(genesis)).toString('hex')],
    ],
  }
})

/** Counts an item for a locktime, and then looks for an address there. */
const createSubnet = subnet((c, hrp) => {
  const { isLocked, addresses } = readOwners(c)
  return {
    before: () => {
      if (isLocked) throw new ViewError('NoData')
      return [
        ['CreateSubnet', 'transaction'],
        ...addresses.map((address): Item => ['Owner address', addressText(hrp, address)]),
      ]
    },
  }
})

/** With the items of the expert mode, as in the snapshots. */
const transformSubnet = subnet((c) => {
  const subnetID = subnetItem(c.take(32))
  const assetID = cb58(c.take(32))
  const u64 = (title: string): Item => [title, String(c.u64())]
  const u32 = (title: string): Item => [title, String(c.u32())]
  const share = (title: string): Item => [title, `${fixedPoint(BigInt(c.u32()), 4)}%`]
  const behind = [
    u64('Initial supply'),
    u64('Maximum supply'),
    u64('Min consumption'),
    u64('Max consumption'),
    u64('Min valid. stake'),
    u64('Max valid. stake'),
    u32('Min stake time'),
    u32('Max stake time'),
    share('Min delegate fee'),
    u64('Min delega. stake'),
    ['Max weight fact.', String(c.u8())] as const,
    share('Uptime req.'),
  ]
  readAuthorization(c)
  return {
    before: () => [['TransformSubnet', 'Transaction'], subnetID, ['AssetId', assetID]],
    behind,
  }
})

/** `PchainOwner`. */
function readPChainOwner(c: Cursor): readonly Uint8Array[] {
  const threshold = c.u32()
  const addresses = c.list(() => c.take(20))
  if (threshold > addresses.length) throw new ParserError('InvalidThreshold')
  return addresses
}

const convertSubnet = subnet((c) => {
  if (c.take(32).every((byte) => byte === 0)) throw new ParserError('UnexpectedField')
  const chainID = c.take(32)
  const manager = c.take(c.u32())
  const validators = c.list(() => {
    // The size of the node ID.
    c.take(4)
    const node = nodeItem(c.take(20))
    c.u64()
    const balance = c.u64()
    c.take(48 + 96)
    readPChainOwner(c)
    readPChainOwner(c)
    return { node, balance }
  })
  readAuthorization(c)
  return {
    before: () => {
      if (manager.length > 32) throw new ViewError('Unknown')
      return [
        ['ConvertSubnetToL1', 'Transaction'],
        ['Chain ID', hexText(chainID)],
        ['Validator', hexText(manager)],
      ]
    },
    behind: validators.map(({ node }) => node),
    consumed: validators.map(({ balance }) => balance),
  }
})

/** `WarpMessage` with an `AddressedCall`: sizes are not used, and the rest of the message is not read. */
function readWarpPayload(c: Cursor, expected: number): void {
  const size = c.u32()
  if (size !== c.left) throw new ParserError('InvalidLength')
  const version = () => {
    if (c.u16() !== 0) throw new ParserError('InvalidCodecId')
  }
  version()
  if (!PREFIXES.has(c.u32())) throw new ParserError('InvalidNetworkId')
  c.take(32 + 4)
  version()
  c.tag(1)
  c.take(c.u32())
  c.take(4)
  version()
  const type = c.u32()
  if (type !== 1 && type !== 3) throw new ParserError('InvalidTypeId')
  if (type !== expected) throw new ViewError('NoData')
}

const registerValidator = subnet((c) => {
  const balance = c.u64()
  c.take(96)
  readWarpPayload(c, 1)
  c.take(32 + 4)
  const node = nodeItem(c.take(20))
  c.take(48 + 8)
  const [remaining, disabling] = [readPChainOwner(c), readPChainOwner(c)]
  const weight = c.u64()
  return {
    before: () => [
      ['RegisterL1Val', 'Transaction'],
      node,
      ['Weight', String(weight)],
      ['Balance (AVAX)', avax(balance)],
    ],
    behind: [
      ...remaining.map((address): Item => ['Rem Addr', hexText(address)]),
      ...disabling.map((address): Item => ['Disabler', hexText(address)]),
    ],
    consumed: [balance],
  }
})

const setWeight = subnet((c) => {
  readWarpPayload(c, 3)
  const validationID = hexText(c.take(32))
  const [nonce, weight] = [c.u64(), c.u64()]
  return {
    before: () => [
      ['SetL1ValWeight', 'Transaction'],
      ['Validator', validationID],
      ['Nonce', String(nonce)],
      ['Weight', String(weight)],
    ],
  }
})

const increaseBalance = subnet((c) => {
  const validationID = hexText(c.take(32))
  const balance = c.u64()
  return {
    before: () => [
      ['IncreaseL1ValBal', 'Transaction'],
      ['Validator', validationID],
      ['Amount(AVAX)', avax(balance)],
    ],
    consumed: [balance],
  }
})

const disableValidator = subnet((c) => {
  const validationID = hexText(c.take(32))
  readAuthorization(c)
  return {
    before: () => [
      ['DisableL1Val', 'transaction'],
      ['Validator', validationID],
    ],
  }
})

/** By type ID. */
export const STAKING_READERS: { readonly [type: number]: Read } = {
  12: staking({ title: 'AddValidator', shares: true }),
  13: subnetValidator,
  14: staking({ title: 'AddDelegator' }),
  15: createChain,
  16: createSubnet,
  23: removeSubnetValidator,
  24: transformSubnet,
  25: staking({ title: 'AddPermlessValida', shares: true, permissionless: true }),
  26: staking({ title: 'AddPermlessDelega', permissionless: true }),
  35: convertSubnet,
  36: registerValidator,
  37: setWeight,
  38: increaseBalance,
  39: disableValidator,
}
