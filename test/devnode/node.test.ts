import { afterEach, describe, expect, it, vi } from 'vitest'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { decodeBlock } from '../../src/core/chain/x/block.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import { encodeTx } from '../../src/core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../src/devnode/index.ts'
import { ChainState } from '../../src/devnode/x-chain/state.ts'
import { codeOf } from '../helpers/vectors.ts'
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
const [alice, bob] = others as [(typeof others)[0], (typeof others)[0]]
const open: DevNode[] = []

async function start(options: DevNodeOptions = {}): Promise<DevNode> {
  const node = await createDevNode({ now: 1_700_000_000, blocks: 'manual', ...options })
  open.push(node)
  return node
}

afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(open.splice(0).map((node) => node.close()))
})

/** A node on which Alice has coins of these amounts. */
async function withCoins(
  amounts: readonly bigint[],
  options: DevNodeOptions = {},
): Promise<{ node: DevNode; coins: UTXO[] }> {
  const node = await start(options)
  for (const amount of amounts) node.fund(alice.address, amount)
  const coins = await utxosOf(node, alice)
  return { node, coins: coins.sort((a, b) => Number(amountOf(a) - amountOf(b))) }
}

const issue = (node: DevNode, bytes: Uint8Array, path?: string) =>
  call<{ txID: string }>(
    node,
    path === undefined ? 'avm.issueTx' : 'wallet.issueTx',
    txParams(bytes),
    path,
  )
const walletPath = '/ext/bc/X/wallet'
const height = async (node: DevNode) =>
  (await ask<{ height: string }>(node, 'avm.getHeight')).height
const status = async (node: DevNode, bytes: Uint8Array) =>
  (await ask<{ status: string }>(node, 'avm.getTxStatus', { txID: cb58.encode(txID(bytes)) }))
    .status

describe('createDevNode', () => {
  it('starts the local network with its known IDs', async () => {
    const node = await start()
    expect(node.context).toMatchObject(networks.local)
    const [coin] = await utxosOf(node, ewoq)
    expect(amountOf(coin!)).toBe(300_000_000_000_000_000n)
  })

  it('computes the IDs of another network as its node does', async () => {
    const node = await start({ networkID: 1337 })
    expect(cb58.encode(node.context.assetID)).toBe(
      '28N55gFiYRrHWTopC4mybgvTw92x4EmWiZBLCRBgjXFyBgx9UN',
    )
    expect(cb58.encode(node.context.chainID)).toBe(
      '2huFztbeB4LijVCoLrxP8NwFbRCdtLfUyvx4VXwD5VnVxzxkMX',
    )
    const { block } = await ask<{ block: { id: string; parentID: string } }>(
      node,
      'avm.getBlockByHeight',
      { encoding: 'json' },
    )
    expect(block.id).toBe('U6MM8doyVRTnUwjbZj6UMEquvu38tXXPehfaGdsfiZmKrvJtf')
    expect(block.parentID).toBe('22hyk5maPijVoX12eRP6r8UWzz9hP6rBHgokJovpSNqQMRM2Ue')
  })

  it('accepts allocations and fees', async () => {
    const node = await start({
      allocations: [{ address: alice.text, amount: 5_000n }],
      fees: { txFee: 7n },
    })
    expect(await ask(node, 'avm.getTxFee')).toEqual({ txFee: '7', createAssetTxFee: '1000000' })
    expect((await utxosOf(node, alice)).map(amountOf)).toEqual([5_000n])
    expect(await utxosOf(node, ewoq)).toEqual([])
  })
})

describe('fund', () => {
  it('gives an amount of AVAX or of another asset, in a block of its own', async () => {
    const { node, coins } = await withCoins([5n, 10n])
    expect(coins.map(amountOf)).toEqual([5n, 10n])
    expect(await height(node)).toBe('2')
    const [fee] = await utxosOf(node, ewoq)
    const create = encodeTx(
      signed(
        {
          type: 'CreateAssetTx',
          ...baseFields([fee!], [outputTo(ewoq, amountOf(fee!) - FEE)]),
          name: 'Token',
          symbol: 'TOK',
          denomination: 0,
          initialStates: [{ fxIndex: 0, outputs: [] }],
        },
        [fee!],
      ),
    )
    await issue(node, create)
    node.produceBlock()
    const assetID = txID(create)
    node.fund([alice.text, bob.address], 77n, assetID)
    const token = (await utxosOf(node, bob)).map(({ assetID: id, output }) => ({
      id: hex.encode(id),
      addresses: output.addresses.length,
    }))
    expect(token).toEqual([{ id: hex.encode(assetID), addresses: 2 }])
  })

  it('rejects an unknown asset and changes nothing', async () => {
    const node = await start()
    const before = node.stateDigest()
    expect(codeOf(() => node.fund(alice.text, 1n, new Uint8Array(32).fill(1)))).toBe('BAD_OPTION')
    expect(node.stateDigest()).toEqual(before)
  })
})

