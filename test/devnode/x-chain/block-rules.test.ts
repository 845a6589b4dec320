import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { type Block, decodeBlock, encodeBlock } from '../../../src/core/chain/x/block.ts'
import { decodeTx, type SignedTx } from '../../../src/core/chain/x/tx.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { call } from '../client.ts'
import {
  baseFields,
  inputOf,
  others,
  outputTo,
  signed,
  transfer,
  txParams,
  utxosOf,
} from '../txs.ts'

const FEE = networks.local.txFee
const NOW = 1_700_000_000
const [alice, bob] = others as [(typeof others)[0], (typeof others)[0]]
let node: DevNode
let block: Block

/** Creates a node and a block that it would accept next. */
beforeEach(async () => {
  node = await createDevNode({ now: NOW, blocks: 'manual' })
  node.fund(alice.address, 10n * FEE)
  const bytes = transfer(await utxosOf(node, alice), [outputTo(alice, 9n * FEE)])
  await call(node, 'avm.issueTx', txParams(bytes))
  const before = node.snapshot()
  block = decodeBlock(node.produceBlock())
  node.restore(before)
})
afterEach(() => node.close())

/** The code with which the node rejects the block with these changes. */
const refusal = (changes: Partial<Block>) =>
  codeOf(() => node.acceptBlock(encodeBlock({ ...block, ...changes })))

/** The block's transaction with other content, and the original signatures. */
function changed(change: Partial<SignedTx['unsignedTx']>): SignedTx {
  const { unsignedTx, credentials } = block.txs[0]!
  return { unsignedTx: { ...unsignedTx, ...change } as SignedTx['unsignedTx'], credentials }
}

describe('a block built elsewhere', () => {
  it('is accepted if it satisfies every rule', async () => {
    expect(refusal({})).toBeUndefined()
    expect(await utxosOf(node, alice)).toHaveLength(1)
    expect(codeOf(() => node.produceBlock())).toBe('NO_TRANSACTIONS')
  })

  it('is rejected with a merkle root, or too far ahead of the clock', () => {
    const root = new Uint8Array(32).fill(1)
    const later = BigInt(NOW + 11)
    expect(refusal({ merkleRoot: root, time: later, txs: [] })).toBe('BLOCK_MERKLE_ROOT')
    expect(refusal({ time: later, txs: [] })).toBe('BLOCK_TIME_FUTURE')
    expect(refusal({ time: BigInt(NOW + 10) })).toBeUndefined()
  })

  it('is rejected without transactions, or with one that violates a stateless rule', () => {
    const parentID = new Uint8Array(32)
    expect(refusal({ txs: [], parentID })).toBe('BLOCK_EMPTY')
    expect(refusal({ txs: [changed({ networkID: 1 })], parentID })).toBe('WRONG_NETWORK_ID')
  })

  it('is rejected if it does not follow the last one', () => {
    const height = block.height + 1n
    expect(refusal({ parentID: new Uint8Array(32), height })).toBe('BLOCK_PARENT_UNKNOWN')
    expect(refusal({ height, time: 0n })).toBe('BLOCK_HEIGHT')
    expect(refusal({ time: BigInt(NOW - 1) })).toBe('BLOCK_TIME_BEFORE_PARENT')
    expect(refusal({ time: BigInt(NOW) })).toBeUndefined()
  })

  it('is rejected with a transaction that violates a stateful rule', () => {
    expect(refusal({ txs: [block.txs[0]!, block.txs[0]!] })).toBe('UTXO_NOT_FOUND')
    expect(refusal({ txs: [changed({ memo: Uint8Array.of(1) })] })).toBe('WRONG_SIGNER')
  })

  it('may spend outputs of its own transactions', async () => {
    const before = node.snapshot()
    node.acceptBlock(encodeBlock(block))
    const child = decodeTx(transfer(await utxosOf(node, alice), [outputTo(bob, 8n * FEE)]))
    node.restore(before)
    expect(refusal({ txs: [child, block.txs[0]!] })).toBe('UTXO_NOT_FOUND')
    expect(refusal({ txs: [block.txs[0]!, child] })).toBeUndefined()
  })

  it('must not import a UTXO twice', () => {
    const utxos = node.exportFrom('P', { address: alice.text, amount: 5n * FEE })
    const imports = [3n, 4n].map((amount) =>
      signed(
        {
          type: 'ImportTx',
          ...baseFields([], [outputTo(bob, amount * FEE)]),
          sourceChain: networks.local.chains.P!,
          importedInputs: utxos.map(inputOf),
        },
        utxos,
      ),
    )
    expect(refusal({ txs: imports })).toBe('BLOCK_IMPORT_CONFLICT')
    expect(refusal({ txs: imports.slice(1) })).toBeUndefined()
  })
})
