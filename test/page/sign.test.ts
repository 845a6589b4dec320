import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { encryptKeyFile } from '../../src/core/crypto/keyfile/index.ts'
import { finishRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../src/core/sign/request/request-file.ts'
import { coins, owners, people, proven, transfer } from '../core/sign/fixtures.ts'
import { FEE, fileOf, plain, requestOf, vault } from '../core/sign/scenes.ts'
import { NOW } from '../core/sign/verdicts.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

describe.runIf(hasChromium('signing in the offline page'))('signing in the page', () => {
  const { folder, open, page, panel, tab, press, read, saved } = usePage()

  it('signs the bytes that the program signs, clears the key and lists who is missing', async () => {
    const request = proven(transfer(coins(owners(2, 0, 1))))
    const text = formatRequest(request)
    await read(text)
    await tab('Sign')
    const sign = panel('Sign')
    const secret = sign.getByLabel('Private key or mnemonic')
    await secret.fill(formatPrivateKey(people[0]!.key))
    await secret.press('Enter')
    expect(await secret.inputValue()).toBe('')
    await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    const signed = await saved('Save request')
    expect(signed).toBe(await byProgram(text, people[0]!.key))
    const other = formatAddress({ chain: 'X', hrp: 'local', address: people[1]!.address })
    expect(await sign.getByRole('status').first().innerText()).toContain(`missing ${other}`)
    expect(await page().content()).not.toContain(formatPrivateKey(people[0]!.key).slice(11))

    // The other signer's copy is merged, and the transaction is that of the library.
    await press('Finalize', sign)
    expect(await sign.getByRole('alert').innerText()).toContain('INCOMPLETE')
    const copy = await byProgram(text, people[1]!.key)
    await sign.getByRole('textbox', { name: 'A copy of this request' }).fill(copy)
    await press('Merge', sign)
    await press('Finalize', sign)
    const both = parseRequest(await byProgram(signed, people[1]!.key))
    expect(await sign.locator('pre.tx').innerText()).toBe(
      checkedHex.encode(finishRequest(both).bytes),
    )
  })

  it('merges the copies of several files, and none of them if one is damaged', async () => {
    const text = formatRequest(proven(transfer(coins(owners(2, 0, 1)))))
    const copies = [await byProgram(text, people[0]!.key), await byProgram(text, people[1]!.key)]
    await read(text)
    await tab('Sign')
    const sign = panel('Sign')
    const openCopies = (...contents: string[]) =>
      sign.getByLabel('A copy of this request with other signatures: file').setInputFiles(
        contents.map((content, i) => ({
          name: `copy-${i}.json`,
          mimeType: 'application/json',
          buffer: Buffer.from(content),
        })),
      )
    await openCopies(copies[0]!.slice(1), copies[1]!)
    await sign.locator('.intake .error').waitFor()
    expect(await saved('Save request', sign)).toBe(text)
    await openCopies(...copies)
    await sign.getByText('complete: it can be finalized').waitFor()
    expect(await saved('Save request', sign)).toBe(await byProgram(copies[0]!, people[1]!.key))
  })

  /** What `avmkit request sign` makes of a request. */
  async function byProgram(text: string, key: Uint8Array): Promise<string> {
    const path = join(folder, 'request.json')
    const out = join(
      folder,
      `signed-${createHash('sha256').update(text).update(key).digest('hex')}`,
    )
    writeFileSync(path, text)
    const accept = ['SHARED_OUTPUT', 'FOREIGN_CHANGE'].flatMap((code) => ['--accept', code])
    const sink = { write: () => true }
    const status = await run(['request', 'sign', path, '--yes', '--out', out, ...accept], {
      stdout: sink,
      stderr: sink,
      stdin: process.stdin,
      env: { AVMKIT_KEY: formatPrivateKey(key) },
    })
    expect(status).toBe(0)
    return readFileSync(out, 'utf8')
  }

  it('signs with a mnemonic from a key file, at the path that the request names', async () => {
    const words = 'test test test test test test test test test test test junk'
    const path = join(folder, 'words.txt')
    writeFileSync(path, `# a comment\n${words}\n`)
    const [place] = accountFromMnemonic(words).watch.paths([{ change: 0, index: 7 }])
    const [utxo] = coins({ locktime: 0n, threshold: 1, addresses: [place!.address] })
    const request = proven(transfer([utxo!]), { paths: [place!] })
    await read(formatRequest(request))
    await tab('Sign')
    const sign = panel('Sign')
    await sign.getByLabel('key file', { exact: true }).setInputFiles(path)
    await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    await press('Finalize', sign)
    expect(await sign.locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
  })

  it('signs with an encrypted key file, after the right password', async () => {
    const cost = { n: 2 ** 10, r: 8, p: 1 }
    const text = await encryptKeyFile(formatPrivateKey(people[0]!.key), 'correct horse', { cost })
    await read(formatRequest(proven(transfer(coins(owners(1, 0))))))
    await tab('Sign')
    const sign = panel('Sign')
    await sign
      .getByLabel('key file', { exact: true })
      .setInputFiles({ name: 'k', mimeType: 'application/json', buffer: Buffer.from(text) })
    const password = sign.getByLabel('Password of the key file')
    await password.fill('battery staple')
    await press('Decrypt', sign)
    await sign.getByText('KEYFILE_WRONG_PASSWORD').waitFor()
    expect(await password.inputValue()).toBe('')
    await password.fill('correct horse')
    await password.press('Enter')
    await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    await press('Finalize', sign)
    expect(await sign.locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
  })

  it('signs a request that returns an output whose lock has ended', async () => {
    const request = fileOf({
      spend: [[vault, 10_000_000 + FEE]],
      pay: [[{ ...vault, locktime: NOW - 1n }, 10_000_000]],
    })
    await read(request)
    await tab('Sign')
    const sign = panel('Sign')
    await sign.getByLabel('Private key or mnemonic').fill(formatPrivateKey(people[0]!.key))
    await press('Use these keys', sign)
    expect(await sign.locator('.danger').count()).toBe(0)
    await press('Sign', sign)
    const other = formatAddress({ chain: 'X', hrp: 'local', address: people[1]!.address })
    expect(await sign.getByRole('status').first().innerText()).toContain(`: missing ${other}`)
  })

  it('does not bring a key back that was entered', async () => {
    await read(formatRequest(proven(transfer(coins(owners(1, 0))))))
    await tab('Sign')
    const secret = panel('Sign').getByLabel('Private key or mnemonic')
    await secret.focus()
    await page().keyboard.insertText(formatPrivateKey(people[0]!.key))
    await press('Use these keys', panel('Sign'))
    await secret.focus()
    await page().keyboard.press('Control+z')
    expect(await secret.inputValue()).toBe('')
  })

  it('wipes keys when they are forgotten, after signing, with another document and with the page', async () => {
    const other = await open()
    const key = people[0]!.key
    // Counts how often bytes that hold the key are zeroed.
    await other.evaluate((bytes) => {
      const page = globalThis as unknown as { wiped: number }
      const { fill } = Uint8Array.prototype
      page.wiped = 0
      Uint8Array.prototype.fill = function (...args) {
        if (args[0] === 0 && this.join() === bytes) page.wiped++
        return fill.apply(this, args)
      }
    }, key.join())
    const wiped = () => other.evaluate(() => (globalThis as unknown as { wiped: number }).wiped)
    const load = async (text: string) => {
      await other.getByRole('textbox', { name: 'Transaction, UTXO, block' }).fill(text)
      await press('Read', other)
    }
    const request = formatRequest(requestOf(plain))
    const sign = other.locator('#panel-Sign')
    const openTab = (name: string) => other.getByRole('tab', { name, exact: true }).click()
    for (const act of [
      () => press('Forget the keys', sign),
      () => press('Sign', sign),
      async () => {
        await openTab('Decode')
        await load('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')
      },
      () => other.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide'))),
    ]) {
      await openTab('Sign')
      await load(request)
      await sign.getByLabel('Private key or mnemonic').fill(formatPrivateKey(key))
      await press('Use these keys', sign)
      await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
      const before = await wiped()
      await act()
      expect(await wiped(), String(act)).toBeGreaterThan(before)
    }
    await other.close()
  })

  it('refuses keys that do not sign until that is accepted', async () => {
    await read(formatRequest(proven(transfer(coins(owners(1, 0))))))
    await tab('Sign')
    const sign = panel('Sign')
    await sign.getByLabel('Private key or mnemonic').fill(formatPrivateKey(people[3]!.key))
    await press('Use these keys', sign)
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    const refusal = await sign.locator('.error').first().innerText()
    expect(refusal).toMatch(/UNUSED_KEY|KEY_NOT_A_SIGNER/)
    expect(refusal).toMatch(/check the box Accept \w+ above/)
    expect(await sign.getByLabel(/Accept (UNUSED_KEY|KEY_NOT_A_SIGNER)/).count()).toBe(1)
    await press('Forget the keys', sign)
    expect(await sign.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0)
  })
})