describe('exportFrom', () => {
  it('creates UTXOs that can be imported', async () => {
    const node = await start()
    const utxos = node.exportFrom('C', { address: alice.text, amount: 3n * FEE })
    const tx = {
      type: 'ImportTx' as const,
      ...baseFields([], [outputTo(bob, 2n * FEE)]),
      sourceChain: networks.local.chains.C!,
      importedInputs: utxos.map(inputOf),
    }
    expect((await issue(node, encodeTx(signed(tx, utxos)))).error).toBeUndefined()
    node.produceBlock()
    expect((await utxosOf(node, bob)).map(amountOf)).toEqual([2n * FEE])
    const page = await ask<{ numFetched: string }>(node, 'avm.getUTXOs', {
      addresses: [alice.text],
      sourceChain: 'C',
    })
    expect(page.numFetched).toBe('0')
  })
})

describe('issueTx', () => {
  it('adds to the mempool, with no effect before its block', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const tx = transfer(coins, [outputTo(bob, 9n * FEE)])
    expect((await issue(node, tx)).result).toEqual({ txID: cb58.encode(txID(tx)) })
    expect(await status(node, tx)).toBe('Unknown')
    expect(await utxosOf(node, alice)).toHaveLength(1)
    const block = decodeBlock(node.produceBlock({ time: 1_700_000_005 }))
    expect(block.time).toBe(1_700_000_005n)
    expect(await status(node, tx)).toBe('Accepted')
    expect((await utxosOf(node, bob)).map(amountOf)).toEqual([9n * FEE])
    const again = await issue(node, tx)
    expect(again.error?.message).toMatch(
      /^failed to verify transfer: failed to get utxo \w+: not found$/,
    )
  })

  it('rejects a conflict with a pending transaction, and remembers that', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const first = transfer(coins, [outputTo(bob, 9n * FEE)])
    const rival = transfer(coins, [outputTo(bob, 8n * FEE)])
    await issue(node, first)
    const refusal = `tx conflicts with other tx: ${cb58.encode(txID(rival))}`
    expect((await issue(node, rival)).error?.message).toBe(refusal)
    expect((await issue(node, first)).error).toBeUndefined()
    node.produceBlock()
    expect((await issue(node, rival)).error?.message).toBe(refusal)
    node.restart()
    expect((await issue(node, rival)).error?.message).toMatch(/failed to get utxo/)
  })

  it('forgets a rejection after 64 others', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const parent = transfer(coins, [outputTo(alice, 9n * FEE)])
    const unborn = { txID: txID(parent), outputIndex: 0, ...outputTo(alice, 9n * FEE) } as UTXO
    const child = transfer([unborn], [outputTo(bob, 8n * FEE)])
    await issue(node, child)
    await issue(node, parent)
    node.produceBlock()
    const refuseOthers = async (count: number, label: string) => {
      for (let i = 0; i < count; i++)
        await issue(node, transfer([unborn], [], `${label} ${i}${'x'.repeat(256)}`))
    }
    await refuseOthers(63, 'a')
    expect((await issue(node, child)).error?.message).toMatch(/not found/)
    await refuseOthers(64, 'b')
    expect((await issue(node, child)).error).toBeUndefined()
  })

  it('remembers nothing with remembersDrops false', async () => {
    const { node, coins } = await withCoins([10n * FEE], { remembersDrops: false })
    const parent = transfer(coins, [outputTo(alice, 9n * FEE)])
    const born = { txID: txID(parent), outputIndex: 0, ...outputTo(alice, 9n * FEE) } as UTXO
    const child = transfer([born], [outputTo(bob, 8n * FEE)])
    expect((await issue(node, child)).error?.message).toMatch(/not found/)
    await issue(node, parent)
    node.produceBlock()
    expect((await issue(node, child)).error).toBeUndefined()
  })

  it('unlocks at the locktime, by the clock of the node', async () => {
    const node = await start({ remembersDrops: false })
    const [utxo] = node.exportFrom('P', {
      address: alice.text,
      amount: 3n * FEE,
      locktime: 1_700_000_100n,
    })
    const tx = encodeTx(
      signed(
        {
          type: 'ImportTx',
          ...baseFields([], [outputTo(bob, FEE)]),
          sourceChain: networks.local.chains.P!,
          importedInputs: [inputOf(utxo!)],
        },
        [utxo!],
      ),
    )
    node.setTime(1_700_000_099)
    expect((await issue(node, tx)).error?.message).toBe('output is time locked')
    node.setTime(1_700_000_100n)
    expect((await issue(node, tx)).error).toBeUndefined()
  })
})

