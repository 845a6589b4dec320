import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { splitFrames } from '../../page/bbqr.ts'
import { encodeTx, encodeUTXO, networks, type SignedTx, txID } from '../../src/chain/index.ts'
import { run } from '../../src/cli/run.ts'
import { checkedHex, formatAddress, formatID, formatPrivateKey } from '../../src/encoding/index.ts'
import { AvmError } from '../../src/errors.ts'
import {
  createRequest,
  explainRequest,
  finishRequest,
  formatExplanation,
  formatRequest,
  parseRequest,
  requestID,
  signRequest,
} from '../../src/sign/index.ts'
import { cases, plain, requestOf } from '../sign/adversarial-cases.ts'
import { acceptedTxs, coins, keysOf, owners, people, proven, transfer } from '../sign/fixtures.ts'
import { asset, drafted } from '../sign/scenes.ts'
import { NOW } from '../sign/verdicts.ts'
import { hasChromium, launch } from './browser.ts'
import { videoOf } from './video.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'avmkit-page-'))
const file = join(folder, 'avmkit.html')
const script = join(root, 'scripts/page.js')

/** Builds the page into a folder and returns what the script prints. */
function build(out: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--out', out], {
    encoding: 'utf8',
    cwd: out,
  })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

let printed: string
beforeAll(() => {
  printed = build(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the file', () => {
  it('is the same from every build, prints its hash and is small', () => {
    const again = mkdtempSync(join(tmpdir(), 'avmkit-page-again-'))
    const html = readFileSync(file)
    expect(build(again)).toBe(printed)
    expect(readFileSync(join(again, 'avmkit.html'))).toEqual(html)
    rmSync(again, { recursive: true })
    const hash = createHash('sha256').update(html).digest('hex')
    expect(printed).toMatch(new RegExp(`^${hash}  avmkit.html  `))
    expect(readFileSync(`${file}.sha256`, 'utf8')).toBe(`${hash}  avmkit.html\n`)
    expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(160 * 1024)
  })

  it('allows nothing but its own script and style', () => {
    const html = readFileSync(file, 'utf8')
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(html)!
    const [, code] = /<script type="module">([\s\S]*?)<\/script>/.exec(html)!
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash(code!)}'`,
      `style-src 'sha256-${hash(style!)}'`,
      "connect-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(html.match(/<script/g)).toHaveLength(1)
  })
})

