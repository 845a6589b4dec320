import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { hashed } from '../../src/devnode/c-chain/eth-block.ts'
import { vectors } from '../helpers/vectors.ts'

type Exchange = { readonly name: string; readonly response: string }
type RecordedBlock = { readonly [name: string]: string }

const { cases } = vectors<{ cases: readonly Exchange[] }>('node-clients.json')
const recorded = cases
  .filter(
    ({ name, response }) => name.startsWith('eth_getBlockByNumber') && /"hash"/.test(response),
  )
  .map(({ name, response }) => [name, JSON.parse(response).result as RecordedBlock] as const)

const bytes = (text: string) => hex.decode(text.slice(2))

describe('blocks of the C-Chain', () => {
  it.each(recorded)('"%s" has the hash and the size of the node', (_name, block) => {
    const { hash, size } = hashed({
      number: BigInt(block.number!),
      parentHash: bytes(block.parentHash!),
      stateRoot: bytes(block.stateRoot!),
      miner: bytes(block.miner!),
      difficulty: BigInt(block.difficulty!),
      gasLimit: BigInt(block.gasLimit!),
      timeMs: BigInt(block.timestampMilliseconds!),
      extraData: bytes(block.extraData!),
      baseFee: BigInt(block.baseFeePerGas!),
      atomicGas: BigInt(block.extDataGasUsed!),
      atomicTxs: bytes(block.blockExtraData!),
      atomicTxsHash: bytes(block.extDataHash!),
      txCount: 1,
    })
    expect([`0x${hex.encode(hash)}`, `0x${size.toString(16)}`]).toEqual([block.hash, block.size])
  })

  it('are recorded before and after atomic transactions', () => {
    expect(new Set(recorded.map(([, { number }]) => number)).size).toBe(3)
  })
})
