import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID, formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import * as cChain from '../../src/core/c-chain.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import * as pChain from '../../src/core/p-chain.ts'
import {
  createRequest,
  explainRequest,
  finishRequest,
  formatExplanation,
  formatRequest,
  parseRequest,
  type SigningRequest,
  signRequest,
} from '../../src/index.ts'
import { detect } from '../../src/inspect/detect.ts'
import {
  changedFile,
  falseStatements,
  falseStatementsOnUTXOs,
  schemaViolations,
} from '../core/sign/chains/changed-files.ts'
import {
  AVAX,
  accountOf,
  alice,
  context,
  exportFromC,
  exportOfVault,
  fees,
  importOfToken,
} from '../core/sign/chains/fixtures.ts'
import { keysOf, paying, people } from '../core/sign/fixtures.ts'
import { cases } from '../core/sign/misleading/p-and-c-chains.ts'
import { errorOf, NOW } from '../core/sign/verdicts.ts'
import { crossChain } from '../helpers/cross-chain.ts'
import { todaysOf } from '../helpers/todays-cases.ts'
import { hasChromium } from './browser.ts'
import { usePage, viewName } from './harness.ts'

/** The functions of a chain, for requests of either chain: the cases keep them apart. */
const _on = { P: pChain, C: cChain as unknown as typeof pChain }

