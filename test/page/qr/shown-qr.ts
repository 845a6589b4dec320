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
    return { data: [...data], width, height }
  }, screenshot.toString('base64'))
  return decodeQR({ data: Uint8ClampedArray.from(data), width, height })
}
