import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { formatRequest } from '../../src/core/sign/request/request-file.ts'
import { coins, proven, transfer } from '../core/sign/fixtures.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

describe.runIf(hasChromium('generating in the offline page'))('generating in the page', () => {
  const { folder, page, panel, tab, press, read, saved } = usePage()

  it('generates keys that belong to their addresses, with dice and without', async () => {
    await tab('Generate')
    const generate = panel('Generate')
    const secrets = new Set<string>()
    for (const [kind, dice] of [
      ['24 words', ''],
      ['12 words', '1234566543211234566543'],
      ['24 words', '1'],
    ] as const) {
      await generate.getByLabel('What to make').selectOption(kind)
      await generate.getByLabel('Network').selectOption('fuji')
      await generate.getByLabel('Addresses').fill('2')
      await generate.getByLabel('Rolls of a die').fill(dice)
      await press('Generate', generate)
      expect(await generate.getByLabel('Rolls of a die').inputValue()).toBe('')
      expect(await generate.locator('output').isVisible()).toBe(false)
      await press('Show the secret', generate)
      const words = await generate.locator('output').innerText()
      expect(words.split(' ')).toHaveLength(Number.parseInt(kind, 10))
      secrets.add(words)
      const account = accountFromMnemonic(words).watch
      expect(await generate.locator('.addresses code').allInnerTexts()).toEqual(
        [0, 1].map((index) =>
          formatAddress({
            chain: 'X',
            hrp: 'fuji',
            address: account.address({ change: 0, index }),
          }),
        ),
      )
    }
    expect(secrets.size).toBe(3)
    await generate.getByLabel('Rolls of a die').fill('1237')
    await press('Generate', generate)
    expect(await generate.getByRole('alert').innerText()).toContain('DICE_INVALID')
    await page().emulateMedia({ media: 'print' })
    expect(await generate.locator('output').isVisible()).toBe(true)
    expect(await page().locator('nav.steps').isVisible()).toBe(false)
    await page().emulateMedia({ media: 'screen' })
    // Reading a document does not lose a secret that nobody has written down yet.
    await read('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')
    await tab('Generate')
    await press('Forget it', generate)
    const last = [...secrets].at(-1)!
    expect(await page().locator('body').textContent()).not.toContain(last)
  })

  it('saves encrypted key files that the program and the page open', async () => {
    await tab('Generate')
    const generate = panel('Generate')
    await generate.getByLabel('What to make').selectOption('12 words')
    await generate.getByLabel('Network').selectOption('local')
    await generate.getByLabel('Rolls of a die').fill('')
    await press('Generate', generate)
    const password = generate.getByLabel('Password of the new key file')
    const repeated = generate.getByLabel('Repeat the password')
    await password.fill('correct horse')
    await repeated.fill('correct hoarse')
    await press('Save encrypted', generate)
    expect(await generate.getByRole('alert').innerText()).toContain('PASSWORD_MISMATCH')
    expect([await password.inputValue(), await repeated.inputValue()]).toEqual(['', ''])
    await press('Save encrypted', generate)
    await expect
      .poll(() => generate.getByRole('alert').innerText())
      .toMatch(/The password is empty\s+BAD_PASSWORD/)
    await password.fill('correct horse')
    await repeated.fill('correct horse')
    const file = await saved('Save encrypted', generate)
    const address = await generate.locator('.addresses code').first().innerText()
    const words = await generate.locator('output').textContent()
    expect(file).not.toContain(words!.split(' ')[0]!)

    writeFileSync(join(folder, 'keys.json'), file)
    writeFileSync(join(folder, 'password'), 'correct horse\n')
    const printed: string[] = []
    const write = (text: string) => printed.push(text) > 0
    const argv = ['keys', 'show', '--network', 'local', '--key-file', join(folder, 'keys.json')]
    const status = await run(argv, {
      stdout: { write },
      stderr: { write },
      stdin: process.stdin,
      env: { AVMKIT_PASSWORD_FILE: join(folder, 'password') },
    })
    expect([status, printed.join('')]).toEqual([0, expect.stringContaining(address)])

    const owner = accountFromMnemonic(words!).watch.address({ change: 0, index: 0 })
    await read(
      formatRequest(proven(transfer(coins({ locktime: 0n, threshold: 1, addresses: [owner] })))),
    )
    await tab('Key')
    const key = panel('Key')
    const buffer = Buffer.from(file)
    await key
      .getByLabel('key file', { exact: true })
      .setInputFiles({ name: 'keys.json', mimeType: 'application/json', buffer })
    await key.getByLabel('Password of the key file').fill('correct horse')
    await page().keyboard.press('Enter')
    expect(await panel('Sign').locator('.keys').innerText()).toContain(address)
  })
})