describe.runIf(hasChromium('requests of the P- and C-Chain in the offline page'))(
  'requests of the P- and C-Chain in the page',
  () => {
    const { folder, page, panel, tab, press, read, saved, useKey, acceptAndSign } = usePage()

    let outputs = 0

    /** What `avmkit request` makes of files. */
    async function byProgram(command: string, texts: readonly string[], key?: Uint8Array) {
      const files = texts.map((text, i) => {
        const path = join(folder, `request-${i}.json`)
        writeFileSync(path, text)
        return path
      })
      const out = join(folder, `by-program-${++outputs}`)
      const errors: string[] = []
      const sign = command === 'sign' ? ['--yes', '--accept', 'UNPROVEN_UTXO'] : []
      const status = await run(['request', command, ...files, '--out', out, ...sign], {
        stdout: { write: () => true },
        stderr: { write: (text) => errors.push(text) > 0 },
        stdin: process.stdin,
        env: key === undefined ? {} : { AVMKIT_KEY: formatPrivateKey(key) },
      })
      expect([status, status === 0 ? [] : errors]).toEqual([0, []])
      return readFileSync(out, 'utf8')
    }

    it('are signed, merged and finalized as by the program on the P-Chain', async () => {
      const { draft, parent } = exportOfVault()
      const text = formatRequest(createRequest(draft, { parents: [parent] }))
      await read(text)
      await tab('Decode')
      const details = panel('Decode').locator('.details')
      expect(await details.innerText()).toContain('signing request of the P-Chain, ExportTx')
      expect(await panel('Decode').locator('.tree').innerText()).toContain('destinationChain')
      await useKey(formatPrivateKey(people[0]!.key))
      expect(await panel('Sign').getByRole('checkbox').count()).toBe(0)
      await press('Sign', panel('Sign'))
      const taken = panel('Take away')
      const signed = await saved('Save request', taken)
      expect(signed).toBe(await byProgram('sign', [text], people[0]!.key))
      const { address } = people[1]!
      const other = formatAddress({ chain: 'P', hrp: 'local', address })
      expect(await taken.locator('.owners .waiting').innerText()).toContain(other)
      expect(await taken.getByRole('button', { name: 'Finalize' }).count()).toBe(0)

      const copy = await byProgram('sign', [text], people[1]!.key)
      const mergeField = taken.getByRole('textbox', { name: 'A copy of this request' })
      // A copy of another request is refused.
      await mergeField.fill(formatRequest(createRequest(exportFromC())))
      await press('Merge', taken)
      expect(await taken.locator('.intake .error').innerText()).toContain('REQUEST_CONFLICT')
      await mergeField.fill(copy)
      await press('Merge', taken)
      const merged = await saved('Save request', taken)
      expect(merged).toBe(await byProgram('merge', [signed, copy]))
      await press('Finalize', taken)
      const tx = await byProgram('finish', [merged])
      expect(await taken.locator('pre.tx').innerText()).toBe(tx.trim())
      expect(await page().content()).not.toContain(formatPrivateKey(people[0]!.key).slice(11))

      // The digest that other signers see, and the ID.
      await tab('Verify')
      const verify = panel('Verify')
      const { digest } = explainRequest(parseRequest(text, { chain: 'P' }))
      await verify.getByLabel('Expected digest').fill(digest.toLowerCase())
      await verify.getByLabel('Expected ID').fill(JSON.parse(text).id)
      await press('Verify', verify)
      const checks = await verify.locator('.checks').innerText()
      expect(checks).toMatch(/correct: ID[\s\S]*correct: digest[\s\S]*correct: signatures/)
      // The signatures of the transaction, once the UTXO that it spends is known.
      await read(tx)
      await tab('Verify')
      await verify.getByLabel('Expected ID').fill('')
      await press('Verify', verify)
      expect(await verify.locator('.checks').innerText()).toContain('not checked: signatures')
      await verify.getByText('Evidence for signatures').click()
      await verify.getByRole('textbox', { name: 'Spent UTXOs' }).fill(checkedHex.encode(parent))
      await press('Add', verify)
      await press('Verify', verify)
      expect(await verify.locator('.checks').innerText()).toMatch(
        /correct: digest[\s\S]*correct: signatures/,
      )
      await tab('Check')
      expect(await panel('Check').locator('pre').textContent()).toMatch(
        /^export to the X-Chain on local .network 12345., P-Chain/,
      )
      expect(await panel('Check').getByRole('img').getAttribute('aria-label')).toMatch(/^AVAX: 5 /)
    })

    it('are signed by the account of a C-Chain export', async () => {
      const text = formatRequest(createRequest(exportFromC()))
      await read(text)
      await useKey(formatPrivateKey(people[0]!.key))
      expect(await panel('Sign').locator('.keys').innerText()).toContain(
        cChain.formatEVMAddress(accountOf(alice)),
      )
      await press('Sign', panel('Sign'))
      const taken = panel('Take away')
      const signed = await saved('Save request', taken)
      expect(signed).toBe(await byProgram('sign', [text], people[0]!.key))
      await press('Finalize', taken)
      expect(await taken.locator('pre.tx').innerText()).toBe(
        checkedHex.encode(finishRequest(parseRequest(signed)).bytes),
      )
    })

    it('are signed from a mnemonic by the key of the path that the request states', async () => {
      const words = 'test test test test test test test test test test test junk'
      const hd = accountFromMnemonic(words)
      const position = { change: 0, index: 7 }
      const [place] = hd.watch.paths([position])
      const addresses = [place!.address]
      const utxo = {
        txID: new Uint8Array(32).fill(3),
        outputIndex: 0,
        assetID: context.assetID,
        output: paying(5n * AVAX, { locktime: 0n, threshold: 1, addresses }),
      }
      const draft = pChain.buildTransfer({
        context,
        funds: { utxos: [utxo], owners: addresses, now: NOW },
        fees,
        outputs: [{ to: people[3]!.address, amount: AVAX }],
      })
      const request = createRequest(draft, { paths: [place!] })
      await read(formatRequest(request))
      await useKey(words)
      await acceptAndSign()
      const taken = panel('Take away')
      await press('Finalize', taken)
      expect(await taken.locator('pre.tx').innerText()).toMatch(/^0x[0-9a-f]+$/)
    })

    it('are explained with the words of the library, and refused until each danger is accepted', async () => {
      const sign = panel('Sign')
      for (const [_chain, name, make, reader, codes] of todaysOf(cases)) {
        const request = make() as SigningRequest<'P'>
        await read(formatRequest(request))
        await useKey(formatPrivateKey(people[reader]!.key))
        const keys = keysOf(reader)
        const view = { now: NOW, ours: keys }
        const explanation = explainRequest(request, view)
        const warned = (await sign.locator('.warnings strong').allInnerTexts()).map((line) =>
          line.replace(/^DANGER (.*)/, '$1!').replace('WARNING ', ''),
        )
        const isDanger = (code: string) => code.endsWith('!')
        const others = codes.filter((code) => !isDanger(code))
        expect(warned, name).toEqual([...codes.filter(isDanger), ...others])
        expect(await sign.locator('pre.words').textContent(), name).toBe(
          formatExplanation(explanation),
        )
        const dangers = [...new Set(codes.filter((code) => code.endsWith('!')))]
        const signButton = sign.getByRole('button', { name: 'Sign', exact: true })
        expect(await signButton.isDisabled(), name).toBe(dangers.length > 0)
        expect(await sign.getByRole('checkbox').count(), name).toBe(dangers.length)
        await acceptAndSign()
        const accept = dangers.map((code) => code.slice(0, -1) as 'BURN')
        expect(await saved('Save request', panel('Take away')), name).toBe(
          formatRequest(signRequest(request, keys, { ...view, accept })),
        )
      }
    })

    it('are rejected with the error of the library if the file was changed', async () => {
      const { draft, parent } = exportOfVault()
      const request = formatRequest(createRequest(draft, { parents: [parent] }))
      const changes = [...schemaViolations, ...falseStatements, ...falseStatementsOnUTXOs]
      for (const [what, change, code] of todaysOf(changes)) {
        const text = changedFile(request, change)
        await read(text)
        const error = errorOf(() => detect(text).kind === 'request' && parseRequest(text))!
        // A file of another format is not recognized as a request.
        if (error.code !== 'NOT_RECOGNIZED') expect(error.code, what).toBe(code)
        const shown = await page().locator('.source .error').textContent()
        expect(shown, what).toContain(error.message)
        expect(shown, what).toContain(error.code)
        const step = page()
          .getByRole('navigation')
          .getByRole('button', { name: viewName('Key') })
        expect(await step.isEnabled(), what).toBe(false)
        expect(await page().locator('img').count(), what).toBe(0)
      }
    })

    it('show amounts of other assets with decimals that are proven, and in smallest units otherwise', async () => {
      const { draft, parent, creation, token } = importOfToken()
      const explain = panel('Check')
      for (const [parents, words, diagram] of [
        [[parent, creation], '5 ', '5 '],
        [[parent], '500 +units of', '500 units'],
      ] as const) {
        await read(formatRequest(createRequest(draft, { parents })))
        const asset = formatID(token)
        expect(await explain.locator('pre').textContent()).toMatch(
          new RegExp(`^return +${words}.* ${asset}.* to P-local1`, 'm'),
        )
        const figure = explain.locator('figure').filter({ hasText: asset })
        expect(await figure.getByRole('img').getAttribute('aria-label')).toMatch(
          new RegExp(`${asset}: ${diagram}.*spent or minted; return ${diagram}.*to P-local1`),
        )
        expect(await figure.locator('.flow-import text').first().textContent()).toContain(
          `import ${diagram}`,
        )
      }
    })

    it('and their transactions are explained as by the program', async () => {
      const texts = (['p-tx', 'c-tx'] as const).flatMap((kind) =>
        ['base', 'import', 'export'].flatMap((type) => {
          const v = crossChain(kind).find((each) => each.verdict === 'ok' && each.type === type)
          return v === undefined ? [] : [v.signed, v.unsigned]
        }),
      )
      for (const text of todaysOf(texts)) {
        let printed = ''
        const write = (part: string) => {
          printed += part
          return true
        }
        const status = await run(['explain', text], {
          stdout: { write },
          stderr: { write },
          stdin: process.stdin,
          env: {},
          // The clock of the page stands at this time.
          now: () => Number(NOW) * 1000,
        })
        await read(text)
        const words = await panel('Check').locator('pre').textContent()
        expect([status, printed]).toEqual([0, words])
      }
    })

    it('know the accounts of the reader of the explanation', async () => {
      await read(formatRequest(createRequest(exportFromC())))
      const explain = panel('Check')
      expect(await explain.locator('.warnings').count()).toBe(0)
      await explain.getByText('Your addresses', { exact: true }).click()
      const stranger = people[1]!.address
      await explain
        .getByLabel('Your addresses (optional)')
        .fill(formatAddress({ chain: 'P', hrp: 'local', address: stranger }))
      await press('Explain', explain)
      expect(await explain.locator('.warnings').innerText()).toContain('NOT_OURS')
      const address = formatAddress({ chain: 'P', hrp: 'local', address: people[0]!.address })
      await explain
        .getByLabel('Your addresses (optional)')
        .fill(`${address}\n${cChain.formatEVMAddress(accountOf(alice))}`)
      await press('Explain', explain)
      expect(await explain.locator('.warnings').count()).toBe(0)
      expect(await explain.locator('pre').textContent()).toMatch(
        new RegExp(`^return +1 +AVAX +to ${address}`, 'm'),
      )
    })
  },
)
