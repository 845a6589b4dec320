import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { compareInputs, compareOutputs } from '../../src/core/chain/x/order.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { decodeUTXO, encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { runs } from '../helpers/runs.ts'
import { ask, call } from './client.ts'
import {
  amountOf,
  baseFields,
  ewoq,
  inputOf,
  others,
  outputTo,
  signed,
  transfer,
  txParams,
  utxosOf,
} from './txs.ts'

const FEE = networks.local.txFee
const GENESIS_TOTAL = 310_000_000_000_000_000n
const UNREACHABLE = 10_000_000_000_000_000n
const people = [ewoq, ...others]
const P = networks.local.chains.P!

/** A random action; numbers select among what exists. */
type Step = {
  readonly kind: 'transfer' | 'export' | 'import' | 'block'
  readonly who: number
  readonly to: number
  readonly share: number
  readonly burned: number
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('transfer', 'transfer', 'export', 'import', 'block'),
    who: fc.nat(3),
    to: fc.nat(3),
    share: fc.integer({ min: 1, max: 100 }),
    burned: fc.nat(1000),
  }),
  { maxLength: 12 },
)

/** Executes the actions on a node. Returns the amounts that were exported, imported and burned. */
async function run(node: DevNode, list: readonly Step[]): Promise<{ flow: bigint }> {
  let flow = 0n
  let pendingFlow = 0n
  const produce = () => {
    node.produceBlock()
    flow += pendingFlow
    pendingFlow = 0n
  }
  for (const step of [...list, { kind: 'block' } as Step]) {
    if (step.kind === 'block') {
      if (pendingFlow !== 0n) produce()
      continue
    }
    const owner = people[step.who]!
    const burned = FEE + BigInt(step.burned)
    let bytes: Uint8Array
    let change: bigint
    if (step.kind === 'import') {
      const amount = burned + BigInt(step.share) * 1000n
      const utxos = node.exportFrom('P', { address: owner.address, amount })
      bytes = encodeTx(
        signed(
          {
            type: 'ImportTx',
            ...baseFields([], [outputTo(people[step.to]!, amount - burned)]),
            sourceChain: P,
            importedInputs: utxos.map(inputOf),
          },
          utxos,
        ),
      )
      change = amount - burned
    } else {
      const [coin] = await utxosOf(node, owner)
      if (coin === undefined || amountOf(coin) <= burned + 100n) continue
      const left = amountOf(coin) - burned
      const sent = (left * BigInt(step.share)) / 101n || 1n
      const outputs = [outputTo(people[step.to]!, sent), outputTo(owner, left - sent)]
      if (step.kind === 'transfer') {
        bytes = transfer([coin], outputs)
        change = -burned
      } else {
        const tx = {
          type: 'ExportTx' as const,
          ...baseFields([coin], [outputs[1]!]),
          destinationChain: P,
          exportedOutputs: [outputs[0]!],
        }
        bytes = encodeTx(signed(tx, [coin]))
        change = -burned - sent
      }
    }
    const { error } = await call(node, 'avm.issueTx', txParams(bytes))
    // Spending the same UTXO twice before a block is rejected; nothing else may fail.
    if (error === undefined) pendingFlow += change
    else expect(error.message).toMatch(/^tx conflicts with other tx: /)
  }
  return { flow }
}

async function total(node: DevNode): Promise<bigint> {
  const utxos = await utxosOf(node, ...people)
  return utxos.reduce((sum, utxo) => sum + amountOf(utxo), UNREACHABLE)
}