describe.runIf(hasChromium('the offline page'))('the page in Chromium', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const problems: string[] = []
  const requests: string[] = []

  beforeAll(async () => {
    browser = await launch()
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    context.on('request', (request) => requests.push(request.url()))
    context.setDefaultTimeout(15_000)
    page = await open(context)
    // The requests that mislead have locktimes around this time.
    await page.clock.setFixedTime(Number(NOW) * 1000)
  })
  afterAll(() => browser.close())
  afterEach(() => {
    // Whatever a test did: no error that nobody caught, no violation of the policy, no request.
    expect(problems).toEqual([])
    const url = pathToFileURL(file).href
    expect(requests.filter((other) => other !== url && !other.startsWith('blob:'))).toEqual([])
  })

  async function open(where: BrowserContext): Promise<Page> {
    const next = await where.newPage()
    next.on('pageerror', (error) => problems.push(String(error)))
    next.on('console', (message) => problems.push(message.text()))
    await next.goto(pathToFileURL(file).href)
    return next
  }
  const panel = (name: string) => page.locator(`#panel-${name}`)
  const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click()
  const source = () => page.getByRole('textbox', { name: 'Transaction, UTXO, block' })
  const press = (name: string, inside: Page | Locator = page) =>
    inside.getByRole('button', { name, exact: true }).click()
  const read = async (text: string) => {
    await source().fill(text)
    await press('Read')
  }

  it('shows structure and bytes, and selects one by the other', async () => {
    const { txs } = acceptedTxs()
    await tab('Decode')
    await read(checkedHex.encode(txs[0]!))
    const decode = panel('Decode')
    await expect.poll(() => decode.locator('.facts').innerText()).toContain(formatID(txID(txs[0]!)))
    const amount = decode.locator('[data-path="unsignedTx.outputs[0].output.amount"]').first()
    await amount.click()
    const value = (await amount.locator('.value').innerText()).trim()
    const bytes = (await decode.locator('.bytes .selected').allInnerTexts()).join('')
    expect(BigInt(`0x${bytes}`)).toBe(BigInt(value))
    expect(await amount.getAttribute('aria-pressed')).toBe('true')
    // The first byte is part of the codec version.
    await decode.locator('.byte-row span:not(.offset)').first().click()
    const version = decode.locator('[data-path="codecVersion"]')
    expect(await version.getAttribute('aria-pressed')).toBe('true')
  })

  it('shows errors at their offset and path', async () => {
    const bytes = acceptedTxs().txs[0]!.slice(0, 150)
    await tab('Decode')
    await read(checkedHex.encode(bytes))
    const decode = panel('Decode')
    expect(await page.locator('.source .error').innerText()).toMatch(
      /CODEC_SHORT_BUFFER .*offset \d+/,
    )
    expect(await decode.locator('.tree').innerText()).toContain('blockchainID')
    expect(await decode.locator('.bytes').innerText()).toContain('144')
  })

  it('says what everything else is', async () => {
    await tab('Decode')
    const [utxo] = coins(owners(1, 0))
    const things: [string, string][] = [
      [checkedHex.encode(encodeUTXO(utxo!)), 'UTXO, secp256k1fx.TransferOutput'],
      ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'address on the X-Chain'],
      [formatID(networks.mainnet.assetID), 'AVAX on mainnet'],
      [formatRequest(requestOf(plain)), 'signing request, BaseTx'],
      ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', 'node ID'],
    ]
    for (const [text, kind] of things) {
      await read(text)
      expect(await panel('Decode').locator('.facts').innerText()).toContain(kind)
    }
  })

  it('shows the addresses of a private key and forgets the key', async () => {
    const key = formatPrivateKey(people[0]!.key)
    await tab('Decode')
    await read(key)
    expect(await panel('Decode').innerText()).toContain('private key; only its addresses')
    expect(await source().inputValue()).toBe('')
    expect(await page.content()).not.toContain(key.slice(11))
    // Words that are nearly a mnemonic are as secret.
    await read('test test test test test test test test test test test jnk')
    expect(await page.locator('.source .error').innerText()).toContain('may be a private key')
    expect(await source().inputValue()).toBe('')
  })

  it('explains with the words of the library, and with a diagram', async () => {
    const request = requestOf(plain)
    await read(formatRequest(request))
    await tab('Explain')
    const explain = panel('Explain')
    expect(await explain.locator('pre').textContent()).toBe(
      formatExplanation(explainRequest(request, { now: NOW })),
    )
    const diagram = explain.getByRole('img')
    expect(await diagram.getAttribute('aria-label')).toMatch(/AVAX: .* spent .*; pay .*; fee /)
    expect(await diagram.locator('text').allTextContents()).toContain('fee 0.001 AVAX')
    const ours = formatAddress({ chain: 'X', hrp: 'local', address: people[0]!.address })
    await explain.getByLabel('Your addresses').fill(ours)
    await press('Explain', explain)
    expect(await explain.locator('pre').textContent()).toContain('return')
  })

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
    expect(await page.content()).not.toContain(formatPrivateKey(people[0]!.key).slice(11))

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

  /** What a button offers for saving. */
  async function saved(name: string): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), press(name)])
    const path = join(folder, 'saved')
    await download.saveAs(path)
    return readFileSync(path, 'utf8')
  }

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
    const { accountFromMnemonic } = await import('../../src/crypto/hd.ts')
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
    const { encryptKeyFile } = await import('../../src/keyfile/index.ts')
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
    await press('Decrypt', sign)
    await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
    for (const box of await sign.getByRole('checkbox').all()) await box.check()
    await press('Sign', sign)
    await press('Finalize', sign)
    expect(await sign.locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
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
    expect(await sign.getByLabel(/Accept (UNUSED_KEY|KEY_NOT_A_SIGNER)/).count()).toBe(1)
    await press('Forget the keys', sign)
    expect(await sign.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0)
  })

  it('says of every request that is made to mislead what the library says', async () => {
    await tab('Sign')
    const sign = panel('Sign')
    let loaded = 0
    for (const [name, text, reader, verdict] of cases) {
      const content = writable(text)
      if (content === undefined) continue
      loaded++
      await read(content)
      if (verdict.read !== undefined) {
        expect(await page.locator('.source .error').textContent(), name).toContain(verdict.read)
        expect(await sign.locator('form').count(), name).toBe(0)
        continue
      }
      if (reader !== undefined) {
        await sign.getByLabel('key file', { exact: true }).setInputFiles({
          name: 'keys',
          mimeType: 'text/plain',
          buffer: Buffer.from(reader.map((i) => formatPrivateKey(people[i]!.key)).join('\n')),
        })
        await sign.getByRole('button', { name: 'Sign', exact: true }).waitFor()
      }
      const warned = (await sign.locator('.warnings strong').allInnerTexts()).map((line) =>
        line.replace('DANGER ', '!').replace('WARNING ', ''),
      )
      expect(warned, name).toEqual(
        verdict.warns!.map((code) => (code.endsWith('!') ? `!${code.slice(0, -1)}` : code)),
      )
      const dangers = warned.filter((code) => code.startsWith('!')).map((code) => code.slice(1))
      if (reader === undefined || dangers.length === 0) continue
      // Refused until each code is accepted.
      await press('Sign', sign)
      expect(await sign.locator('.error').first().innerText(), name).toContain(dangers[0])
      expect(await sign.getByRole('checkbox').count(), name).toBe(dangers.length)
    }
    expect(loaded).toBeGreaterThanOrEqual(50)
  })

  /** The text of a request, unless it contradicts itself so much that the library does not even write it. */
  function writable(text: () => string): string | undefined {
    try {
      return text()
    } catch (error) {
      if (error instanceof AvmError) return undefined
      throw error
    }
  }

  it('shows markup, controls and look-alikes as text', async () => {
    const evil = '<img src=x onerror=alert(1)>"\'\u202e\u0000</pre><script>alert(2)</script>'
    const fake = asset({ name: evil.slice(0, 60), symbol: '<b>' })
    const memo = new TextEncoder().encode(evil)
    const draft = drafted({
      ...plain,
      as: (tx) => ({ ...tx, memo }),
    })
    const request = createRequest(draft, { parents: [] })
    await read(formatRequest(request))
    for (const name of ['Decode', 'Explain', 'Sign']) {
      await tab(name)
      expect(await page.locator('img, script:not([type=module])').count()).toBe(0)
    }
    expect(await panel('Sign').locator('pre').textContent()).toContain(
      '<img src=x onerror=alert(1)>',
    )
    expect(await panel('Sign').innerText()).not.toContain('\u202e')
    await tab('Decode')
    await read(checkedHex.encode(fake.proof))
    expect(await panel('Decode').locator('.tree').innerText()).toContain('<img src=x')
    expect(await page.locator('img').count()).toBe(0)
  })

  it('stays usable after pastes of five million characters', async () => {
    await tab('Decode')
    const hostile = [
      `0x${'00'.repeat(2_500_000)}`,
      'Z'.repeat(5_000_000),
      `{"a":[${'['.repeat(5_000_000)}`,
    ]
    for (const text of hostile) {
      await source().focus()
      await page.evaluate((pasted) => {
        const data = new DataTransfer()
        data.setData('text/plain', pasted)
        const event = new ClipboardEvent('paste', {
          clipboardData: data,
          bubbles: true,
          cancelable: true,
        })
        document.activeElement!.dispatchEvent(event)
      }, text)
      await page.locator('.source .error').waitFor()
      expect(await page.getByText('too many to show').first().innerText()).toMatch(/5,000,\d{3}/)
    }
    await press('Clear')
    await read('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')
    expect(await panel('Decode').innerText()).toContain('address on the X-Chain')
  })

  it('opens dropped files and images of QR codes', async () => {
    await tab('Decode')
    const request = requestOf(plain)
    const drop = async (name: string, type: string, bytes: number[]) => {
      const data = await page.evaluateHandle(
        ([fileName, mime, content]) => {
          const transfer = new DataTransfer()
          transfer.items.add(new File([new Uint8Array(content)], fileName, { type: mime }))
          return transfer
        },
        [name, type, bytes] as const,
      )
      await source().dispatchEvent('drop', { dataTransfer: data })
    }
    await drop('request.json', 'application/json', [...Buffer.from(formatRequest(request))])
    await expect.poll(() => panel('Decode').innerText()).toContain(formatID(requestID(request)))
    await press('Clear')
    await tab('Generate')
    await press('Generate', panel('Generate'))
    const code = panel('Generate').locator('.qr').first()
    const address = await panel('Generate').locator('.addresses code').first().innerText()
    const png = await code.screenshot()
    await tab('Decode')
    await drop('code.png', 'image/png', [...png])
    await expect.poll(() => source().inputValue()).toBe(address)
    await drop('empty.png', 'image/png', [1, 2, 3])
    await expect.poll(() => page.locator('.source .error').innerText()).toContain('QR_NOT_FOUND')
  })

  it('generates keys that belong to their addresses, with dice and without', async () => {
    await tab('Generate')
    const generate = panel('Generate')
    const secrets = new Set<string>()
    const { accountFromMnemonic } = await import('../../src/crypto/hd.ts')
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
    await page.emulateMedia({ media: 'print' })
    expect(await generate.locator('output').isVisible()).toBe(true)
    expect(await page.getByRole('tablist').isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    // Reading a document does not lose a secret that nobody has written down yet.
    await tab('Decode')
    await read('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')
    await tab('Generate')
    await press('Forget it', generate)
    const last = [...secrets].at(-1)!
    expect(await page.content()).not.toContain(last)
  })

  it('verifies IDs, digests and signatures', async () => {
    const draft = transfer(coins(owners(1, 0)))
    const request = signRequest(proven(draft), keysOf(0), {
      accept: ['FOREIGN_CHANGE', 'SHARED_OUTPUT'],
    })
    const { signedTx, bytes } = finishRequest(request)
    await tab('Verify')
    const verify = panel('Verify')
    await read(checkedHex.encode(bytes))
    await verify.getByLabel('Expected ID').fill(formatID(txID(bytes)))
    await press('Verify', verify)
    expect(await verify.locator('.checks').innerText()).toMatch(
      /correct: ID[\s\S]*not checked: signatures/,
    )
    await verify.getByText('Evidence for signatures').click()
    await verify
      .getByRole('textbox', { name: 'Spent UTXOs' })
      .fill(draft.utxos.map((u) => checkedHex.encode(encodeUTXO(u))).join('\n'))
    await press('Add', verify)
    await verify.getByLabel('Expected digest').fill('AAAAA')
    await press('Verify', verify)
    expect(await verify.locator('.checks').innerText()).toMatch(
      /WRONG: digest[\s\S]*correct: signatures/,
    )
    const signatures = [new Uint8Array(65).fill(1)]
    const wrong: SignedTx = {
      ...signedTx,
      credentials: [{ type: 'secp256k1fx.Credential', signatures }],
    }
    await read(checkedHex.encode(encodeTx(wrong)))
    await press('Verify', verify)
    expect(await verify.locator('.checks').innerText()).toMatch(/WRONG: ID[\s\S]*WRONG: signatures/)
  })

  it('works by keyboard alone', async () => {
    const fresh = await open(context)
    await fresh.keyboard.press('Tab')
    await fresh.keyboard.press('ArrowRight')
    expect(await fresh.locator(':focus').innerText()).toBe('Explain')
    await fresh.keyboard.press('End')
    expect(await fresh.locator(':focus').innerText()).toBe('Verify')
    await fresh.keyboard.press('Home')
    await fresh.keyboard.press('Tab')
    await fresh.keyboard.insertText(checkedHex.encode(acceptedTxs().txs[0]!))
    await fresh.keyboard.press('Tab')
    await fresh.keyboard.press('Enter')
    const pick = fresh.locator('.pick').first()
    await pick.focus()
    await fresh.keyboard.press('Space')
    expect(await pick.getAttribute('aria-pressed')).toBe('true')
    expect(await fresh.locator('.bytes .selected').count()).toBe(2)
    await fresh.close()
  })

  it('has no fault that axe finds, in light, dark and on narrow screens', async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
    // Its own page without the policy: axe is a script that the policy forbids.
    const lenient = await browser.newContext({ bypassCSP: true })
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      const checked = await lenient.newPage()
      await checked.emulateMedia({ colorScheme: scheme })
      await checked.setViewportSize({ width, height: 800 })
      await checked.goto(pathToFileURL(file).href)
      await checked.evaluate(axe)
      await checked
        .getByRole('textbox', { name: 'Transaction, UTXO, block' })
        .fill(formatRequest(createRequest(drafted(plain), { parents: [] })))
      await checked.getByRole('button', { name: 'Read', exact: true }).click()
      for (const name of ['Decode', 'Explain', 'Sign', 'Generate', 'Verify']) {
        await checked.getByRole('tab', { name, exact: true }).click()
        if (name === 'Generate')
          await checked.getByRole('button', { name: 'Generate', exact: true }).click()
        // Colors differ in the two schemes, the rest does not: one view has most of them.
        const skipped = scheme === 'light' && name !== 'Sign'
        const faults = skipped
          ? []
          : await checked.evaluate(async () => {
              const { axe: tool } = globalThis as unknown as {
                axe: {
                  run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
                }
              }
              const { violations } = await tool.run()
              return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)}`)
            })
        expect(faults, `${name}, ${scheme}`).toEqual([])
        // Nothing makes the whole page scroll sideways.
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

  it('cannot make a request even if a script tries', async () => {
    let received = 0
    const server = createServer((_request, response) => {
      received++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const blocked = await page.evaluate(async (target) => {
      const failed = await fetch(target).then(
        () => false,
        () => true,
      )
      const image = document.createElement('img')
      const refused = new Promise((resolve) => image.addEventListener('error', () => resolve(true)))
      image.src = target
      return [failed, await refused, navigator.sendBeacon(target)]
    }, url)
    expect(blocked.slice(0, 2)).toEqual([true, true])
    await new Promise((resolve) => server.close(resolve))
    expect(received).toBe(0)
    // The browser reports each violation of the policy.
    expect(problems.splice(0).filter((text) => !text.includes('Content Security Policy'))).toEqual(
      [],
    )
    requests.splice(0)
  })
})

describe.runIf(hasChromium('the camera of the offline page'))('the page with a camera', () => {
  it('reads a request from a series of QR codes, damaged ones among them, and shows one itself', async () => {
    const request = proven(transfer(coins(owners(1, 0), owners(1, 0), owners(1, 0))))
    const text = formatRequest(request)
    const frames = splitFrames(new TextEncoder().encode(text), 'J', 600)
    expect(frames.length).toBeGreaterThan(3)
    const damaged = `${frames[1]!.slice(0, 4)}ZZ${frames[1]!.slice(6)}`
    const video = join(folder, 'camera.y4m')
    writeFileSync(video, videoOf([undefined, 'B$2J??', damaged, ...frames]))
    const browser = await launch([
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-video-capture=${video}`,
    ])
    try {
      const page = await browser.newPage()
      await page.goto(pathToFileURL(file).href)
      await page.getByRole('button', { name: 'Scan QR code', exact: true }).first().click()
      const facts = page.locator('#panel-Decode .facts')
      await facts.waitFor({ timeout: 30_000 })
      expect(await facts.innerText()).toContain(formatID(requestID(request)))
      expect(await page.locator('video').count()).toBe(0)

      // What the page shows as a series is what another page would read.
      await page.getByRole('tab', { name: 'Sign', exact: true }).click()
      await page.getByRole('button', { name: 'Show request as QR code' }).click()
      const shown = Number(await page.locator('.qr-series').getAttribute('data-frames'))
      expect(shown).toBe(splitFrames(new TextEncoder().encode(text), 'J').length)
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Next' }).click()
      expect(await page.locator('.qr-series .hint').innerText()).toMatch(/^QR code \d+ of \d+$/)
    } finally {
      await browser.close()
    }
  })
})
