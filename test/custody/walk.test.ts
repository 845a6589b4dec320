import { describe, expect, it } from 'vitest'
import { createdUTXOs } from '../../src/core/chain/x/created.ts'
import { txID as idOf } from '../../src/core/chain/x/ids.ts'
import { encodeTx, type SignedTx } from '../../src/core/chain/x/tx.ts'
import { walkUTXOs } from '../../src/custody/chain/walk-pages.ts'
import type { CallOptions, NodeClient } from '../../src/node/index.ts'
import { ChainView } from '../../src/node/view/view.ts'
import { virtualClock } from '../helpers/virtual-clock.ts'
import {
  clientOf,
  fakeClient,
  notFound,
  ordersOf,
  pageOf,
  silence,
} from '../node/view/fake-servers.ts'

const address = new Uint8Array(20).fill(7)
const tx: SignedTx = {
  unsignedTx: {
    type: 'BaseTx',
    networkID: 1,
    blockchainID: new Uint8Array(32),
    outputs: [
      {
        assetID: new Uint8Array(32),
        output: {
          type: 'secp256k1fx.TransferOutput',
          amount: 5n,
          locktime: 0n,
          threshold: 1,
          addresses: [address],
        },
      },
    ],
    inputs: [],
    memo: new Uint8Array(),
  },
  credentials: [],
}
const txID = idOf(encodeTx(tx))
const deposit = createdUTXOs(tx, txID)

type Role = {
  readonly height: bigint
  /** Whether it lists the deposit, from the first or from a later walk on. */
  readonly lists: (walk: number) => boolean
  readonly getTx?: (call: CallOptions) => Promise<SignedTx>
}

async function walked(roles: readonly Role[]) {
  const clock = virtualClock()
  const events: string[] = []
  const servers: NodeClient[] = roles.map(({ height, lists, getTx }) => {
    let walks = 0
    return fakeClient({
      avm: {
        getHeight: async () => height,
        getTx: async (_: object, call: CallOptions) => {
          if (getTx !== undefined) return getTx(call)
          if (height < 995n) throw notFound('avm.getTx')
          return tx
        },
      },
      async *utxoPages() {
        yield pageOf(lists(++walks) ? deposit : [])
      },
    })
  })
  const chain = new ChainView({ client: clientOf(servers), clock, quorum: 2 })
  const log = async (_: string, event: string) => {
    events.push(event)
  }
  return { ...(await walkUTXOs({ chain, log }, [address], {}, clock)), events, clock }
}

const honest: Role = { height: 1_000n, lists: () => true }
const behind: Role = { height: 990n, lists: () => false }

describe('walkUTXOs', () => {
  it('begins no higher than the servers whose lists it takes', async () => {
    // The deposit is in block 995. With a liar, a server that is behind decides that it is not listed.
    for (const order of ordersOf([honest, behind, { height: 1_000n, lists: () => false }])) {
      const { utxos, height } = await walked(order)
      expect(utxos).toEqual([])
      expect(height).toBeLessThanOrEqual(990n)
    }
  })

  it('waits for servers that are behind', async () => {
    const late: Role = { height: 1_000n, lists: (walk) => walk > 2 }
    const hides: Role = { height: 2n ** 62n, lists: () => false }
    const far: Role = { height: 100n, lists: () => false }
    for (const [order, isFound] of [
      [[honest, late], true],
      [[late, honest], true],
      [[honest, hides, far], false],
    ] as const) {
      const { utxos, events } = await walked(order)
      expect([utxos.length, events.length]).toEqual(isFound ? [1, 0] : [0, 1])
    }
  })

  it('finds proofs although a server hangs or denies them', async () => {
    for (const getTx of [silence, () => Promise.reject(notFound('avm.getTx'))])
      for (const order of ordersOf<Role>([honest, { ...honest, getTx }, honest])) {
        const { utxos, events, clock } = await walked(order)
        expect([utxos, events]).toEqual([deposit, []])
        expect(clock.slept()).toBeLessThan(2_000)
      }
  })
})
