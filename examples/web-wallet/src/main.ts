import 'avmkit/view.css'
import './style.css'
import type { HDAccount } from 'avmkit/hd'
import { showPage, showWallet } from './app.ts'
import { actions, button, el, problem } from './dom.ts'
import { openSession, type Session } from './session.ts'
import { loadSettings } from './settings.ts'
import { accountView } from './views/account.ts'
import { activityView } from './views/activity.ts'
import { moveView } from './views/move.ts'
import { receiveView } from './views/receive.ts'
import { resumePending } from './views/resume.ts'
import { sendView } from './views/send.ts'
import { networkForm, settingsView } from './views/settings.ts'
import { showUnlock } from './views/unlock.ts'
import { showWelcome } from './views/welcome.ts'

const root = document.querySelector('#app')!
const views = {
  account: accountView,
  send: sendView,
  receive: receiveView,
  move: moveView,
  activity: activityView,
  settings: settingsView,
}

let session: Session | undefined
let stopViews = () => {}

async function close(): Promise<void> {
  stopViews()
  const closing = session
  session = undefined
  await closing?.close()
}

/** Shows what fits the settings: the first visit, the password, or the wallet. */
async function start(): Promise<void> {
  await close()
  const { keys } = loadSettings()
  if (keys === undefined) showWelcome(root, openWallet)
  else if (keys.kind === 'ledger') await openWallet()
  else showUnlock(root, { open: openWallet, again: start })
}

async function openWallet(account?: HDAccount): Promise<void> {
  const state = el('p', { class: 'hint' }, 'Searching for used addresses …')
  showPage(root, 'Opening the wallet', state)
  try {
    const opened = await openSession(loadSettings(), account)
    session = opened
    // Completes what an earlier visit left pending, before anything else can be paid.
    state.textContent = 'Completing payments of your last visit …'
    await resumePending(opened)
    const reopen = async () => {
      // The account stays unlocked: only the connection changes.
      stopViews()
      await opened.close({ keepAccount: true })
      await openWallet(account)
    }
    stopViews = showWallet(root, views, { session: opened, lock: start, reopen })
  } catch (error) {
    await close()
    account?.wipe()
    showPage(
      root,
      'The wallet cannot be opened',
      problem(error),
      actions(button('Try again', start, { class: 'primary' })),
      el('h3', {}, 'Network'),
      networkForm(start),
    )
  }
}

// A page that is kept for the back button must not keep keys, and starts again when it returns.
addEventListener('pagehide', () => void close())
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) void start()
})
await start()
