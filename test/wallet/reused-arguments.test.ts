import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { hex } from '../../src/core/base/encoding/hex.ts'
import type { KeyChain } from '../../src/core/crypto/keychain.ts'
import type { OutputArgument } from '../../src/core/draft/arguments.ts'
import { requireSigned } from '../../src/core/sign/job.ts'
import { signDraft } from '../../src/core/sign/sign.ts'
import { balanceOf, fee, people, type Scene, scene } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]

/** Bytes as callers have them. A Buffer has a `slice` that does not copy; the last ones are of another realm. */
const kinds: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  Uint8Array: (bytes) => new Uint8Array(bytes),
  Buffer: (bytes) => Buffer.from(bytes),
  'part of a Buffer': (bytes) => Buffer.concat([Buffer.alloc(3), bytes]).subarray(3),
  'Uint8Array of another realm': (bytes) =>
    runInNewContext('Uint8Array.from(list)', { list: [...bytes] }),
}

/** Two signed payments of the same size, which spend the same UTXO. */
async function twoSigned({ wallet }: Scene): Promise<[Uint8Array, Uint8Array]> {
  const sign = async (to: KeyChain) => {
    const { draft, release } = await wallet().prepare.transfer({
      to: to.addresses[0]!,
      amount: 1000n,
    })
    release()
    return requireSigned(signDraft(draft, me)).bytes
  }
  return [await sign(you), await sign(third)]
}

describe.each(Object.entries(kinds))('arguments that the caller reuses: %s', (_, bytesOf) => {
  it('pays the address that was given', async () => {
    const { node, wallet } = await scene()
    node.fund(me.addresses[0]!, 10n * fee)
    const to = bytesOf(you.addresses[0]!)
    const paid = wallet().transfer({ to, amount: 1000n }, { key: 'a' })
    to.set(third.addresses[0]!)
    await paid
    expect(await balanceOf(node, you)).toBe(1000n)
    expect(await balanceOf(node, third)).toBe(0n)
  })

  it('submits the transaction that was given', async () => {
    const place = await scene()
    place.node.fund(me.addresses[0]!, 10n * fee)
    const [first, second] = await twoSigned(place)
    const tx = bytesOf(first)
    const submitted = place.wallet().submit(tx, { key: 'a' })
    tx.set(second)
    await submitted
    expect(await balanceOf(place.node, you)).toBe(1000n)
    expect(await balanceOf(place.node, third)).toBe(0n)
  })

  it('issues the transaction that was given', async () => {
    let isUnreachable = true
    const place = await scene({
      through: (fetch) => async (url, init) => {
        const isIssuing = String(init.body).includes('avm.issueTx')
        if (!isIssuing || !isUnreachable) return fetch(url, init)
        isUnreachable = false
        throw new TypeError('fetch failed')
      },
    })
    place.node.fund(me.addresses[0]!, 10n * fee)
    const [first, second] = await twoSigned(place)
    const tx = bytesOf(first)
    const waiting = place.client.waitForTx(tx)
    tx.set(second)
    await waiting
    expect(await balanceOf(place.node, you)).toBe(1000n)
    const again = bytesOf(second)
    const issued = place.client.issueTx(again)
    again.set(first)
    await expect(issued).rejects.toMatchObject({ name: 'IssueError' })
  })
})

describe('objects that the caller reuses', () => {
  it('refuses outputs that are instances of a class', async () => {
    class Output {
      to: Uint8Array
      amount: bigint
      constructor(to: Uint8Array, amount: bigint) {
        this.to = to
        this.amount = amount
      }
    }
    const { node, wallet } = await scene()
    node.fund(me.addresses[0]!, 10n * fee)
    const outputs = [new Output(you.addresses[0]!, 1000n)]
    await expect(wallet().transfer({ outputs })).rejects.toMatchObject({
      code: 'ENC_INVALID',
      path: 'outputs[0]',
    })
    expect(await balanceOf(node, you)).toBe(0n)
  })

  it('refuses those that contain themselves', async () => {
    const { wallet } = await scene()
    const row: Record<string, unknown> = { to: you.addresses[0]!, amount: 1000n }
    row.table = { rows: [row] }
    const refused = { code: 'UNKNOWN_OPTION' }
    const outputs = [row as unknown as OutputArgument]
    await expect(wallet().transfer({ outputs })).rejects.toMatchObject(refused)
    const options = { wait: row }
    await expect(wallet().resume(options)).rejects.toMatchObject(refused)
  })

  it('keeps the change address and the addresses that the wallet was created with', async () => {
    const { node, wallet } = await scene()
    node.fund(me.addresses[0]!, 10n * fee)
    const changeTo = Buffer.from(third.addresses[0]!)
    const addresses = [Buffer.from(me.addresses[0]!)]
    const mine = wallet({ changeTo, addresses, accept: ['FOREIGN_CHANGE'] })
    changeTo.fill(7)
    addresses[0]!.fill(7)
    await mine.transfer({ to: you.addresses[0]!, amount: 1000n })
    expect(await balanceOf(node, third)).toBe(9n * fee - 1000n)
  })
})

describe('arguments of another realm that the caller reuses', () => {
  it('copies plain objects and lists', async () => {
    const { node, wallet } = await scene()
    node.fund(me.addresses[0]!, 10n * fee)
    const call: { outputs: OutputArgument[] } = runInNewContext(
      '({ outputs: [{ to: [], amount: 1000n }] })',
    )
    const [output] = call.outputs as [{ to: string | Uint8Array; amount: bigint }]
    output.to = you.addresses[0]!
    const paid = wallet().transfer(call)
    output.amount = 2000n
    output.to = hex.decode('00'.repeat(20))
    await paid
    expect(await balanceOf(node, you)).toBe(1000n)
  })
})
