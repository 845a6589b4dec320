import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID, formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import { decryptKeyFile } from '../../src/core/crypto/keyfile/index.ts'
import { finishRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest } from '../../src/core/sign/request/request-file.ts'
import { mergeRequests } from '../../src/core/sign/request/request-merge.ts'
import { signRequest } from '../../src/core/sign/request/request-sign.ts'
import {
  acceptedTxs,
  coins,
  keysOf,
  owners,
  people,
  proven,
  transfer,
} from '../core/sign/fixtures.ts'
import { hasChromium } from './browser.ts'
import { usePage, viewName } from './harness.ts'
import { Keyboard } from './keyboard.ts'

describe.runIf(hasChromium('accessibility of the offline page'))('access to the page', () => {
  const { folder, open } = usePage()

  it('decodes, explains and verifies by keyboard alone', async () => {
    const keyboard = new Keyboard(await open())
    const { page } = keyboard
    const bytes = acceptedTxs().txs[0]!
    await keyboard.to(/^Signing request, transaction/)
    await keyboard.type(checkedHex.encode(bytes))
    await keyboard.use('Read')
    // The heading of the next step has the focus: the next Tab goes on from there.
    expect(await page.locator(':focus').innerText()).toBe('Check what it does')
    await keyboard.use('Your addresses')
    await keyboard.to(/^Your addresses/)
    const address = formatAddress({ chain: 'X', hrp: 'local', address: people[0]!.address })
    await keyboard.type(address)
    await keyboard.use('Explain')
    expect(await page.locator('#panel-Check pre').textContent()).toMatch(/^digest /m)
    await keyboard.openView('Decode')
    await keyboard.to('codecVersion 0')
    await keyboard.press('Space')
    expect(await page.locator('.bytes .selected').count()).toBe(2)
    await keyboard.to('parts of unsignedTx')
    await keyboard.press('Enter')
    expect(await page.locator('[data-path="unsignedTx.networkID"]').isVisible()).toBe(false)
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
    await page.locator('#panel-Check').waitFor()
    await keyboard.use('Continue')
    await keyboard.to('Private key or mnemonic')
    await keyboard.type(formatPrivateKey(people[0]!.key))
    await keyboard.press('Enter')
    expect(await page.locator(':focus').innerText()).toBe('Sign')
    for (let i = await page.getByRole('checkbox').count(); i > 0; i--) {
      await keyboard.to(/^Accept /)
      await keyboard.press('Space')
    }
    await keyboard.use('Sign')
    expect(await page.locator(':focus').innerText()).toBe('Take it away')
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

  it('merges a copy, prints and saves an encrypted key file by keyboard alone', async () => {
    const keyboard = new Keyboard(await open())
    const { page } = keyboard
    const request = proven(transfer(coins(owners(2, 0, 1))))
    await keyboard.to(/^Signing request, transaction/)
    await keyboard.type(formatRequest(request))
    await keyboard.use('Read')
    await keyboard.openView('Take away')
    await keyboard.to(/^A copy of this request/)
    const accept = ['SHARED_OUTPUT', 'FOREIGN_CHANGE'] as const
    const copies = [0, 1].map((person) => signRequest(request, keysOf(person), { accept }))
    await keyboard.type(formatRequest(copies[0]!))
    await keyboard.use('Merge')
    expect(await page.getByRole('status').first().innerText()).toContain('1 signature is missing')
    await keyboard.to(/^A copy of this request/)
    await keyboard.type(formatRequest(copies[1]!))
    await keyboard.use('Merge')
    expect(await page.getByRole('status').first().innerText()).toContain('Complete')
    await keyboard.use('Finalize')
    expect(await page.locator('pre.tx').innerText()).toBe(
      checkedHex.encode(finishRequest(mergeRequests(copies[0]!, copies[1]!)).bytes),
    )

    await keyboard.openView('Generate')
    await keyboard.to(/^Rolls of a die/)
    await keyboard.use('Generate')
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', '')
    })
    await keyboard.use('Print')
    expect(await page.locator('body[data-printed]').count()).toBe(1)
    await keyboard.to('Password of the new key file')
    await keyboard.type('correct horse')
    await keyboard.to('Repeat the password')
    await keyboard.type('correct horse')
    const download = page.waitForEvent('download')
    await keyboard.press('Enter')
    const path = join(folder, 'by-keyboard.json')
    await (await download).saveAs(path)
    const words = await page.locator('output').textContent()
    expect(await decryptKeyFile(readFileSync(path, 'utf8'), 'correct horse')).toBe(`${words}\n`)
    await page.close()
  })

  it('keeps the bytes in view on a narrow screen while fields are selected', async () => {
    const narrow = await open()
    await narrow.setViewportSize({ width: 360, height: 700 })
    await narrow
      .getByRole('textbox', { name: 'Signing request, transaction' })
      .fill(checkedHex.encode(acceptedTxs().txs[0]!))
    await narrow.getByRole('button', { name: 'Read', exact: true }).click()
    await narrow.getByRole('button', { name: 'Decode', exact: true }).click()
    await narrow.locator('.pick').last().scrollIntoViewIfNeeded()
    await narrow.locator('.pick').last().click()
    const box = await narrow.locator('.bytes .selected').first().boundingBox()
    expect(box!.y).toBeGreaterThanOrEqual(0)
    expect(box!.y).toBeLessThan(700)
    // A field that is selected by its byte is not hidden behind the bytes.
    await narrow.locator('.byte-row span:not(.offset)').first().click()
    const pressed = await narrow.locator('.pick[aria-pressed=true]').boundingBox()
    const bytes = await narrow.locator('.beside').boundingBox()
    expect(pressed!.y).toBeGreaterThanOrEqual(bytes!.y + bytes!.height)
    await narrow.close()
  })

  it('scrolls the bytes to an error', async () => {
    const narrow = await open()
    await narrow.setViewportSize({ width: 360, height: 700 })
    const field = narrow.getByRole('textbox', { name: 'Signing request, transaction' })
    for (const size of [150, 126]) {
      await narrow.getByRole('button', { name: viewName('Load') }).click()
      await field.fill(checkedHex.encode(acceptedTxs().txs[0]!.slice(0, size)))
      await narrow.getByRole('button', { name: 'Read', exact: true }).click()
      await narrow.getByRole('button', { name: 'Show its bytes', exact: true }).first().click()
      const bytes = await narrow.locator('.bytes').boundingBox()
      // The error is at byte 126: with 126 bytes, behind the last one.
      const row = narrow.locator('.byte-row').filter({ hasText: /^ *120/ })
      const box = await row.boundingBox()
      expect(box!.y).toBeGreaterThanOrEqual(bytes!.y)
      expect(box!.y + box!.height).toBeLessThanOrEqual(bytes!.y + bytes!.height + 1)
    }
    await narrow.close()
  })
})
