import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { isRunToday } from '../../helpers/todays-cases.ts'
import { hasChromium } from '../browser.ts'
import { FRIEND, PASSWORD, type WalletUser, walletContext } from '../wallet-harness.ts'
import { checkState, LOOKS } from './check-state.ts'

const NOBODY = formatAddress({ chain: 'X', hrp: 'local', address: new Uint8Array(20) })

/** What is looked at, in the order in which a person gets there. */
const STATES: readonly (readonly [name: string, show: (user: WalletUser) => Promise<void>])[] = [
  ['welcome', async ({ page }) => page.getByRole('heading', { name: 'Welcome' }).waitFor()],
  ['create-words', (user) => user.press('Create')],
  [
    'create-check-error',
    async (user) => {
      await user.press('I have written them down')
      await user.press('Continue')
      await user.page.getByRole('alert').waitFor()
    },
  ],
  [
    'restore-error',
    async (user) => {
      await user.page.reload()
      await user.press('Restore')
      await user.fill({ Password: 'short' })
      await user.press('Restore')
      await user.page.getByRole('alert').waitFor()
    },
  ],
  [
    'account-empty',
    async (user) => {
      await user.press('Back')
      await user.restore()
    },
  ],
  ['send-empty', (user) => user.open('Send')],
  ['receive', (user) => user.open('Receive')],
  ['activity-empty', (user) => user.open('Activity')],
  ['account', (user) => user.getFunds()],
  [
    'send-error',
    async (user) => {
      await user.open('Send')
      await user.fill({ Recipient: FRIEND, Amount: '1000' })
      await user.press('Review')
      await user.page.getByRole('alert').waitFor()
    },
  ],
  [
    'review',
    async (user) => {
      await user.open('Account')
      await user.review('12.5')
    },
  ],
  [
    'sent',
    async (user) => {
      await user.press('Sign and send')
      await user.page.locator('.success').waitFor()
    },
  ],
  ['review-dangerous', (user) => user.review('1', NOBODY)],
  [
    'send-unfinished',
    async (user) => {
      await user.page.reload()
      await user.unlock()
      await user.ready('Send')
    },
  ],
  [
    'review-move',
    async (user) => {
      await user.open('Move')
      await user.fill({ 'AVAX that arrive': '10' })
      await user.press('Review')
      await user.page.getByRole('dialog').waitFor()
    },
  ],
  [
    'moved',
    async (user) => {
      await user.press('Sign and move')
      await user.page.locator('.success').waitFor()
    },
  ],
  [
    'activity',
    async (user) => {
      await user.open('Activity')
      for (const fold of await user.page.locator('.entry summary').all()) await fold.click()
    },
  ],
  ['account-used', (user) => user.open('Account')],
  [
    'settings-error',
    async (user) => {
      await user.open('Settings')
      await user.fill({ 'URL of a node': 'ftp://nowhere' })
      await user.press('Connect')
      await user.page.getByRole('alert').waitFor()
    },
  ],
  [
    'unlock-error',
    async (user) => {
      await user.press('Lock')
      await user.fill({ Password: `not ${PASSWORD}` })
      await user.press('Unlock')
      await user.page.getByRole('alert').waitFor()
    },
  ],
]

describe.runIf(hasChromium('the states of the web wallet'))('states of the web wallet', () => {
  // On other days than the offline page.
  for (const [i, look] of LOOKS.entries())
    it.runIf(isRunToday(LOOKS.length + i))(
      `have no fault that axe finds and do not scroll sideways, ${look.scheme}, ${look.width} pixels wide`,
      async () => {
        const { context, open, problems } = await walletContext({
          colorScheme: look.scheme,
          viewport: { width: look.width, height: 800 },
          reducedMotion: 'reduce',
        })
        const user = await open()
        for (const [name, show] of STATES) {
          await show(user)
          await checkState(user.page, `wallet-${name}`, look)
          const main = user.page.locator('button.primary:visible')
          const dialogs = await user.page.getByRole('dialog').count()
          // One main action; a dialog has its own.
          expect(await main.count(), name).toBeLessThanOrEqual(1 + dialogs)
        }
        expect(problems).toEqual([])
        await context.close()
      },
    )
})
