import type { NetworkContext } from 'avmkit'
import { type HDAccount, WatchAccount } from 'avmkit/hd'
import { indexedDBStore } from 'avmkit/indexed-db'
import { type CrossChainWallet, createCrossChainWallet } from 'avmkit/moves'
import { lazyLedger } from './ledger.ts'
import { type Network, openNetwork } from './network.ts'
import type { Settings } from './settings.ts'

/** An open wallet. */
export type Session = {
  readonly wallet: CrossChainWallet
  readonly context: NetworkContext
  readonly fund: Network['fund']
  readonly isLedger: boolean
  /** Closes the connection and the record of payments, and wipes the private keys unless they are still needed. */
  readonly close: (options?: { readonly keepAccount: boolean }) => Promise<void>
}

/** How long a second tab, or a reload, waits for the tab before it. */
const STORE_WAIT_MS = 3_000

/** Opens the wallet of the settings. `account` is the unlocked one, or absent for a Ledger. */
export async function openSession(settings: Settings, account?: HDAccount): Promise<Session> {
  const { keys, freshChange } = settings
  const extendedPublicKey =
    keys?.kind === 'ledger' ? keys.extendedPublicKey : account!.watch.extendedPublicKey
  const network = await openNetwork(settings.network)
  const { client, pChain, cChain, context } = network
  // One record of payments for each account and network.
  const name = `avmkit wallet ${context.networkID} ${extendedPublicKey.slice(-16)}`
  const store = indexedDBStore(name, { waitMs: STORE_WAIT_MS })
  const wallet = createCrossChainWallet({
    client,
    pChain,
    cChain,
    store,
    freshChange,
    network: settings.network.kind === 'node' ? settings.network.networkID : 'local',
    ...(keys?.kind === 'ledger'
      ? { account: new WatchAccount(extendedPublicKey), signers: [lazyLedger(extendedPublicKey)] }
      : { account: account! }),
    // Every call shows its own review. A call without one signs nothing.
    confirm: () => false,
    confirmMove: () => false,
  })
  return {
    wallet,
    context,
    fund: network.fund,
    isLedger: keys?.kind === 'ledger',
    close: async ({ keepAccount } = { keepAccount: false }) => {
      if (!keepAccount) account?.wipe()
      await store.close()
      await network.close()
    },
  }
}
