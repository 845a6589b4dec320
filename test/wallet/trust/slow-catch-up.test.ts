import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/node/clock.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { fileStore } from '../../../src/wallet/store/index.ts'
import { errorFor } from '../requests.ts'
import { addressOf, balanceOf, fee, scene } from '../setup.ts'
import { me, urls, you } from './setup.ts'

const payment = { to: addressOf(you), amount: 5n }

/** A store that is older than a payment with key `a`; then one server denies blocks, and another is slow. */
async function olderScene() {
  let isBad = false
  const at = await scene({
    url: urls,
    intercept: async (call, next) => {
      if (!isBad || call.method !== 'avm.getBlockByHeight') return next()
      if (call.host === 'a.test') return errorFor(call, "couldn't get block: not found")
      if (call.host === 'c.test') await systemClock.sleep(1_300)
      return next()
    },
  })
  for (let i = 0; i < 6; i++) at.node.fund(addressOf(me), 5n * fee)
  const directory = await mkdtemp(join(tmpdir(), 'avmkit-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const [path, copy] = ['store', 'copy'].map((name) => join(directory, name)) as [string, string]
  let store = fileStore(path)
  onTestFinished(() => store.close())
  // Files are read in the time of the machine.
  const open = () => at.wallet({ store, clock: systemClock })
  await open().transfer({ ...payment, amount: 1n }, { key: 'before' })
  await store.close()
  await copyFile(path, copy)
  store = fileStore(path)
  const { txID } = await open().transfer(payment, { key: 'a' })
  await store.close()
  await copyFile(copy, path)
  store = fileStore(path)
  isBad = true
  return { node: at.node, txID, open }
}

describe('an older store with one server that denies blocks and a slow one', {
  timeout: 60_000,
}, () => {
  const before: { readonly [what: string]: (mine: Wallet) => Promise<unknown> } = {
    '': async () => {},
    ' after recover': (mine) => mine.recover({ fromHeight: 1n }),
  }
  for (const [what, act] of Object.entries(before))
    it(`does not pay again${what} what a transaction in the last blocks has paid`, async () => {
      const { node, txID, open } = await olderScene()
      const mine = open()
      await act(mine)
      expect(await mine.transfer(payment, { key: 'a' })).toMatchObject({ txID })
      expect(await balanceOf(node, you)).toBe(6n)
    })
})
