import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sourcesOf } from '../../scripts/imports.js'
import { createRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest } from '../../src/core/sign/request/request-file.ts'
import { drafted, plain } from '../core/sign/scenes.ts'
import { hasChromium, sharedBrowser } from './browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const request = formatRequest(createRequest(drafted(plain), { parents: [] }))

/** A page of somebody else that uses the elements. */
const program = `
  import * as avmkit from './src/index.ts'
  import * as view from './src/page/elements/index.ts'
  const explanation = avmkit.explainRequest(avmkit.parseRequest(${JSON.stringify(request)}), {})
  window.accepted = []
  window.dangers = explanation.warnings.filter(({ danger }) => danger).map(({ code }) => code)
  const error = new avmkit.AvmError('KEY_CONFLICT', '<b>bold</b>', { hint: 'do this' })
  document.body.append(
    view.explanationElement(explanation, { onAccept: (codes) => { window.accepted = codes } }),
    view.sentenceElement(explanation),
    view.errorElement(error, { docs: 'https://example.com/docs/' }),
    view.errorElement(error),
    view.networkBadge(explanation.network),
    view.qrElement([[true, false], [false, true]], 'a code'),
  )
`

describe.runIf(hasChromium('avmkit/view'))('avmkit/view in a page', () => {
  let page: Page
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: root, loader: 'ts' },
      alias: sourcesOf('browser'),
      platform: 'browser',
      format: 'iife',
      bundle: true,
      write: false,
    })
    page = await (await sharedBrowser()).newPage()
    await page.addScriptTag({ content: outputFiles[0]!.text })
  })
  afterAll(() => page.close())

  it('reports which dangers are accepted, and that one is taken back', async () => {
    const dangers: string[] = await page.evaluate('dangers')
    expect(dangers.length).toBeGreaterThan(0)
    const boxes = page.getByRole('checkbox')
    expect(await boxes.count()).toBe(dangers.length)
    for (const box of await boxes.all()) await box.check()
    expect(((await page.evaluate('accepted')) as string[]).toSorted()).toEqual(dangers.toSorted())
    await boxes.first().uncheck()
    expect(((await page.evaluate('accepted')) as string[]).length).toBe(dangers.length - 1)
  })

  it('shows an error as text, with a link only if the documentation has a URL', async () => {
    const errors = page.getByRole('alert')
    expect(await errors.first().innerText()).toMatch(/bold.*KEY_CONFLICT.*do this/s)
    expect(await page.locator('b').count()).toBe(0)
    expect(await errors.first().getByRole('link').getAttribute('href')).toBe(
      'https://example.com/docs/errors/KEY_CONFLICT.html',
    )
    expect(await errors.last().getByRole('link').count()).toBe(0)
  })

  it('names the network by its ID, and a QR code by its label', async () => {
    expect(await page.locator('.badge').innerText()).toMatch(/network/)
    expect(await page.getByRole('img', { name: 'a code' }).locator('path').getAttribute('d')).toBe(
      'M0 0h1v1h-1zM1 1h1v1h-1z',
    )
  })
})
