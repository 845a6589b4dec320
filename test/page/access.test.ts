import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { txID } from '../../src/chain/index.ts'
import { checkedHex, formatAddress, formatID, formatPrivateKey } from '../../src/encoding/index.ts'
import { createRequest, formatRequest } from '../../src/sign/index.ts'
import { plain } from '../sign/adversarial-cases.ts'
import { acceptedTxs, coins, owners, people, proven, transfer } from '../sign/fixtures.ts'
import { drafted } from '../sign/scenes.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

const VIEWS = ['Decode', 'Explain', 'Sign', 'Generate', 'Verify']

/** A reader who has no pointer. */
class Keyboard {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key)
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.insertText(text)
  }

  /** The name of what has the focus, as assistive technology announces it. */
  async focused(): Promise<string> {
    const focus = this.page.locator(':focus')
    const name = /^- \w+ "((?:[^"\\]|\\.)*)"/.exec(await focus.ariaSnapshot())?.[1]
    // A snapshot leaves out the element that opens and closes details.
    return name ?? (await focus.getAttribute('aria-label')) ?? ''
  }

  /** Presses Tab until something with this name has the focus. */
  async to(name: string | RegExp): Promise<void> {
    const seen: string[] = []
    for (let i = 0; i < 120; i++) {
      await this.press('Tab')
      if (!(await this.page.locator(':focus').count())) continue
      const found = await this.focused()
      if (typeof name === 'string' ? found === name : name.test(found)) return
      seen.push(found)
    }
    throw new Error(`no Tab stop ${name}: ${seen.join(', ')}`)
  }

  /** Tabs to a button and presses it. */
  async use(name: string | RegExp): Promise<void> {
    await this.to(name)
    await this.press('Enter')
  }

  async openView(name: string): Promise<void> {
    await this.to(/^(Decode|Explain|Sign|Generate|Verify)$/)
    await this.press('Home')
    for (let i = 0; i < VIEWS.indexOf(name); i++) await this.press('ArrowRight')
    expect(await this.focused()).toBe(name)
  }
}

