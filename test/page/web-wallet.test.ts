import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from './browser.ts'
import { FRIEND, PASSWORD, type WalletUser, WORDS, walletContext } from './wallet-harness.ts'

describe.runIf(hasChromium('the web wallet'))('examples/web-wallet in Chromium', () => {
  let context: BrowserContext
  let user: WalletUser
  let page: Page
  let problems: string[]
  let openTab: () => Promise<WalletUser>
  /** The words of the wallet that the first test creates. */
  let words: readonly string[]

  beforeAll(async () => {
    const opened = await walletContext()
    context = opened.context
    problems = opened.problems
    openTab = opened.open
    user = await openTab()
    page = user.page
  })
  afterAll(() => context.close())

  const dialog = () => page.getByRole('dialog')
  /** The text of all storage in which a secret could be left in plain text. */
  const stored = () =>
    page.evaluate(() => JSON.stringify(localStorage) + JSON.stringify(sessionStorage))

  it('is created with words that are shown once, checked, and stored only encrypted', async () => {
    await user.press('Create')
    words = await page.locator('.phrase li').allInnerTexts()
    expect(words.length).toBe(24)
    await user.press('I have written them down')
    const labels = await page.locator('label').allInnerTexts()
    expect(labels.length).toBe(3)
    for (const label of labels) await user.fill({ [label]: 'wrong' })
    await user.press('Continue')
    await page.getByRole('alert').getByText('PHRASE_MISMATCH').waitFor()
    for (const label of labels)
      await user.fill({ [label]: words[Number(/\d+/.exec(label)![0]) - 1]! })
    await user.press('Continue')
    await user.fill({ Password: PASSWORD, 'The same password again': 'another one' })
    await user.press('Create the wallet')
    await page.getByRole('alert').getByText('PASSWORD_MISMATCH').waitFor()
    await user.fill({ 'The same password again': PASSWORD })
    await user.press('Create the wallet')
    await user.ready('Account')
    expect(await user.balance()).toBe('0 AVAX')
    const text = await stored()
    expect(text).toContain('avmkit-key-file')
    expect(words.filter((word) => new RegExp(`\\b${word}\\b`).test(text)).length).toBeLessThan(4)
    expect(text).not.toContain(PASSWORD)
  })

  it('receives at an address that changes after it was used', async () => {
    await user.open('Receive')
    const first = await page.locator('.address-card .address').innerText()
    await user.getFunds()
    expect(await user.balance()).toBe('100 AVAX')
    await user.open('Receive')
    expect(await page.locator('.address-card .address').innerText()).not.toBe(first)
    await page.getByText('1 used address').waitFor()
  })

  it('pays after a review, once however often the button is pressed', async () => {
    await user.review('1.5')
    expect(await dialog().locator('.leaves').innerText()).toContain('1.5')
    expect((await dialog().locator('.leaves .address').innerText()).replaceAll(/\s/g, '')).toBe(
      FRIEND,
    )
    await page.keyboard.press('Escape')
    await page.getByRole('alert').getByText('NOT_CONFIRMED').waitFor()
    // The form is as it was.
    expect(await page.getByLabel('Amount').inputValue()).toBe('1.5')
    const review = page.getByRole('button', { name: 'Review', exact: true })
    await review.dblclick()
    await dialog().waitFor()
    expect(await dialog().count()).toBe(1)
    await user.press('Sign and send')
    await page.locator('.success').getByText('1.5 AVAX sent').waitFor()
    expect(await user.balance()).toBe('98.499 AVAX')
    await user.open('Activity')
    expect(await page.locator('.entry').count()).toBe(2)
    expect(await page.locator('.entry-out').innerText()).toContain('−1.501 AVAX')
  })

  it('shows an error with its code, text and hint beside the button', async () => {
    await user.open('Send')
    expect(await page.getByLabel('Amount').inputValue()).toBe('')
    await user.fill({ Recipient: FRIEND, Amount: 'much' })
    await user.press('Review')
    await page.getByRole('alert').getByText('ENC_BAD_AMOUNT').waitFor()
    await user.fill({ Amount: '1000' })
    await user.press('Review')
    await page.getByRole('alert').getByText('BUILDER_INSUFFICIENT_FUNDS').waitFor()
    await user.fill({ Recipient: 'X-fuji1g65uqn6t77p656w64023nh8nd9updzmx39zqra', Amount: '1' })
    await user.press('Review')
    await page.getByRole('alert').getByText('ENC_WRONG_HRP').waitFor()
  })

  it('moves from X to P and back, with its progress', async () => {
    await user.open('Move')
    await user.fill({ 'AVAX that arrive': '10' })
    await user.press('Review')
    expect(await dialog().innerText()).toMatch(/10\.0000\d+ AVAX on the P-Chain/)
    await user.press('Sign and move')
    await page.locator('.success').getByText('arrived on the P-Chain').waitFor()
    expect(await page.locator('.progress .done').count()).toBe(3)
    await user.open('Account')
    await page.getByText('on the P-Chain').waitFor()
    await user.open('Move')
    await page.getByLabel('From', { exact: true }).selectOption('P')
    await page.getByLabel('To', { exact: true }).selectOption('X')
    await user.fill({ 'AVAX that arrive': 'all' })
    await user.press('Review')
    await user.press('Sign and move')
    await page.locator('.success').getByText('arrived on the X-Chain').waitFor()
    await user.open('Activity')
    expect(await page.locator('.entries').innerText()).toMatch(
      /Moved from the P-Chain.*Moved to the P-Chain/s,
    )
  })

  it('does not pay twice if it is reloaded in the middle of a payment', async () => {
    const before = Number((await user.balance()).split(' ')[0])
    await user.review('2')
    // The tab ends between the signature and the answer of the node: nothing after the claim happens in it.
    await page.evaluate(() => {
      const write = localStorage.setItem.bind(localStorage)
      Storage.prototype.setItem = (name: string, value: string) => {
        write(name, value)
        if (name.includes('chain')) location.reload()
      }
    })
    await Promise.all([page.waitForEvent('load'), user.press('Sign and send')])
    await user.unlock()
    await user.ready('Send')
    // The form is empty: the payment of the earlier visit was completed, not made again.
    expect(await page.getByLabel('Amount').inputValue()).toBe('')
    const after = Number((await user.balance()).split(' ')[0])
    expect(before - after).toBeCloseTo(2.001, 6)
  })

  it('lets one tab use it', async () => {
    const other = await openTab()
    await other.unlock()
    await other.page.getByRole('alert').getByText('STORE_IN_USE').waitFor()
    await other.page.close()
  })

  it('shows the same balance after it was forgotten and restored, except that it forgets its test chain', async () => {
    const balance = await user.balance()
    const chain = await page.evaluate(() => localStorage.getItem('avmkit wallet development chain'))
    await user.open('Settings')
    await page.getByLabel(/I have the recovery phrase/).check()
    await user.press('Forget this wallet')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(await stored()).toBe('{}{}')
    // The chain of the page is forgotten, too. A real one would still be there.
    await page.evaluate(
      (text) => localStorage.setItem('avmkit wallet development chain', text!),
      chain,
    )
    await user.restore(words.join(' '))
    expect(await user.balance()).toBe(balance)
    expect(problems).toEqual([])
  })

  it('restores another wallet from its words, and refuses wrong ones', async () => {
    const { context: fresh, open } = await walletContext()
    const other = await open()
    await other.press('Restore')
    await other.fill({
      'Recovery phrase': WORDS.replace('about', 'abandon'),
      Password: PASSWORD,
      'The same password again': PASSWORD,
    })
    await other.press('Restore')
    await other.page.getByRole('alert').getByText('MNEMONIC_INVALID').waitFor()
    await fresh.close()
  })
})
