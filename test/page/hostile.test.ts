import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID, formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { addressOf, publicKeyOf } from '../../src/core/crypto/secp256k1.ts'
import { formatExplanation } from '../../src/core/sign/explain/explain-text.ts'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { createRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../src/core/sign/request/request-file.ts'
import { detect } from '../../src/inspect/detect.ts'
import { changedFiles } from '../core/sign/changed-files.ts'
import { people } from '../core/sign/fixtures.ts'
import { misleadingCases } from '../core/sign/misleading/index.ts'
import { asset, drafted, plain } from '../core/sign/scenes.ts'
import { errorOf, NOW } from '../core/sign/verdicts.ts'
import { todaysOf } from '../helpers/todays-cases.ts'
import { hasChromium } from './browser.ts'
import { usePage, viewName } from './harness.ts'

const { local } = networks

describe.runIf(hasChromium('hostile input in the offline page'))(
  'hostile input in the page',
  () => {
    const { page, panel, tab, source, press, read } = usePage()

    for (const [topic, cases] of Object.entries(misleadingCases))
      it(`says of every request that may mislead by ${topic} what the library says`, async () => {
        for (const [name, text, reader, verdict] of todaysOf(cases)) {
          const content = text()
          await read(content)
          if (verdict.read !== undefined) {
            expect(await page().locator('.source .error').textContent(), name).toContain(
              verdict.read,
            )
            expect(await isLoaded(), name).toBe(false)
            continue
          }
          const isSigner = reader !== undefined
          const view = panel(isSigner ? 'Sign' : 'Check')
          if (isSigner) {
            await tab('Key')
            await panel('Key')
              .getByLabel('key file', { exact: true })
              .setInputFiles({
                name: 'keys',
                mimeType: 'text/plain',
                buffer: Buffer.from(reader.map((i) => formatPrivateKey(people[i]!.key)).join('\n')),
              })
            await view.waitFor()
          }
          const warned = (await view.locator('.warnings strong').allInnerTexts()).map((line) =>
            line.replace('DANGER ', '!').replace('WARNING ', ''),
          )
          // Dangers come first.
          const expected = verdict.warns!.map((code) =>
            code.endsWith('!') ? `!${code.slice(0, -1)}` : code,
          )
          const isDanger = (code: string) => code.startsWith('!')
          expect(warned, name).toEqual([
            ...expected.filter(isDanger),
            ...expected.filter((code) => !isDanger(code)),
          ])
          // The words are those of the library, for the same keys and the same time.
          const ours = reader?.map((i) => addressOf(publicKeyOf(people[i]!.key)))
          const explanation = explainRequest(parseRequest(content), { now: NOW, ours })
          expect(await view.locator('pre.words').textContent(), name).toBe(
            formatExplanation(explanation),
          )
          const dangers = warned.filter((code) => code.startsWith('!')).map((code) => code.slice(1))
          if (!isSigner) continue
          // Disabled until each code is accepted.
          const sign = view.getByRole('button', { name: 'Sign', exact: true })
          expect(await sign.isDisabled(), name).toBe(dangers.length > 0)
          expect(await view.getByRole('checkbox').count(), name).toBe(dangers.length)
        }
      })

    /** Whether a request is loaded. */
    async function isLoaded(): Promise<boolean> {
      const step = page()
        .getByRole('navigation')
        .getByRole('button', { name: viewName('Key') })
      return step.isEnabled()
    }

    it('rejects every changed file with the error of the library', async () => {
      for (const [what, text, code] of todaysOf(changedFiles)) {
        // The page and `avmkit decode` ignore white space around a text, to which this mark belongs.
        if (what === 'a byte order mark') continue
        await read(text)
        const shown = await page().locator('.source .error').textContent()
        // A text that is no JSON is not recognized as a request.
        const error = errorOf(() => detect(text).kind === 'request' && parseRequest(text))!
        expect(shown, what).toContain(error.message)
        expect(shown, what).toContain(error.code)
        if (what !== 'a comment' && what !== 'two documents') expect(error.code, what).toBe(code)
        expect(await isLoaded(), what).toBe(false)
      }
    })

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
      for (const name of ['Decode', 'Check', 'Key', 'Take away']) {
        await tab(name)
        expect(await page().locator('img, script:not([type=module])').count()).toBe(0)
      }
      expect(await panel('Check').locator('pre').textContent()).toContain(
        '<img src=x onerror=alert(1)>',
      )
      expect(await page().locator('main').textContent()).not.toContain('\u202e')
      await read(checkedHex.encode(fake.proof))
      await tab('Decode')
      expect(await panel('Decode').locator('.tree').innerText()).toContain('<img src=x')
      expect(await page().locator('img').count()).toBe(0)
    })

    function atomicRequest(chain: 'p' | 'c', members: object): string {
      const { id, name, networkID, chainID, assetID } = { ...local, id: formatID(local.assetID) }
      return JSON.stringify({
        format: `avmkit-${chain}-chain-signing-request`,
        version: 1,
        id,
        network: { name, networkID, chainID: formatID(chainID), assetID: formatID(assetID) },
        utxos: [],
        paths: [],
        proofs: [],
        signerSets: [],
        ...members,
      })
    }

    it('stays usable after pastes of five million characters', async () => {
      await tab('Load')
      const hostile = [
        `0x${'00'.repeat(2_500_000)}`,
        'Z'.repeat(5_000_000),
        `{"a":[${'['.repeat(5_000_000)}`,
        `{"a":[${'1,'.repeat(2_500_000)}1]}`,
        `xpub${'6'.repeat(5_000_000)}`,
        // Requests of the P- and C-Chain that are long at different places.
        atomicRequest('p', { proofs: [...'0'.repeat(1_250_000)] }),
        atomicRequest('p', { signerSets: Array.from({ length: 1_666_000 }, () => ({})) }),
        atomicRequest('c', { utxos: [`0x${'0'.repeat(5_000_000)}`] }),
        atomicRequest('c', { id: 'Z'.repeat(5_000_000) }),
        // A transaction of 312,000 credentials without signatures, all of them well-formed.
        `${'00'.repeat(54)}0004c2c0${'0000000900000000'.repeat(312_000)}`,
      ]
      for (const text of todaysOf(hostile)) {
        await source().focus()
        await page().evaluate((pasted) => {
          const data = new DataTransfer()
          data.setData('text/plain', pasted)
          const event = new ClipboardEvent('paste', {
            clipboardData: data,
            bubbles: true,
            cancelable: true,
          })
          document.activeElement!.dispatchEvent(event)
        }, text)
        await page().locator('.source .error').waitFor()
        expect(await page().getByText('too many to show').first().innerText()).toBe(
          `${text.length.toLocaleString('en')} characters, too many to show`,
        )
      }
      await press('Clear')
      await read('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u')
      expect(await panel('Decode').innerText()).toContain('address on the X-Chain')
    })
  },
)