describe.runIf(hasChromium('accessibility of the offline page'))('access to the page', () => {
  const { browser, open, url } = usePage()

  it('decodes, explains and verifies by keyboard alone', async () => {
    const keyboard = new Keyboard(await open())
    const { page } = keyboard
    const bytes = acceptedTxs().txs[0]!
    await keyboard.press('Tab')
    await keyboard.press('ArrowLeft')
    expect(await keyboard.focused()).toBe('Verify')
    await keyboard.press('ArrowRight')
    expect(await keyboard.focused()).toBe('Decode')
    await keyboard.to(/^Transaction, UTXO/)
    await keyboard.type(checkedHex.encode(bytes))
    await keyboard.use('Read')
    await keyboard.to('codecVersion 0')
    await keyboard.press('Space')
    expect(await page.locator('.bytes .selected').count()).toBe(2)
    await keyboard.to('parts of unsignedTx')
    await keyboard.press('Enter')
    expect(await page.locator('[data-path="unsignedTx.networkID"]').isVisible()).toBe(false)
    await keyboard.openView('Explain')
    await keyboard.to(/^Your addresses/)
    const address = formatAddress({ chain: 'X', hrp: 'local', address: people[0]!.address })
    await keyboard.type(address)
    await keyboard.use('Explain')
    expect(await page.locator('#panel-Explain pre').textContent()).toMatch(/^digest /m)
    await keyboard.openView('Verify')
    await keyboard.to(/^Expected ID/)
    await keyboard.type(formatID(txID(bytes)))
    await keyboard.use('Verify')
    expect(await page.locator('.checks').innerText()).toContain('correct: ID')
    await page.close()
  })

  it('opens a file, signs, shows QR codes and finalizes by keyboard alone', async () => {
    const keyboard = new Keyboard(await open())
    const { page } = keyboard
    const request = formatRequest(proven(transfer(coins(owners(1, 0)))))
    const chooser = page.waitForEvent('filechooser')
    await keyboard.use('Open file')
    await (await chooser).setFiles({
      name: 'request.json',
      mimeType: 'application/json',
      buffer: Buffer.from(request),
    })
    await page.locator('#panel-Decode .facts').waitFor()
    await keyboard.use('Sign it')
    await keyboard.to('Private key or mnemonic')
    await keyboard.type(formatPrivateKey(people[0]!.key))
    await keyboard.press('Enter')
    for (let i = await page.getByRole('checkbox').count(); i > 0; i--) {
      await keyboard.to(/^Accept /)
      await keyboard.press('Space')
    }
    await keyboard.use('Sign')
    // The state of the request has the focus: the next Tab goes on from there.
    expect(await page.locator(':focus').innerText()).toContain('complete: it can be finalized')
    await keyboard.use('Show request as QR code')
    await keyboard.use('Pause')
    await keyboard.use('Next')
    await keyboard.press('Shift+Tab')
    expect(await keyboard.focused()).toBe('Play')
    await keyboard.use('Finalize')
    expect(await page.locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
    await page.close()
  })

  it('generates and saves by keyboard alone', async () => {
    const keyboard = new Keyboard(await open())
    const { page } = keyboard
    await keyboard.openView('Generate')
    await keyboard.to('What to make')
    await keyboard.press('ArrowDown')
    await keyboard.to(/^Rolls of a die/)
    await keyboard.type('123456')
    await keyboard.use('Generate')
    await keyboard.use('Show the secret')
    expect((await page.locator('output').innerText()).split(' ')).toHaveLength(12)
    const download = page.waitForEvent('download')
    await keyboard.use('Save without encryption')
    expect((await download).suggestedFilename()).toBe('avmkit.key')
    await keyboard.use('Forget it')
    expect(await page.locator('output').count()).toBe(0)
    await page.close()
  })

  it('has no fault that axe finds and does not scroll sideways, in light, dark and on narrow screens', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    // Its own page without the policy: axe is a script that the policy forbids.
    const lenient = await browser().newContext({ bypassCSP: true })
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      const checked = await lenient.newPage()
      await checked.emulateMedia({ colorScheme: scheme })
      await checked.setViewportSize({ width, height: 800 })
      await checked.goto(url)
      await checked.evaluate(axe)
      await checked
        .getByRole('textbox', { name: 'Transaction, UTXO, block' })
        .fill(formatRequest(createRequest(drafted(plain), { parents: [] })))
      await checked.getByRole('button', { name: 'Read', exact: true }).click()
      for (const name of VIEWS) {
        await checked.getByRole('tab', { name, exact: true }).click()
        if (name === 'Sign') {
          const secret = checked.getByLabel('Private key or mnemonic')
          await secret.fill(formatPrivateKey(people[0]!.key))
          await secret.press('Enter')
        }
        if (name === 'Generate' || name === 'Verify')
          await checked.getByRole('button', { name, exact: true }).click()
        expect(await faultsOf(checked), `${name}, ${scheme}`).toEqual([])
        const overflow = await checked.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, `${name}, ${width}`).toBeLessThanOrEqual(0)
        const shots = process.env.AVMKIT_SCREENSHOTS
        if (shots)
          await checked.screenshot({ path: join(shots, `${name}-${scheme}.png`), fullPage: true })
      }
      await checked.close()
    }
    await lenient.close()
  })

  /** What axe finds in a page that it was loaded into. */
  function faultsOf(page: Page): Promise<string[]> {
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      const { violations } = await axe.run()
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)}`)
    })
  }

  it('keeps the bytes in view on a narrow screen while fields are selected', async () => {
    const narrow = await open()
    await narrow.setViewportSize({ width: 360, height: 700 })
    await narrow
      .getByRole('textbox', { name: 'Transaction, UTXO, block' })
      .fill(checkedHex.encode(acceptedTxs().txs[0]!))
    await narrow.getByRole('button', { name: 'Read', exact: true }).click()
    await narrow.locator('.pick').last().scrollIntoViewIfNeeded()
    await narrow.locator('.pick').last().click()
    const box = await narrow.locator('.bytes .selected').first().boundingBox()
    expect(box!.y).toBeGreaterThanOrEqual(0)
    expect(box!.y).toBeLessThan(700)
    await narrow.close()
  })
})
