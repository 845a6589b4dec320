import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overflowOf } from './axe.ts'
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
    ['KEY_CONFLICT', 'KEY_CONFLICT', 'What to do'],
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

  it('lists the guides by role, the reference by entry point and the errors in its navigation', async () => {
    await page.goto(pathToFileURL(`${site}errors/KEY_CONFLICT.html`).href)
    const groups = page.locator('.tsd-navigation > ul > li')
    await expect.poll(() => groups.count()).toBeGreaterThan(0)
    const names = await groups.locator('> details > summary').allInnerTexts()
    expect(names.map((name) => name.trim())).toEqual([
      'Start',
      'Wallets',
      'Exchanges',
      'Air gap',
      'Testing',
      'Reference',
      'Errors',
    ])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`fits a narrow screen and follows the color scheme, ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 320, height: 800 })
      for (const file of ['index', 'documents/A_wallet_of_a_mnemonic', 'errors/KEY_CONFLICT']) {
        await page.goto(pathToFileURL(`${site}${file}.html`).href)
        expect(await overflowOf(page), file).toBeLessThanOrEqual(0)
        const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
        expect(Number(/\d+/.exec(back)![0]) > 128, file).toBe(colorScheme === 'light')
      }
    })

  it('has links that lead somewhere, and on every guide and error page one first heading and no skipped level', () => {
    const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).map((file) =>
      file.replaceAll('\\', '/'),
    )
    const known = new Set(files)
    const pages = files.filter((file) => file.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(500)
    const texts = new Map(pages.map((file) => [file, readFileSync(`${site}${file}`, 'utf8')]))
    const ids = new Map<string, Set<string>>()
    const idsOf = (file: string) => {
      const found =
        ids.get(file) ??
        new Set(Array.from(texts.get(file)!.matchAll(/ id="([^"]+)"/g), (m) => m[1]!))
      ids.set(file, found)
      return found
    }
    const broken: string[] = []
    for (const [file, text] of texts)
      for (const [, href] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        if (/^(https?|mailto):/.test(href!)) continue
        const [path, fragment] = href!.split('#') as [string, string?]
        const target = path === '' ? file : posix.join(posix.dirname(file), decodeURI(path))
        if (!known.has(target)) broken.push(`${file}: ${href}`)
        else if (fragment && texts.has(target) && !idsOf(target).has(decodeURIComponent(fragment)))
          broken.push(`${file}: ${href}`)
      }
    expect(broken).toEqual([])
    const written = pages.filter((file) => /^(documents|errors)\/|^index\.html$/.test(file))
    const skipped = written.filter((file) => {
      const content = texts
        .get(file)!
        .split('class="col-content"')[1]!
        .split('class="col-sidebar"')[0]!
      const levels = Array.from(content.matchAll(/<h([1-6])/g), (match) => Number(match[1]))
      const isRight = levels.every((level, i) => i === 0 || level <= levels[i - 1]! + 1)
      return !isRight || levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1
    })
    expect(skipped).toEqual([])
  })
})
