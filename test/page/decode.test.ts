import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { cb58 } from '../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { formatID, formatPrivateKey } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { decodeBlock, encodeBlock } from '../../src/core/chain/x/block.ts'
import { encodeGenesis, localGenesis } from '../../src/core/chain/x/genesis.ts'
import { blockID, txID } from '../../src/core/chain/x/ids.ts'
import { txToJSON } from '../../src/core/chain/x/json.ts'
import { decodeTx, encodeTx, encodeUnsignedTx, type SignedTx } from '../../src/core/chain/x/tx.ts'
import { encodeUTXO } from '../../src/core/chain/x/utxo.ts'
import { stringifyJSON } from '../../src/core/codec/json-text.ts'
import { formatExplanation } from '../../src/core/sign/explain/explain-text.ts'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { createRequest, finishRequest, requestID } from '../../src/core/sign/request/request.ts'
import { formatRequest } from '../../src/core/sign/request/request-file.ts'
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
import { destroying } from '../core/sign/misleading/locks-and-burns.ts'
import { drafted, FEE, fileOf, plain, requestOf, type Scene } from '../core/sign/scenes.ts'
import { NOW } from '../core/sign/verdicts.ts'
import { crossChain } from '../helpers/cross-chain.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

describe.runIf(hasChromium('the offline page'))('the page in Chromium', () => {
  const { page, panel, tab, source, press, read } = usePage()

  it('shows structure and bytes, and selects one by the other', async () => {
    const { txs } = acceptedTxs()
    await read(checkedHex.encode(txs[0]!))
    await tab('Decode')
    const decode = panel('Decode')
    await expect
      .poll(() => decode.locator('.details').innerText())
      .toContain(formatID(txID(txs[0]!)))
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

  it('selects the field of a byte in lists that are not opened yet, and no other of its name', async () => {
    const owner = Array.from({ length: 120 }, () => owners(1, 0))
    const draft = transfer(coins(...owner))
    const bytes = Buffer.from(encodeUnsignedTx(draft.unsignedTx))
    await read(formatRequest(proven(draft)))
    await tab('Decode')
    const decode = panel('Decode')
    // The index 110 stands behind the ID of the transaction that created the UTXO. An input has 88 bytes.
    const at = bytes.indexOf(Buffer.concat([draft.utxos[110]!.txID, Buffer.from([0, 0, 0, 110])]))
    for (const [offset, path, size] of [
      [at + 34, 'inputs[110].outputIndex', 4],
      [at + 68, 'inputs[110].input.typeID', 4],
      [at + 88 + 68, 'inputs[111].input.typeID', 4],
      [at + 88, 'inputs[111].txID', 32],
    ] as const) {
      const row = decode.locator('.byte-row').filter({
        has: page().locator('.offset', { hasText: new RegExp(`^ *${offset - (offset % 16)}$`) }),
      })
      while ((await row.count()) === 0) await press('Later bytes', decode)
      await row
        .locator('span:not(.offset)')
        .nth(offset % 16)
        .click()
      const pressed = decode.locator('[aria-pressed=true]')
      expect(await pressed.getAttribute('data-path')).toBe(path)
      expect(await pressed.isVisible()).toBe(true)
      expect(await decode.locator('.bytes .selected').count()).toBe(size)
    }
  })

  it('shows errors at their offset and path', async () => {
    const bytes = acceptedTxs().txs[0]!.slice(0, 150)
    await read(checkedHex.encode(bytes))
    const decode = panel('Decode')
    expect(await page().locator('.source .error').innerText()).toMatch(
      /offset \d+.*\s+CODEC_SHORT_BUFFER/,
    )
    await press('Show its bytes')
    expect(await decode.locator('.tree').innerText()).toContain('blockchainID')
    expect(await decode.locator('.bytes').innerText()).toContain('144')
  })

  it('shows transactions of the P- and C-Chain beside their bytes', async () => {
    for (const [kind, chain, path] of [
      ['p-tx', 'P', 'unsignedTx.outputs[0].output.addresses[0]'],
      ['c-tx', 'C', 'unsignedTx.inputs[0].address'],
    ] as const) {
      const v = crossChain(kind).find(
        ({ verdict, type }) => verdict === 'ok' && /base|export/.test(type!),
      )!
      await read(v.signed)
      await tab('Decode')
      const decode = panel('Decode')
      expect(await decode.locator('.details').innerText()).toContain(
        `signed transaction of the ${chain}-Chain`,
      )
      expect(await decode.locator('.details').innerText()).toContain(v.txID)
      const owner = decode.locator(`.pick[data-path="${path}"]`)
      await owner.click()
      const bytes = (await decode.locator('.bytes .selected').allInnerTexts()).join('')
      expect(bytes).toMatch(/^[0-9a-f]{40}$/)
      expect(v.signed).toContain(bytes)
      const value = await owner.locator('.value').innerText()
      if (chain === 'P') expect(value).toMatch(/^P-/)
      else expect(value.toLowerCase()).toBe(`0x${bytes}`)
      await tab('Verify')
      await panel('Verify').getByLabel('Expected ID').fill(v.txID)
      await press('Verify', panel('Verify'))
      expect(await panel('Verify').locator('.checks').innerText()).toContain('correct: ID')
    }
  })

  it('identifies every other kind of text', async () => {
    const [utxo] = coins(owners(1, 0))
    const [bytes] = acceptedTxs().txs as [Uint8Array]
    const json = txToJSON(decodeTx(bytes), networks.local)
    const block = encodeBlock({
      type: 'StandardBlock',
      parentID: new Uint8Array(32),
      height: 7n,
      time: NOW,
      merkleRoot: new Uint8Array(32),
      txs: [decodeTx(bytes)],
    })
    const things: [string, string][] = [
      [checkedHex.encode(encodeUTXO(utxo!)), 'UTXO, secp256k1fx.TransferOutput'],
      ['X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 'address on the X-Chain'],
      [formatID(networks.mainnet.assetID), 'AVAX on mainnet'],
      [formatRequest(requestOf(plain)), 'signing request, BaseTx'],
      ['NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg', 'node ID'],
      [checkedHex.encode(block), formatID(blockID(decodeBlock(block)))],
      [checkedHex.encode(encodeGenesis(localGenesis(12345))), 'genesis data'],
      [cb58.encode(bytes), `${formatID(txID(bytes))}\nform\ncb58`],
      [stringifyJSON(json), `${formatID(txID(bytes))}\nform\njson`],
    ]
    for (const [text, kind] of things) {
      await read(text)
      await tab('Decode')
      expect(await panel('Decode').locator('.details').innerText()).toContain(kind)
    }
  })

  it('shows the addresses of a private key in a file and forgets the key', async () => {
    const key = formatPrivateKey(people[0]!.key)
    const open = (text: string) =>
      page()
        .getByLabel('address or ID: file')
        .setInputFiles({ name: 'key', mimeType: 'text/plain', buffer: Buffer.from(text) })
    await open(key)
    await expect
      .poll(() => panel('Decode').innerText())
      .toContain('private key; only its addresses')
    expect(await page().content()).not.toContain(key.slice(11))
    await tab('Load')
    expect(await source().inputValue()).toBe('')
    // Words that are nearly a mnemonic are as secret.
    await open('test test test test test test test test test test test jnk')
    await expect
      .poll(() => page().locator('.source .error').innerText())
      .toContain('may be a private key')
    expect(await source().inputValue()).toBe('')
  })

  it('removes keys from the field of documents before they are complete', async () => {
    await tab('Load')
    const key = formatPrivateKey(people[0]!.key)
    for (const [typed, kept] of [
      [key, 10],
      ['legal winner thank year wave sausage', 19],
      ['xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq', 4],
    ] as const) {
      await source().focus()
      for (const letter of typed) await page().keyboard.press(letter === ' ' ? 'Space' : letter)
      expect(await source().inputValue(), typed).toBe('')
      const box = page().locator('.source .error')
      expect(await box.innerText(), typed).toContain('private key or a mnemonic')
      // What is typed after that goes nowhere.
      expect(await page().content(), typed).not.toContain(typed.slice(kept))
      await source().focus()
      await page().keyboard.press('Control+z')
      expect(await source().inputValue(), typed).toBe('')
    }
    // A document that is typed may begin with 32 bytes in hex; read or pasted alone, they may be a key.
    await source().focus()
    await page().keyboard.insertText('ab'.repeat(32))
    expect(await source().inputValue()).toBe('ab'.repeat(32))
    await press('Read')
    expect(await source().inputValue()).toBe('')
    expect(await page().locator('.source .error').innerText()).toContain('may be a private key')
  })

  it('explains with the words of the library, and with a diagram', async () => {
    const request = requestOf(plain)
    await read(formatRequest(request))
    const explain = panel('Check')
    expect(await explain.locator('pre').textContent()).toBe(
      formatExplanation(explainRequest(request, { now: NOW })),
    )
    const diagram = explain.getByRole('img')
    expect(await diagram.getAttribute('aria-label')).toMatch(/AVAX: .* spent .*; pay .*; fee /)
    expect(await diagram.locator('text').allTextContents()).toContain('fee 0.001 AVAX')
    const ours = formatAddress({ chain: 'X', hrp: 'local', address: people[0]!.address })
    await explain.getByText('Your addresses', { exact: true }).click()
    await explain.getByLabel('Your addresses (optional)').fill(ours)
    await press('Explain', explain)
    expect(await explain.locator('pre').textContent()).toContain('return')
    await explain.getByLabel('Your addresses (optional)').fill('')
  })

  it('draws a diagram for each asset, with what is burned', async () => {
    await read(fileOf(...destroying()))
    const images = panel('Check').getByRole('img')
    expect(await images.count()).toBe(2)
    const burns = panel('Check').locator('.flow-burn')
    expect(await burns.locator('text').first().textContent()).toBe('burn 0.008 AVAX')
    // The width of a ribbon in the middle is in proportion to its amount: 0.001 is the fee.
    const widths = await images.first().evaluate((image) =>
      Object.fromEntries(
        [...image.querySelectorAll('[class^=flow-] > .ribbon')].map((path) => {
          const [, top, bottom] = / (\S+)V(\S+)C/.exec(path.getAttribute('d')!)!
          return [path.parentElement!.getAttribute('class'), Number(bottom) - Number(top)]
        }),
      ),
    )
    expect(widths['flow-burn']! / widths['flow-fee']!).toBeCloseTo(8)
    expect(widths['flow-spend']! / widths['flow-fee']!).toBeCloseTo(10)
  })

  it('sums up the smallest of many amounts in a diagram, and marks owners that are not proven', async () => {
    const ownedBy = (byte: number) => ({
      locktime: 0n,
      threshold: 1,
      addresses: [new Uint8Array(20).fill(byte)],
    })
    // 1 to 50 AVAX, 1,275 in all, of which 13 are paid 10, 20, … 120 and the rest less the fee.
    const many: Scene = {
      spend: Array.from({ length: 50 }, (_, i) => [ownedBy(i), (i + 1) * 1_000_000]),
      pay: Array.from({ length: 13 }, (_, i) => [
        ownedBy(100 + i),
        i === 12 ? 495_000_000 - FEE : (i + 1) * 10_000_000,
      ]),
    }
    const sides = () => panel('Check').locator('.flow text:first-of-type').allTextContents()
    await read(fileOf(many))
    expect(await sides()).toEqual([
      ...[50, 49, 48, 47, 46].map((amount) => `spend ${amount} AVAX`),
      'spend 1035 AVAX',
      ...[494.999, 120, 110, 100].map((amount) => `pay ${amount} AVAX`),
      'pay 450 AVAX',
      'fee 0.001 AVAX',
    ])
    const owner = panel('Check').locator('.flow-spend .small').first()
    expect(await owner.textContent()).not.toContain('unproven')
    await read(formatRequest(createRequest(drafted(many), { parents: [] })))
    expect(await owner.textContent()).toMatch(/^unproven X-local1/)
  })

  it('opens dropped files and images of QR codes', async () => {
    await tab('Load')
    const request = requestOf(plain)
    const drop = async (name: string, type: string, bytes: number[]) => {
      const data = await page().evaluateHandle(
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
    await panel('Check').waitFor()
    await tab('Decode')
    expect(await panel('Decode').innerText()).toContain(formatID(requestID(request)))
    await tab('Load')
    await press('Clear')
    await tab('Generate')
    await press('Generate', panel('Generate'))
    const code = panel('Generate').locator('.qr').first()
    const address = await panel('Generate').locator('.addresses code').first().innerText()
    const png = await code.screenshot()
    await tab('Load')
    await drop('code.png', 'image/png', [...png])
    await panel('Decode').waitFor()
    await tab('Load')
    expect(await source().inputValue()).toBe(address)
    await drop('empty.png', 'image/png', [1, 2, 3])
    await expect.poll(() => page().locator('.source .error').innerText()).toContain('QR_NOT_FOUND')
  })

  it('verifies IDs, digests and signatures', async () => {
    const draft = transfer(coins(owners(1, 0)))
    const request = signRequest(proven(draft), keysOf(0), {
      accept: ['FOREIGN_CHANGE', 'SHARED_OUTPUT'],
    })
    const { signedTx, bytes } = finishRequest(request)
    const verify = panel('Verify')
    await read(checkedHex.encode(bytes))
    await tab('Verify')
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
    const count = verify.getByText('UTXOs known')
    expect(await count.innerText()).toBe('1 UTXOs known')
    // A UTXO that is added again counts once; files are taken together, in any form.
    const more = coins(owners(1, 1), owners(1, 2))
    const [first, ...others] = [...more, ...draft.utxos].map((u) => cb58.encode(encodeUTXO(u)))
    const fileOfEvidence = (name: string, text: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    })
    const picker = verify.getByLabel('Spent UTXOs or the transactions that created them: file')
    await picker.setInputFiles([
      fileOfEvidence('first', first!),
      fileOfEvidence('others', others.join('\n')),
    ])
    await expect.poll(() => count.innerText()).toBe('3 UTXOs known')
    // An error in any of the files is shown, and can be followed by the same files.
    await picker.setInputFiles([fileOfEvidence('bad', '0x00'), fileOfEvidence('first', first!)])
    await verify.locator('.intake .error').waitFor()
    await expect.poll(() => picker.inputValue()).toBe('')
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
    await read(formatRequest(proven(draft)))
    await tab('Verify')
    await press('Verify', verify)
    expect(await verify.locator('.checks').innerText()).toContain('incomplete: signatures')
    await read(checkedHex.encode(encodeTx(wrong)))
    await tab('Verify')
    await press('Verify', verify)
    expect(await verify.locator('.checks').innerText()).toMatch(/WRONG: ID[\s\S]*WRONG: signatures/)
  })
})
