import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { requestID } from '../../../src/core/sign/request/request.ts'
import { formatRequest } from '../../../src/core/sign/request/request-file.ts'
import { splitFrames } from '../../../src/inspect/bbqr.ts'
import { coins, owners, proven, transfer } from '../../core/sign/fixtures.ts'
import { hasChromium, launchWithCamera } from '../browser.ts'
import { builtPage } from '../harness.ts'
import { Keyboard } from '../keyboard.ts'
import { videoOf } from '../video.ts'

describe.runIf(hasChromium('the camera of the offline page'))('the page with a camera', () => {
  const { folder, file } = builtPage()

  it('reads a request from a series of QR codes, among damaged, repeated and foreign ones, and shows one itself', async () => {
    const request = proven(transfer(coins(owners(1, 0), owners(1, 0), owners(1, 0))))
    const text = formatRequest(request)
    const frames = splitFrames(new TextEncoder().encode(text), 'J', 600)
    expect(frames.length).toBeGreaterThan(3)
    const damaged = `${frames[1]!.slice(0, 4)}ZZ${frames[1]!.slice(6)}`
    const foreign = splitFrames(new TextEncoder().encode(text.repeat(2)), 'J', 600)
    const video = join(folder, 'camera.y4m')
    writeFileSync(
      video,
      videoOf([
        undefined,
        'B$2J??',
        damaged,
        // A series that never becomes complete, then the request from its middle on, two of its frames twice.
        ...foreign.slice(0, 2),
        ...frames.slice(2),
        ...frames.slice(0, 3),
        ...frames.slice(1, 2),
      ]),
    )
    const browser = await launchWithCamera(video)
    try {
      const page = await browser.newPage()
      await page.goto(pathToFileURL(file).href)
      await page.evaluate(() => {
        const { mediaDevices } = navigator
        const get = mediaDevices.getUserMedia.bind(mediaDevices)
        const tracks: MediaStreamTrack[] = []
        Object.assign(globalThis, { tracks })
        mediaDevices.getUserMedia = async (constraints) => {
          const stream = await get(constraints)
          tracks.push(...stream.getTracks())
          return stream
        }
      })
      const states = () =>
        page.evaluate(() =>
          (globalThis as unknown as { tracks: MediaStreamTrack[] }).tracks.map(
            ({ readyState }) => readyState,
          ),
        )
      // By keyboard alone: the camera is stopped once and started again.
      const keyboard = new Keyboard(page)
      await keyboard.use('Scan QR code')
      await expect.poll(states).toEqual(['live'])
      await keyboard.use('Stop camera')
      expect(await states()).toEqual(['ended'])
      expect(await page.locator('video').count()).toBe(0)
      expect(await keyboard.focused()).toBe('Scan QR code')
      await keyboard.press('Enter')
      await page.locator('#panel-Check').waitFor({ timeout: 90_000 })
      expect(await page.locator('video').count()).toBe(0)
      expect(await states()).toEqual(['ended', 'ended'])

      // What the page shows as a series is what another page would read.
      await page.getByRole('button', { name: 'Take away' }).click()
      expect(await page.locator('#panel-Take-away .details').innerText()).toContain(
        formatID(requestID(request)),
      )
      await page.getByRole('button', { name: 'Show request as QR code' }).click()
      const shown = Number(await page.locator('.qr-series').getAttribute('data-frames'))
      expect(shown).toBe(splitFrames(new TextEncoder().encode(text), 'J').length)
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Next' }).click()
      expect(await page.locator('.qr-series .hint').innerText()).toMatch(/^QR code \d+ of \d+$/)
    } finally {
      await browser.close()
    }
  })
})
