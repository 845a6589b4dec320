import { beforeAll, describe, expect, it } from 'vitest'
import { assetTests } from './assets.ts'
import { blockTests } from './blocks.ts'
import { chainTests } from './chains.ts'
import { clientTests } from './client.ts'
import { type Target, TestEnvironment } from './environment.ts'
import { onceTests } from './once.ts'
import { paymentTests } from './payments.ts'
import { programTests } from './program.ts'
import { rejectionTests } from './rejections.ts'
import { transferTests } from './transfers.ts'

const TEST_MS = 120_000

/**
 * Everything that the library does with a node, through its public entry points and the built program. Uses
 * nothing of the node but its address and a key with about an AVAX, most of which it gives back.
 */
export function endToEndSuite(where: () => Target): void {
  describe('end to end', { timeout: TEST_MS }, () => {
    let opened: TestEnvironment | undefined
    const env = () => opened!

    beforeAll(async () => {
      opened = await TestEnvironment.open(where())
    }, TEST_MS)

    clientTests(env)
    paymentTests(env)
    chainTests(env)
    transferTests(env)
    assetTests(env)
    onceTests(env)
    rejectionTests(env)
    programTests(env)
    blockTests(env)

    it('has cost little more than fees after the rest was returned', async () => {
      await env().refund()
      const { context, funder, firstBalance, fee } = env()
      const spent = firstBalance - (await env().balance(funder))
      // Fifty-odd transactions, five of which create an asset, and what was exported or locked.
      expect(spent).toBeLessThan(80n * fee + 5n * context.createAssetTxFee)
    })
  })
}
