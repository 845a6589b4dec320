import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, sharedBrowser } from './browser.ts'

const site = fileURLToPath(new URL('../../docs/api/', import.meta.url))

/** Whether `npm run docs` has written the site. `AVMKIT_REQUIRE_DOCS` makes a missing site a failure. */
function hasSite(): boolean {
  if (existsSync(`${site}index.html`)) return hasChromium('the site of guides and reference')
  if (process.env.AVMKIT_REQUIRE_DOCS) throw new Error('expected docs/api: run npm run docs')
  console.warn('the site of guides and reference was not tested: npm run docs writes it')
  return false
}

describe.runIf(hasSite())('the site of guides and reference, from a disk', () => {
  const requests: string[] = []
  let page: Page
  beforeAll(async () => {
    const browser = await sharedBrowser()
    page = await browser.newPage()
    page.on('request', (request) => requests.push(request.url()))
    page.on('websocket', (socket) => requests.push(socket.url()))
  })
  afterAll(() => page.close())

  for (const [query, name, content] of [
    ['decodeTx', 'decodeTx', 'decodeTx'],
    ['gapped', 'Air-gapped signing', 'avmkit.html'],
  ] as const)
    it(`finds ${query} by keyboard alone, and requests nothing but its own files`, async () => {
      await page.goto(pathToFileURL(`${site}index.html`).href)
      await page.locator('#tsd-search-trigger').focus()
      await page.keyboard.press('Enter')
      await page.locator('#tsd-search-input').waitFor()
      await page.keyboard.insertText(query)
      const results = page.locator('#tsd-search-results [role=option]')
      await expect.poll(() => results.count()).toBeGreaterThan(0)
      expect(await results.first().innerText()).toContain(name)
      // The list is drawn anew while the index is loaded, and has no selection then.
      const selected = page.locator('#tsd-search-results [aria-selected=true]')
      await expect
        .poll(async () => {
          if ((await selected.count()) === 0) await page.keyboard.press('ArrowDown')
          // Does not wait for a selection that the next drawing removed.
          return (await selected.allInnerTexts()).join()
        })
        .toContain(name)
      await Promise.all([
        page.waitForURL((url) => !url.pathname.endsWith('/index.html')),
        page.keyboard.press('Enter'),
      ])
      expect(await page.locator('.col-content').innerText()).toContain(content)
      expect(requests.filter((url) => !url.startsWith(pathToFileURL(site).href))).toEqual([])
      expect(requests.length).toBeGreaterThan(5)
    })
})
