import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { KeyChain } from '../../src/crypto/index.ts'
import { addressOf, fee, people, scatter, scene, utxosOf } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)

describe('a sweep', () => {
  it('reports what it did if planning again fails', async () => {
    let walks = 0
    let isDown = false
    const at = await scene({
      through: (fetch) => async (url, init) => {
        const isWalk = String(init.body).includes('"avm.getUTXOs"')
        if (isWalk && isDown) return new Response('no', { status: 403 })
        if (isWalk) walks++
        return fetch(url, init)
      },
    })
    await scatter(at, me, Array(850).fill(50_000n))
    const onProgress = ({ accepted }: { readonly accepted: number }) => {
      isDown = accepted === 3
    }
    const failure = await at
      .wallet()
      .consolidate({}, { onProgress })
      .catch((error) => error)
    expect(walks).toBeGreaterThan(0)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'HTTP_STATUS' } })
    expect(failure.result.txIDs).toHaveLength(3)
  })

  it('reports what it did if a later transaction is not confirmed', async () => {
    const at = await scene()
    await scatter(at, me, Array(850).fill(50_000n))
    let asked = 0
    const failure = await at
      .wallet()
      .sweep({ to }, { inFlight: 1, confirm: () => ++asked < 3 })
      .catch((error) => error)
    expect(await utxosOf(at.node, you)).toHaveLength(2)
    expect(failure).toMatchObject({ code: 'BATCH_UNFINISHED', cause: { code: 'NOT_CONFIRMED' } })
    expect(failure.result.txIDs).toHaveLength(2)
  })

  it('does not end as complete while others spend its UTXOs all the time', async () => {
    const at = await scene()
    await scatter(at, me, Array(60).fill(1_500_000n))
    const rival = at.wallet()
    const result = await at
      .wallet()
      .sweep(
        { to },
        {
          confirm: async () => {
            await rival
              .transfer({
                outputs: [{ to: addressOf(third), amount: 1n }],
                choose: { strategy: 'smallest' },
              })
              .catch(() => {})
            return true
          },
        },
      )
      .catch((error) => error)
    const left = await utxosOf(at.node, me)
    expect(left.length).toBeGreaterThan(0)
    expect(result).toMatchObject({ code: 'BATCH_UNFINISHED' })
  })
})

describe('a payment that can never be made', () => {
  it('does not wait for concurrent payments for ever', async () => {
    const at = await scene()
    await scatter(at, me, Array(12).fill(30n * fee))
    const mine = at.wallet()
    let made = 0
    let over = false
    const confirm = async () => {
      for (let i = 0; i < 20; i++) await setImmediate()
      return true
    }
    const stream = async () => {
      while (!over && made < 60) {
        await mine.transfer({ to, amount: 1n }, { confirm })
        made++
      }
    }
    const streams = [stream(), stream(), stream()]
    const failure = await mine
      .transfer({ to, amount: 10n ** 15n })
      .catch((error) => error)
      .finally(() => {
        over = true
      })
    const after = made
    await Promise.all(streams)
    expect(failure).toMatchObject({ code: 'BUILDER_INSUFFICIENT_FUNDS' })
    expect(after).toBeLessThan(20)
  })
})