describe('a development node', () => {
  test.prop([steps], runs(25))('conserves value', async (list) => {
    const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
    const { flow } = await run(node, list)
    expect(await total(node)).toBe(GENESIS_TOTAL + flow)
    await node.close()
  })

  test.prop([steps], runs(15))('has the same state after replaying its blocks', async (list) => {
    const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
    const exported: Uint8Array[] = []
    const exportFrom = node.exportFrom.bind(node)
    node.exportFrom = (chain, ...recipients) => {
      const utxos = exportFrom(chain, ...recipients)
      exported.push(...utxos.map(encodeUTXO))
      return utxos
    }
    await run(node, list)
    const twin = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
    twin.addAtomicUTXOs(P, exported)
    const { height } = await ask<{ height: string }>(node, 'avm.getHeight')
    for (let i = 1; i <= Number(height); i++) {
      const { block } = await ask<{ block: string }>(node, 'avm.getBlockByHeight', {
        height: i,
        encoding: 'hexnc',
      })
      twin.acceptBlock(hex.decode(block))
    }
    expect(twin.stateDigest()).toEqual(node.stateDigest())
    await Promise.all([node.close(), twin.close()])
  })

  test.prop([fc.nat(), fc.integer({ min: 1, max: 255 })], runs(150))(
    'rejects a transaction with any changed byte',
    async (position, change) => {
      const { node, bytes } = await acceptable
      const changed = bytes.slice()
      changed[position % bytes.length]! ^= change
      const { error } = await call(node, 'avm.issueTx', txParams(changed))
      expect(error?.code).toBe(-32000)
      const snapshot = node.snapshot()
      expect((await call(node, 'avm.issueTx', txParams(bytes))).error).toBeUndefined()
      node.restore(snapshot)
    },
  )

  const owners = fc.uniqueArray(fc.uint8Array({ minLength: 20, maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
    selector: (address) => hex.encode(address),
  })

  test.prop(
    [owners, fc.array(fc.nat(31), { maxLength: 40 }), fc.integer({ min: 2, max: 9 }), fc.boolean()],
    runs(60),
  )(
    'returns every UTXO to a client that follows its pages',
    async (addresses, masks, limit, atomic) => {
      const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
      const expected = new Set<string>()
      masks.forEach((mask, i) => {
        const chosen = addresses.filter((_, k) => (mask >> k) & 1)
        if (chosen.length === 0) return
        const amount = BigInt(i + 1)
        if (atomic)
          for (const utxo of node.exportFrom('C', { address: chosen, amount }))
            expected.add(idOf(utxo))
        else node.fund(chosen, amount)
      })
      const found = new Set<string>()
      let startIndex: { address: string; utxo: string } | undefined
      // Pages of shared UTXOs may repeat themselves, so their number is bounded generously.
      for (let pages = 0; pages < 500; pages++) {
        const page: Page = await ask<Page>(node, 'avm.getUTXOs', {
          addresses: addresses.map((address) =>
            formatAddress({ chain: 'X', hrp: 'local', address }),
          ),
          limit,
          encoding: 'hexnc',
          startIndex,
          ...(atomic ? { sourceChain: 'C' } : {}),
        })
        for (const text of page.utxos) found.add(idOf(decodeUTXO(hex.decode(text))))
        if (Number(page.numFetched) < limit) break
        expect(page.endIndex).not.toEqual(startIndex)
        startIndex = page.endIndex
      }
      const count = masks.filter((mask) => addresses.some((_, k) => (mask >> k) & 1)).length
      expect(found.size).toBe(count)
      if (atomic) expect(found).toEqual(expected)
      await node.close()
    },
  )
})

type Page = {
  readonly numFetched: string
  readonly utxos: readonly string[]
  readonly endIndex: { readonly address: string; readonly utxo: string }
}

const idOf = (utxo: UTXO): string => `${hex.encode(utxo.txID)}:${utxo.outputIndex}`

/** A node and a transaction with a memo and two signers that it would accept. */
const acceptable: Promise<{ node: DevNode; bytes: Uint8Array }> = (async () => {
  const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
  node.fund(others[0]!.address, 5n * FEE)
  const coins = (await utxosOf(node, ewoq, others[0]!)).sort(compareInputs)
  const outputs = [outputTo(others[1]!, 3n * FEE), outputTo(ewoq, 7n)].sort(compareOutputs)
  return { node, bytes: transfer(coins, outputs, 'change me') }
})()
