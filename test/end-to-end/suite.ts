import { beforeAll, describe, expect, it } from 'vitest'
import { assetTests } from './assets.ts'
import { blockTests } from './blocks.ts'
import { chainTests } from './chains.ts'
import { clientTests } from './client.ts'
import { Ground, type Place } from './ground.ts'
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
export function endToEndSuite(where: () => Place): void {
  describe('end to end', { timeout: TEST_MS }, () => {
    let opened: Ground | undefined
    const ground = () => opened!

    beforeAll(async () => {
      opened = await Ground.open(where())
    }, TEST_MS)

    clientTests(ground)
    paymentTests(ground)
    chainTests(ground)
    transferTests(ground)
    assetTests(ground)
    onceTests(ground)
    rejectionTests(ground)
    programTests(ground)
    blockTests(ground)

    it('has cost little more than fees after the rest was returned', async () => {
      await ground().giveBack()
      const { context, funder, firstBalance, fee } = ground()
      const spent = firstBalance - (await ground().balance(funder))
      // Fifty-odd transactions, five of which create an asset, and what was exported or locked.
      expect(spent).toBeLessThan(80n * fee + 5n * context.createAssetTxFee)
    })
  })
}
