import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'

/**
 * The text of the QR code that a page shows, read from the pixels of a screenshot.
 *
 * @param reader - an empty page, which may decode images; the offline page must not load any
 */
export async function shownQR(page: Page, reader: Page): Promise<string> {
  const screenshot = await page.locator('.qr-holder svg').screenshot()
  const { data, width, height } = await reader.evaluate(async (png) => {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    const context = canvas.getContext('2d')!
    context.drawImage(image, 0, 0)
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height)
    // One byte per pixel: a list of a million numbers takes seconds to leave the browser.
    const gray = Uint8Array.from({ length: width * height }, (_, i) => data[4 * i]!)
    let text = ''
    for (let at = 0; at < gray.length; at += 8192)
      text += String.fromCharCode(...gray.subarray(at, at + 8192))
    return { data: btoa(text), width, height }
  }, screenshot.toString('base64'))
  const gray = Buffer.from(data, 'base64')
  const pixels = Uint8ClampedArray.from({ length: 4 * gray.length }, (_, i) =>
    i % 4 === 3 ? 255 : gray[i >> 2]!,
  )
  return decodeQR({ data: pixels, width, height })
}
