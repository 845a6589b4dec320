import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { SignedTx } from '../../../src/core/chain/x/tx.ts'
import { chainTx } from '../../../src/devnode/x-chain/execute.ts'
import { MEMPOOL_SIZE, Mempool } from '../../../src/devnode/x-chain/mempool.ts'
import { codeOf } from '../../helpers/vectors.ts'

/** A transaction of a size that spends the outputs with these indices. */
function item(n: number, size: number, ...spent: number[]) {
  const tx: SignedTx = {
    unsignedTx: {
      type: 'BaseTx',
      networkID: 12345,
      blockchainID: networks.local.chainID,
      outputs: [],
      inputs: spent.map((outputIndex) => ({
        txID: new Uint8Array(32),
        outputIndex,
        assetID: networks.local.assetID,
        input: { type: 'secp256k1fx.TransferInput', amount: 1n, signatureIndices: [] },
      })),
      memo: new Uint8Array(0),
    },
    credentials: [],
  }
  const id = new Uint8Array(32)
  new DataView(id.buffer).setUint32(0, n)
  return chainTx(tx, new Uint8Array(size), id)
}

const reasonOf = (run: () => void): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

describe('Mempool', () => {
  it('accepts transactions of up to 65,536 bytes', () => {
    const pool = new Mempool()
    pool.add(item(1, 65_536))
    const large = item(2, 65_537)
    expect(reasonOf(() => pool.add(large))).toBe(
      `tx too large: ${cb58.encode(large.id)} size (65537) > max size (65536)`,
    )
  })

  it('is full at 64 MiB', () => {
    const pool = new Mempool()
    for (let n = 0; n < MEMPOOL_SIZE / 65_536 - 1; n++) pool.add(item(n, 65_536, n))
    pool.add(item(5000, 40_000, 5000))
    const last = item(5001, 25_537, 5001)
    expect(reasonOf(() => pool.add(last))).toBe(
      `mempool is full: ${cb58.encode(last.id)} size (25537) > available space (25536)`,
    )
    pool.remove(item(5000, 40_000, 5000))
    expect(codeOf(() => pool.add(last))).toBeUndefined()
  })

  it('checks size, then space, then conflicts', () => {
    const pool = new Mempool()
    pool.add(item(1, 10, 7))
    expect(codeOf(() => pool.add(item(2, 65_537, 7)))).toBe('TX_TOO_LARGE')
    expect(codeOf(() => pool.add(item(2, 10, 7)))).toBe('MEMPOOL_CONFLICT')
  })

  it('removes transactions that conflict with an accepted one', () => {
    const pool = new Mempool()
    pool.add(item(1, 10, 1, 2))
    pool.add(item(2, 10, 3))
    pool.remove(item(3, 10, 2))
    expect(pool.all().map(({ key }) => Number.parseInt(key.slice(0, 8), 16))).toEqual([2])
    expect(codeOf(() => pool.add(item(4, 10, 1)))).toBeUndefined()
  })
})
