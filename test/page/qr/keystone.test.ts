import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { createNodeClient } from '../../../src/node/index.ts'
import { keystoneFrames } from '../../../src/signers/keystone/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { EmulatedKeystone, FINGERPRINT } from '../../signers/keystone/emulated-keystone.ts'
import { hasChromium, launchWithCamera } from '../browser.ts'
import { builtPage } from '../harness.ts'
import { videoOf } from '../video.ts'
import { shownQR } from './shown-qr.ts'

const AVAX = 1_000_000_000n

describe.runIf(hasChromium('a Keystone device and the offline page'))(
  'the page and a Keystone',
  () => {
    const { folder, file } = builtPage()

    it('exchange a request and its signatures as QR codes, and the node accepts the result', async () => {
      const node = await createDevNode()
      const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
      const device = new EmulatedKeystone()
      const paths = [0, 1].map((index) => device.pathOf({ change: 0, index }))
      for (const { address } of paths) node.fund(address, 3n * AVAX)
      const addresses = paths.map(({ address }) => address)
      const watching = createWallet({ client, addresses })
      const to = device.pathOf({ change: 0, index: 7 }).address
      const { draft } = await watching.prepare.transfer({ to, amount: 5n * AVAX })
      const request = await watching.request(draft, { paths })

      // What the device will show, for the camera of the page.
      const expected = keystoneFrames(request, { fingerprint: FINGERPRINT })
      const answer = device.answer(expected)
      const video = join(folder, 'keystone.y4m')
      writeFileSync(video, videoOf([undefined, ...answer]))
      const browser = await launchWithCamera(video)
      try {
        const page = await browser.newPage()
        await page.goto(pathToFileURL(file).href)
        const path = join(folder, 'request.json')
        writeFileSync(path, formatRequest(request))
        await page.locator('input[type=file]').first().setInputFiles(path)
        await page.locator('#panel-Check').waitFor()
        await page.getByRole('button', { name: 'Take away' }).click()
        await page.getByText('Sign with a Keystone device').click()
        await page.getByRole('button', { name: 'Show to Keystone as QR codes' }).click()
        expect(await page.locator('.keystone').innerText()).toContain('8 hex digits')
        await page.getByLabel('Fingerprint of its master key').fill(FINGERPRINT.toString(16))
        await page.getByRole('button', { name: 'Show to Keystone as QR codes' }).click()
        await page.getByRole('button', { name: 'Pause' }).click()
        const shown: string[] = []
        const reader = await browser.newPage()
        await page.bringToFront()
        const count = Number(await page.locator('.qr-series').getAttribute('data-frames'))
        for (let i = 0; i < count; i++) {
          shown.push(await shownQR(page, reader))
          await page.getByRole('button', { name: 'Next' }).click()
        }
        expect(shown.toSorted()).toEqual(expected.toSorted())
        // The device reads exactly what the page shows.
        expect(device.answer(shown)).toEqual(answer)

        const merge = page.locator('.merge')
        await merge.getByRole('button', { name: 'Scan QR code' }).click()
        await page.getByText('Complete: all signatures are there').waitFor({ timeout: 90_000 })
        await page.getByRole('button', { name: 'Finalize' }).click()
        const tx = await page.locator('pre.tx').innerText()
        const { txID } = await client.issueTx(checkedHex.decode(tx.trim()))
        expect(await client.avm.getTxStatus({ txID })).toBe('Accepted')
      } finally {
        await browser.close()
        await node.close()
      }
    })
  },
)