describe('wallet.issueTx', () => {
  /** Each spends what the one before it made. */
  function chainOf(coin: UTXO, length: number): Uint8Array[] {
    const txs: Uint8Array[] = []
    let last = coin
    for (let i = 0; i < length; i++) {
      const output = outputTo(alice, amountOf(last) - FEE)
      txs.push(transfer([last], [output]))
      last = { txID: txID(txs.at(-1)!), outputIndex: 0, ...output } as UTXO
    }
    return txs
  }

  it('issues dependent transactions, one per block', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const txs = chainOf(coins[0]!, 3)
    for (const tx of txs) expect((await issue(node, tx, walletPath)).error).toBeUndefined()
    for (const tx of txs) {
      node.produceBlock()
      expect(await status(node, tx)).toBe('Accepted')
    }
  })

  it('answers with an ID for an invalid transaction, and continues after it', async () => {
    const { node, coins } = await withCoins([10n * FEE, 20n * FEE])
    const unsigned = baseFields([coins[0]!], [])
    const foreign = encodeTx(signed({ type: 'BaseTx', ...unsigned, networkID: 1 }, [coins[0]!]))
    const good = transfer([coins[1]!], [outputTo(bob, FEE)])
    const bystander = transfer([coins[0]!], [outputTo(bob, 2n * FEE)], 'bystander')
    expect((await issue(node, foreign, walletPath)).result).toEqual({
      txID: cb58.encode(txID(foreign)),
    })
    expect((await issue(node, good, walletPath)).error).toBeUndefined()
    expect(codeOf(() => node.produceBlock())).toBe('NO_TRANSACTIONS')
    node.produceBlock()
    expect(await status(node, good)).toBe('Accepted')
    expect((await issue(node, foreign)).error?.message).toBe('tx has wrong network ID')
    expect((await issue(node, bystander)).error).toBeUndefined()
  })

  it('ignores remembered rejections', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const [parent, child] = chainOf(coins[0]!, 2) as [Uint8Array, Uint8Array]
    await issue(node, child)
    await issue(node, parent)
    expect((await issue(node, child, walletPath)).error).toBeUndefined()
    const block = decodeBlock(node.produceBlock())
    expect(block.txs).toHaveLength(2)
  })
})

