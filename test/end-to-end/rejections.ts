import { describe, expect, it } from 'vitest'
import { hashToSign, type TransferableInput } from '../../src/codec.ts'
import { cb58, encodeTx, formatID, hex, type KeyChain, utxoID } from '../../src/index.ts'
import { IssueError } from '../../src/node/index.ts'
import { failureOf, type TestAccount, type TestEnvironment } from './environment.ts'
import { forge, type Payment, paymentIn, withSignatures } from './forge.ts'

/** The order of the curve. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A signature with high s, which recovers the same key but which the chain rejects. */
function mirrored(signature: Uint8Array): Uint8Array {
  const text = hex.encode(signature)
  const s = (N - BigInt(`0x${text.slice(64, 128)}`)).toString(16).padStart(64, '0')
  return hex.decode(`${text.slice(0, 64)}${s}0${1 - signature[64]!}`)
}

function signatureOf(tx: Payment, keys: KeyChain): Uint8Array {
  return keys.sign(keys.addresses[0]!, hashToSign(tx))
}

function withInput(tx: Payment, change: Partial<TransferableInput['input']>): Payment {
  return { ...tx, inputs: tx.inputs.map((one) => ({ ...one, input: { ...one.input, ...change } })) }
}

/** Increases the amount of the recipient. */
function withMore(tx: Payment, amount: bigint): Payment {
  const [first, ...rest] = tx.outputs
  const output = { ...first!.output, amount: first!.output.amount + amount }
  return { ...tx, outputs: [{ ...first!, output }, ...rest] }
}

/** A way to make a valid transaction invalid, and the expected error of the node. */
type Fault = {
  readonly name: string
  readonly spoil: (tx: Payment, owner: TestAccount, other: TestAccount) => Uint8Array
  readonly code: string
  readonly class: string
  readonly words: (tx: Payment, owner: TestAccount, other: TestAccount) => string
}

const T = 'failed to verify transfer: '

/** Codes of this library, and messages as recorded from nodes. */
const FAULTS: readonly Fault[] = [
  {
    name: 'a fee that is one unit short',
    spoil: (tx, { keys }) => forge(withMore(tx, 1n), keys),
    code: 'INSUFFICIENT_FUNDS',
    class: 'rebuild',
    words: () => 'insufficient funds',
  },
  {
    name: 'another network',
    spoil: (tx, { keys }) => forge({ ...tx, networkID: tx.networkID + 1 }, keys),
    code: 'WRONG_NETWORK_ID',
    class: 'give-up',
    words: () => 'tx has wrong network ID',
  },
  {
    name: 'another chain',
    spoil: (tx, { keys }) => forge({ ...tx, blockchainID: new Uint8Array(32).fill(7) }, keys),
    code: 'WRONG_CHAIN_ID',
    class: 'give-up',
    words: () => 'tx has wrong chain ID',
  },
  {
    name: 'a memo that is one byte too long',
    spoil: (tx, { keys }) => forge({ ...tx, memo: new Uint8Array(257) }, keys),
    code: 'MEMO_TOO_LARGE',
    class: 'give-up',
    words: () => 'memo exceeds maximum length: 257 > 256',
  },
  {
    name: 'outputs in the wrong order',
    spoil: (tx, { keys }) => forge({ ...tx, outputs: tx.outputs.toReversed() }, keys),
    code: 'OUTPUTS_NOT_SORTED',
    class: 'give-up',
    words: () => 'outputs not sorted',
  },
  {
    name: 'no credential',
    spoil: (tx) => encodeTx({ unsignedTx: tx, credentials: [] }),
    code: 'WRONG_NUMBER_OF_CREDENTIALS',
    class: 'give-up',
    words: () => 'wrong number of credentials: 0 != 1',
  },
  {
    name: 'more than the coin holds',
    spoil: (tx, { keys }) =>
      forge(withInput(tx, { amount: tx.inputs[0]!.input.amount + 5n }), keys),
    code: 'MISMATCHED_AMOUNTS',
    class: 'rebuild',
    words: ({ inputs }) => {
      const { amount } = inputs[0]!.input
      return `${T}utxo amount and input amount are not equal: ${amount} != ${amount + 5n}`
    },
  },
  {
    name: 'no signature',
    spoil: (tx) => withSignatures(withInput(tx, { signatureIndices: [] }), []),
    code: 'TOO_FEW_SIGNERS',
    class: 'give-up',
    words: () => `${T}input has less signers than expected`,
  },
  {
    name: 'a signer who is no owner',
    spoil: (tx, { keys }) => forge(withInput(tx, { signatureIndices: [1] }), keys),
    code: 'SIG_INDEX_OUT_OF_BOUNDS',
    class: 'give-up',
    words: () => `${T}input referenced a nonexistent address in the output`,
  },
  {
    name: 'the signature of somebody else',
    spoil: (tx, _, { keys }) => forge(tx, keys),
    code: 'WRONG_SIGNER',
    class: 'give-up',
    words: (_, owner, other) =>
      `${T}wrong signature: expected signature from ${cb58.encode(owner.bytes)} ` +
      `but got from ${cb58.encode(other.bytes)}`,
  },
  {
    name: 'a signature of zeros',
    spoil: (tx) => withSignatures(tx, [new Uint8Array(65)]),
    code: 'SIG_INVALID',
    class: 'give-up',
    words: () => `${T}invalid signature`,
  },
  {
    name: 'the other form of a signature',
    spoil: (tx, { keys }) => withSignatures(tx, [mirrored(signatureOf(tx, keys))]),
    code: 'SIG_HIGH_S',
    class: 'give-up',
    words: () => `${T}signature was mutated from its original format`,
  },
]

