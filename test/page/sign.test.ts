import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { accountFromMnemonic, type HDAccount } from '../../src/core/crypto/hd/index.ts'
import { encryptKeyFile } from '../../src/core/crypto/keyfile/index.ts'
import { createRequest, finishRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../src/core/sign/request/request-file.ts'
import { coins, owners, people, proven, transfer } from '../core/sign/fixtures.ts'
import { drafted, FEE, fileOf, plain, requestOf, vault } from '../core/sign/scenes.ts'
import { NOW } from '../core/sign/verdicts.ts'
import { hasChromium } from './browser.ts'
import { usePage, viewName } from './harness.ts'

describe.runIf(hasChromium('signing in the offline page'))('signing in the page', () => {
  const { folder, open, page, panel, tab, press, read, saved, useKey, acceptAndSign } = usePage()

  it('signs the bytes that the program signs, clears the key and lists who is missing', async () => {
    const request = proven(transfer(coins(owners(2, 0, 1))))
    const text = formatRequest(request)
    await read(text)
    await useKey(formatPrivateKey(people[0]!.key))
    await acceptAndSign()
    const signed = await saved('Save request')
    expect(signed).toBe(await byProgram(text, people[0]!.key))
    const taken = panel('Take away')
    expect(await taken.getByRole('status').first().innerText()).toContain(
      'Signed. 1 signature is missing',
    )
    expect(await taken.locator('.owners .waiting').innerText()).toContain(textOf(1))
    expect(await taken.locator('.owners .signed').innerText()).toContain(textOf(0))
    expect(await page().content()).not.toContain(formatPrivateKey(people[0]!.key).slice(11))
    expect(await taken.getByRole('button', { name: 'Finalize' }).count()).toBe(0)

    // The other signer's copy is merged, and the transaction is that of the library.
    const copy = await byProgram(text, people[1]!.key)
    await taken.getByRole('textbox', { name: 'A copy of this request' }).fill(copy)
    await press('Merge', taken)
    await press('Finalize', taken)
    const both = parseRequest(await byProgram(signed, people[1]!.key))
    expect(await taken.locator('pre.tx').innerText()).toBe(
      checkedHex.encode(finishRequest(both).bytes),
    )
  })

  it('cannot sign before there is a key and every danger is accepted, and repeats what is paid', async () => {
    await read(formatRequest(createRequest(drafted(plain), { parents: [] })))
    const sign = panel('Sign')
    const signButton = sign.getByRole('button', { name: 'Sign', exact: true })
    await tab('Sign')
    expect(await signButton.count()).toBe(0)
    expect(await sign.innerText()).toContain('Enter a key first.')
    await useKey(formatPrivateKey(people[0]!.key))
    const boxes = await sign.getByRole('checkbox').all()
    expect(boxes.length).toBeGreaterThan(1)
    for (const [i, box] of boxes.entries()) {
      expect(await signButton.isDisabled()).toBe(true)
      const left = boxes.length - i
      expect(await sign.locator('#sign-reason').innerText()).toContain(
        left === 1 ? 'Accept the danger above' : `Accept the ${left} dangers above`,
      )
      await box.check()
    }
    expect(await signButton.isDisabled()).toBe(false)
    await boxes[0]!.uncheck()
    expect(await signButton.isDisabled()).toBe(true)
    const sentence = await sign.locator('.sentence').innerText()
    expect(sentence).toMatch(/98\.999 AVAX to 2 of 2 owners and 1 more payment/)
    // A single recipient is named in full, in groups that are drawn and not written.
    await read(fileOf({ spend: [[owners(1, 0), 5_000_000]], pay: [[owners(1, 3), 4_999_000]] }))
    await useKey(formatPrivateKey(people[0]!.key))
    expect(await sign.locator('.sentence').textContent()).toBe(
      `You sign: 4.999 AVAX to ${textOf(3)}. Fee 0.001 AVAX.`,
    )
    const groups = await sign.locator('.sentence .address span').allTextContents()
    expect(groups[0]).toBe('X-local1')
    expect(groups.slice(1, -1).every((group) => group.length === 4)).toBe(true)
    // Accepting for one document accepts nothing for the next.
    await read(formatRequest(createRequest(drafted(plain), { parents: [] })))
    await useKey(formatPrivateKey(people[0]!.key))
    expect(await signButton.isDisabled()).toBe(true)
  })

  it('merges the copies of several files, and none of them if one is damaged', async () => {
    const text = formatRequest(proven(transfer(coins(owners(2, 0, 1)))))
    const copies = [await byProgram(text, people[0]!.key), await byProgram(text, people[1]!.key)]
    await read(text)
    await tab('Take away')
    const taken = panel('Take away')
    const openCopies = (...contents: string[]) =>
      taken.getByLabel('A copy of this request with other signatures: file').setInputFiles(
        contents.map((content, i) => ({
          name: `copy-${i}.json`,
          mimeType: 'application/json',
          buffer: Buffer.from(content),
        })),
      )
    await openCopies(copies[0]!.slice(1), copies[1]!)
    await taken.locator('.intake .error').waitFor()
    expect(await saved('Save request', taken)).toBe(text)
    // A signature of another key is left out, and reported.
    const [good, wrong] = copies.map((copy) => /"signature": "([^"]+)"/.exec(copy)![1]!)
    await openCopies(copies[1]!.replace(wrong!, good!))
    await taken.getByText('Invalid parts of copies were left out').waitFor()
    expect(await saved('Save request', taken)).toBe(text)
    await openCopies(...copies)
    await taken.getByText('Complete: all signatures are there').waitFor()
    expect(await saved('Save request', taken)).toBe(await byProgram(copies[0]!, people[1]!.key))
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
    await read(ownedBy(accountFromMnemonic(words), 7))
    await tab('Key')
    await panel('Key').getByLabel('key file', { exact: true }).setInputFiles(path)
    await panel('Sign').waitFor()
    await acceptAndSign()
    await press('Finalize', panel('Take away'))
    expect(await panel('Take away').locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
  })

  it('signs with a mnemonic and its passphrase, which is cleared', async () => {
    const words = 'test test test test test test test test test test test junk'
    await read(ownedBy(accountFromMnemonic(words, { passphrase: 'TREZOR ä' }), 3))
    await tab('Key')
    const key = panel('Key')
    await key.getByText('Options of a mnemonic').click()
    const passphrase = key.getByLabel('Passphrase of the mnemonic')
    for (const [typed, isRight] of [
      ['', false],
      ['trezor ä', false],
      ['TREZOR ä', true],
    ] as const) {
      await passphrase.fill(typed)
      await key.getByLabel('Private key or mnemonic').fill(words)
      await press('Use these keys', key)
      expect(await passphrase.inputValue()).toBe('')
      if (!isRight) await key.locator('.wrong-key').waitFor()
    }
    await panel('Sign').waitFor()
    await acceptAndSign()
    await press('Finalize', panel('Take away'))
    expect(await panel('Take away').locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
  })

  /** A request that spends the UTXO of an address of an account, and names its path. */
  function ownedBy(account: HDAccount, index: number): string {
    const [place] = account.watch.paths([{ change: 0, index }])
    const [utxo] = coins({ locktime: 0n, threshold: 1, addresses: [place!.address] })
    return formatRequest(proven(transfer([utxo!]), { paths: [place!] }))
  }

  it('signs with an encrypted key file, after the right password', async () => {
    const cost = { n: 2 ** 10, r: 8, p: 1 }
    const text = await encryptKeyFile(formatPrivateKey(people[0]!.key), 'correct horse', { cost })
    await read(formatRequest(proven(transfer(coins(owners(1, 0))))))
    await tab('Key')
    const key = panel('Key')
    await key
      .getByLabel('key file', { exact: true })
      .setInputFiles({ name: 'k', mimeType: 'application/json', buffer: Buffer.from(text) })
    const password = key.getByLabel('Password of the key file')
    await password.fill('battery staple')
    await press('Decrypt', key)
    await key.getByText('KEYFILE_WRONG_PASSWORD').waitFor()
    expect(await password.inputValue()).toBe('')
    await password.fill('correct horse')
    await password.press('Enter')
    await panel('Sign').waitFor()
    await acceptAndSign()
    await press('Finalize', panel('Take away'))
    expect(await panel('Take away').locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
  })

  it('signs a request that returns an output whose lock has ended', async () => {
    const request = fileOf({
      spend: [[vault, 10_000_000 + FEE]],
      pay: [[{ ...vault, locktime: NOW - 1n }, 10_000_000]],
    })
    await read(request)
    await useKey(formatPrivateKey(people[0]!.key))
    expect(await panel('Sign').locator('.danger').count()).toBe(0)
    await press('Sign', panel('Sign'))
    expect(await panel('Take away').locator('.owners .waiting').innerText()).toContain(textOf(1))
  })

  it('does not bring a key back that was entered', async () => {
    await read(formatRequest(proven(transfer(coins(owners(1, 0))))))
    await tab('Key')
    const secret = panel('Key').getByLabel('Private key or mnemonic')
    await secret.focus()
    await page().keyboard.insertText(formatPrivateKey(people[0]!.key))
    await press('Use these keys', panel('Key'))
    await tab('Key')
    await secret.focus()
    await page().keyboard.press('Control+z')
    expect(await secret.inputValue()).toBe('')
  })

  it('wipes keys when they are forgotten, after signing, with another document and with the page', async () => {
    const other = await open()
    const secret = people[0]!.key
    // Counts how often bytes that hold the key are zeroed.
    await other.evaluate((bytes) => {
      const page = globalThis as unknown as { wiped: number }
      const { fill } = Uint8Array.prototype
      page.wiped = 0
      Uint8Array.prototype.fill = function (...args) {
        if (args[0] === 0 && this.join() === bytes) page.wiped++
        return fill.apply(this, args)
      }
    }, secret.join())
    const wiped = () => other.evaluate(() => (globalThis as unknown as { wiped: number }).wiped)
    const load = async (text: string) => {
      await openStep('Load')
      await other.getByRole('textbox', { name: 'Signing request, transaction' }).fill(text)
      await press('Read', other)
    }
    const request = formatRequest(requestOf(plain))
    const sign = other.locator('#panel-Sign')
    const key = other.locator('#panel-Key')
    const openStep = (name: string) =>
      other
        .getByRole('navigation')
        .getByRole('button', { name: viewName(name) })
        .click()
    for (const act of [
      () => press('Forget the keys', sign),
      () => press('Sign', sign),
      () => load('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'),
      () => other.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide'))),
    ]) {
      await load(request)
      await openStep('Key')
      await key.getByLabel('Private key or mnemonic').fill(formatPrivateKey(secret))
      await press('Use these keys', key)
      await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
      const before = await wiped()
      await act()
      expect(await wiped(), String(act)).toBeGreaterThan(before)
    }
    await other.close()
  })

  it('says whose key a wrong key is and whose is needed, and forgets it', async () => {
    await read(formatRequest(proven(transfer(coins(owners(2, 0, 1))))))
    await useKey(formatPrivateKey(people[3]!.key))
    const wrong = panel('Key').locator('.wrong-key')
    expect(await wrong.locator('.address').allTextContents()).toEqual([3, 0, 1].map(textOf))
    await tab('Sign')
    expect(await panel('Sign').innerText()).toContain('Enter a key first.')
  })

  it('refuses a key that has nothing to do with the request until that is accepted', async () => {
    await read(formatRequest(requestOf(plain)))
    await tab('Key')
    const both = [0, 3].map((i) => formatPrivateKey(people[i]!.key)).join('\n')
    await panel('Key')
      .getByLabel('key file', { exact: true })
      .setInputFiles({ name: 'keys', mimeType: 'text/plain', buffer: Buffer.from(both) })
    const sign = panel('Sign')
    await sign.waitFor()
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    const box = sign.getByLabel('Accept UNUSED_KEY')
    expect(await box.isChecked()).toBe(false)
    expect(await sign.getByRole('button', { name: 'Sign', exact: true }).isDisabled()).toBe(true)
    await box.check()
    await press('Sign', sign)
    await panel('Take away').getByText('1 signature is missing').waitFor()
  })
})

/** The address of a person. */
function textOf(person: number): string {
  return formatAddress({ chain: 'X', hrp: 'local', address: people[person]!.address })
}