describe('blocks', () => {
  it('are produced for every transaction in auto mode', async () => {
    const { node, coins } = await withCoins([10n * FEE], { blocks: 'auto' })
    const tx = transfer(coins, [outputTo(bob, 9n * FEE)])
    await issue(node, tx)
    expect(await status(node, tx)).toBe('Accepted')
  })

  it('are produced once a second in real mode', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { node, coins } = await withCoins([10n * FEE, 11n * FEE, 12n * FEE], { blocks: 'real' })
    const [a, b, c] = coins.map((coin) => transfer([coin], [outputTo(bob, FEE)])) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    await issue(node, a)
    expect(await status(node, a)).toBe('Unknown')
    await vi.advanceTimersByTimeAsync(1)
    expect(await status(node, a)).toBe('Accepted')
    await issue(node, b)
    await issue(node, c)
    await vi.advanceTimersByTimeAsync(900)
    expect(await status(node, b)).toBe('Unknown')
    await vi.advanceTimersByTimeAsync(100)
    expect([await status(node, b), await status(node, c)]).toEqual(['Accepted', 'Accepted'])
  })

  it('are the same bytes for the same transactions, order, time and parent', async () => {
    const make = async () => {
      const { node, coins } = await withCoins([10n * FEE, 11n * FEE])
      const txs = coins.map((coin) => transfer([coin], [outputTo(bob, FEE)]))
      for (const tx of txs) await issue(node, tx)
      return hex.encode(
        node.produceBlock({ time: 1_700_000_003n, txIDs: txs.map((tx) => txID(tx)).reverse() }),
      )
    }
    expect(await make()).toBe(await make())
  })

  it('contain at most 128 KiB, in the order of arrival', async () => {
    const { node, coins } = await withCoins([1n, 2n, 3n, 4n].map((n) => n * 1000n * FEE))
    const large = coins.slice(0, 3).map((coin) =>
      transfer(
        [coin],
        Array.from({ length: 620 }, () => outputTo(bob, 1000n)),
      ),
    )
    const small = transfer([coins[3]!], [outputTo(bob, FEE)])
    for (const tx of [...large, small]) expect((await issue(node, tx)).error).toBeUndefined()
    expect(large[0]!.length).toBeGreaterThan(49_000)
    expect(decodeBlock(node.produceBlock()).txs).toHaveLength(2)
    expect(decodeBlock(node.produceBlock()).txs).toHaveLength(2)
  })

  it('are rejected with a time before their parent', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    await issue(node, transfer(coins, [outputTo(bob, FEE)]))
    expect(codeOf(() => node.produceBlock({ time: 1_600_000_000 }))).toBe(
      'BLOCK_TIME_BEFORE_PARENT',
    )
    expect(codeOf(() => node.produceBlock({ txIDs: [new Uint8Array(32)] }))).toBe('TX_NOT_PENDING')
    expect(decodeBlock(node.produceBlock()).txs).toHaveLength(1)
  })
})

describe('acceptBlock', () => {
  it('accepts blocks of another node in order, and no others', async () => {
    const { node, coins } = await withCoins([10n * FEE])
    const twin = await start()
    await issue(node, transfer(coins, [outputTo(bob, FEE)]))
    const second = node.produceBlock()
    expect(codeOf(() => twin.acceptBlock(second))).toBe('BLOCK_PARENT_UNKNOWN')
    const first = await ask<{ block: string }>(node, 'avm.getBlockByHeight', {
      height: 1,
      encoding: 'hexnc',
    })
    expect(codeOf(() => twin.acceptBlock(hex.decode(first.block)))).toBe('ATOMIC_UTXO_NOT_FOUND')
    const { importedInputs } = decodeBlock(hex.decode(first.block)).txs[0]!.unsignedTx as Extract<
      ReturnType<typeof decodeBlock>['txs'][0]['unsignedTx'],
      { type: 'ImportTx' }
    >
    twin.addAtomicUTXOs(
      networks.local.chains.P!,
      importedInputs.map(({ txID: id, outputIndex, assetID, input }) =>
        encodeUTXO({
          txID: id,
          outputIndex,
          assetID,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: input.amount,
            locktime: 0n,
            threshold: 0,
            addresses: [],
          },
        }),
      ),
    )
    twin.acceptBlock(hex.decode(first.block))
    twin.acceptBlock(second)
    expect(twin.stateDigest()).toEqual(node.stateDigest())
  })
})

describe('snapshot', () => {
  it('restores state, pending transactions and rejections', async () => {
    const { node, coins } = await withCoins([10n * FEE, 20n * FEE])
    const [a, b] = coins.map((coin) => transfer([coin], [outputTo(bob, FEE)])) as [
      Uint8Array,
      Uint8Array,
    ]
    await issue(node, a)
    const snapshot = node.snapshot()
    const digest = node.stateDigest()
    for (let round = 0; round < 2; round++) {
      await issue(node, b)
      expect(decodeBlock(node.produceBlock()).txs).toHaveLength(2)
      node.restore(snapshot)
      expect(node.stateDigest()).toEqual(digest)
      expect(await status(node, a)).toBe('Unknown')
    }
    expect(decodeBlock(node.produceBlock()).txs).toHaveLength(1)
    expect([await status(node, a), await status(node, b)]).toEqual(['Accepted', 'Unknown'])
    expect((await utxosOf(node, alice)).map(amountOf).sort()).toEqual([20n * FEE])
  })
})

describe('ChainState', () => {
  it('is copied with any number of blocks', () => {
    const state = new ChainState()
    const { blocks } = state as unknown as { readonly blocks: Uint8Array[] }
    for (let i = 0; i < 200_000; i++) blocks.push(new Uint8Array())
    expect((state.clone() as unknown as { readonly blocks: Uint8Array[] }).blocks).toEqual(blocks)
  })
})