/** Transactions that the node rejects, and how its messages are classified. */
export function rejectionTests(env: () => TestEnvironment): void {
  describe('a transaction that the node rejects', () => {
    it('is classified by its error, and its UTXO stays spendable', async () => {
      const { client, fee, funding } = env()
      const owner = env().fundedAccount()
      const other = env().newAccount()
      const wallet = env().wallet(owner)
      const { draft } = await wallet.prepare.transfer({ to: other.address, amount: fee })
      const tx = paymentIn(draft)
      for (const fault of FAULTS) {
        const failure = await failureOf(client.issueTx(fault.spoil(tx, owner, other)))
        expect(failure, fault.name).toBeInstanceOf(IssueError)
        const { code, class: leaves, nodeMessage, status, remembered } = failure as IssueError
        expect({ code, class: leaves, nodeMessage, status, remembered }, fault.name).toEqual({
          code: fault.code,
          class: fault.class,
          nodeMessage: fault.words(tx, owner, other),
          status: 'rejected',
          remembered: true,
        })
      }
      await env().accepted(await wallet.submit(forge(tx, owner.keys)))
      expect(await env().balance(other)).toBe(fee)
      expect(await env().balance(owner)).toBe(funding - 2n * fee)
    })

    it('spends a UTXO twice', async () => {
      const { client, fee, funding } = env()
      const owner = env().fundedAccount()
      const other = env().newAccount()
      const wallet = env().wallet(owner)
      const { draft } = await wallet.prepare.transfer({ to: other.address, amount: fee })
      const tx = paymentIn(draft)
      await env().accepted(await wallet.submit(forge(tx, owner.keys)))
      const [{ txID, outputIndex }] = tx.inputs as [TransferableInput]
      const again = forge({ ...tx, memo: new TextEncoder().encode('again') }, owner.keys)
      const failure = await failureOf(client.issueTx(again))
      expect(failure).toBeInstanceOf(IssueError)
      expect(failure).toMatchObject({
        code: 'UTXO_NOT_FOUND',
        class: 'rebuild',
        status: 'rejected',
        nodeMessage: `${T}failed to get utxo ${formatID(utxoID(txID, outputIndex))}: not found`,
      })
      expect(await env().balance(other)).toBe(fee)
      expect(await env().balance(owner)).toBe(funding - 2n * fee)
    })

    it('conflicts with another one, whichever is accepted', async () => {
      const { client, fee, funding } = env()
      const owner = env().fundedAccount()
      const rivals = [env().newAccount(), env().newAccount()]
      const txs: Uint8Array[] = []
      for (const { address } of rivals) {
        const { draft } = await env().wallet(owner).prepare.transfer({ to: address, amount: fee })
        txs.push(forge(draft.unsignedTx, owner.keys))
      }
      // Both may be answered with success; then the loser vanishes, and sending it again says why.
      const ends = await Promise.allSettled(
        txs.map(async (bytes) => {
          await client.issueTx(bytes)
          return client.waitForTx(bytes, { timeoutMs: 60_000, resendMs: 1_500 })
        }),
      )
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
      const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
      expect(won).toHaveLength(1)
      await env().accepted(won[0]!)
      expect(lost[0]).toBeInstanceOf(IssueError)
      expect(lost[0]).toMatchObject({ class: 'rebuild', status: 'rejected' })
      expect(['UTXO_NOT_FOUND', 'MEMPOOL_CONFLICT']).toContain(lost[0].code)
      const received = await Promise.all(rivals.map((rival) => env().balance(rival)))
      expect(received.toSorted()).toEqual([0n, fee])
      expect(await env().balance(owner)).toBe(funding - 2n * fee)
    })
  })
}
