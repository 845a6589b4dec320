import { describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { createdUTXOs } from '../../../src/core/chain/x/created.ts'
import type { TransferableOutput } from '../../../src/core/chain/x/transferables.ts'
import type { SignedTx } from '../../../src/core/chain/x/tx.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { ChainView } from '../../../src/node/view/view.ts'
import { fixedAddresses } from '../../../src/wallet/accounts/own-addresses.ts'
import { LiveUTXOs } from '../../../src/wallet/utxos/live-utxos.ts'
import { virtualClock } from '../../helpers/virtual-clock.ts'
import {
  blockServer,
  blocksFrom,
  blocksOf,
  clientOf,
  failure,
  listServer,
  ordersOf,
  utxoOf,
} from '../../node/view/fake-servers.ts'

/** A server that changes while a test runs. */
type Role = {
  /** The height that it reports. */
  readonly height: bigint
  /** Height of the last block that it shows. */
  readonly shows: bigint
  readonly utxos: readonly UTXO[]
  readonly isDown?: boolean
}

function liveOver(roles: Role[], chain = blocksOf(200)) {
  const clock = virtualClock()
  let walks = 0
  const spends: SignedTx[] = []
  const requireUp = ({ isDown }: Role) => {
    if (isDown) throw failure()
  }
  const servers = roles.map((_, i) => ({
    ...listServer({
      height: () => {
        requireUp(roles[i]!)
        return roles[i]!.height
      },
      async *pages() {
        requireUp(roles[i]!)
        walks++
        yield roles[i]!.utxos
      },
    }),
    ...blockServer((height, call) => {
      requireUp(roles[i]!)
      return height <= roles[i]!.shows ? blocksFrom(chain)(height, call) : undefined
    }, clock),
  }))
  const client = clientOf(servers)
  const live = new LiveUTXOs({
    client,
    chain: new ChainView({ client, clock, quorum: 2 }),
    clock,
    own: fixedAddresses([new Uint8Array(20).fill(7)]),
    searchFrom: () => undefined,
    onReset: () => {},
    onCaughtUp: async () => {},
    onSpend: (tx) => spends.push(tx),
    onBlock: async () => {},
  })
  return { live, clock, spends, walks: () => walks }
}

/** A transaction that pays the wallet with some outputs. */
function txOf(utxos: readonly UTXO[], count: number): SignedTx {
  const { networkID, chainID: blockchainID } = networks.local
  const inputs = utxos.map(({ txID, outputIndex, assetID }) => {
    const input = { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [0] } as const
    return { txID, outputIndex, assetID, input }
  })
  const outputs = Array.from(
    { length: count },
    (_, i) => utxoOf(1, BigInt(i + 1)) as TransferableOutput,
  )
  const memo = new Uint8Array()
  const base = { networkID, blockchainID, outputs, inputs, memo }
  return { unsignedTx: { type: 'BaseTx', ...base }, credentials: [] }
}

const REAL = [1, 2, 3].map((id) => utxoOf(id))

describe('LiveUTXOs with a quorum of 2', () => {
  it('goes on while one server is behind and one withholds the blocks that it reports', async () => {
    const honest = { height: 100n, shows: 100n, utxos: REAL }
    const withholds = { height: 100n, shows: 90n, utxos: REAL }
    const behind = { height: 90n, shows: 90n, utxos: REAL }
    for (const order of ordersOf<Role>([honest, withholds, behind])) {
      const { live, clock, walks } = liveOver(order)
      await live.sync()
      const before = walks()
      expect(live.nextHeight).toBeLessThanOrEqual(93n)
      clock.advance(20_000)
      await live.sync()
      expect([live.set.size(), walks()]).toEqual([3, before])
      order.splice(order.indexOf(behind), 1, { height: 120n, shows: 120n, utxos: REAL })
      await live.sync()
      expect(live.nextHeight).toBe(101n)
    }
  })

  it('does not have what withheld blocks spend that the lists include', async () => {
    const chain = blocksOf(200)
    const include = (height: number, tx: SignedTx) => {
      const { block, blockID } = chain[height]!
      chain[height] = { block: { ...block, txs: [tx] }, blockID }
      return createdUTXOs(tx)
    }
    const [spent, left, told] = include(93, txOf([], 3)) as [UTXO, UTXO, UTXO]
    const [change] = include(97, txOf([spent], 1)) as [UTXO]
    const honest = { height: 100n, shows: 100n, utxos: [...REAL, change] }
    const withholds = { ...honest, shows: 94n }
    const behind = { height: 94n, shows: 94n, utxos: [...REAL, spent, left, told] }
    const roles: Role[] = [honest, withholds, behind]
    const { live, spends } = liveOver(roles, chain)
    await live.sync()
    expect([live.nextHeight, live.has(spent), live.has(left)]).toEqual([95n, false, false])
    live.spend([told])
    roles[2] = { ...honest, utxos: behind.utxos }
    await live.sync()
    expect(live.nextHeight).toBe(101n)
    const isIn = [spent, left, told, change].map((one) => live.has(one))
    expect(isIn).toEqual([false, true, false, true])
    expect(spends).toEqual([chain[97]!.block.txs[0]])
    live.rewind(93n)
    roles[2] = behind
    await live.sync({}, 60_000)
    expect([live.nextHeight, live.has(spent), live.has(left)]).toEqual([95n, false, true])
  })

  for (const count of [3, 1_200])
    it(`finds one of ${count} UTXOs that was disputed once another server decides`, async () => {
      const all = Array.from({ length: count }, (_, i) => ({ ...utxoOf(1), outputIndex: i }))
      const at = { height: 100n, shows: 100n }
      const honest = { ...at, utxos: all }
      const roles: Role[] = [{ ...at, utxos: all.slice(1) }, honest, { ...honest, isDown: true }]
      const { live, clock } = liveOver(roles)
      await live.sync()
      expect([live.set.size(), live.disputed.length]).toEqual([count - 1, 1])
      roles[2] = honest
      clock.advance(61_000)
      await live.sync()
      expect([live.set.size(), live.disputed.length]).toEqual([count, 0])
    })

  it('forgets a dispute about a UTXO that does not exist', async () => {
    const at = { height: 100n, shows: 100n }
    const honest = { ...at, utxos: REAL }
    const lies = { ...at, utxos: [...REAL, utxoOf(9)] }
    const roles: Role[] = [lies, honest, { ...honest, isDown: true }]
    const { live, clock } = liveOver(roles)
    await live.sync()
    expect(live.disputed).toHaveLength(1)
    roles[2] = honest
    clock.advance(61_000)
    await live.sync()
    expect([live.set.size(), live.disputed.length]).toEqual([3, 0])
  })
})
