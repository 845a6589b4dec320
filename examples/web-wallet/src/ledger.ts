import type { Draft, Signer } from 'avmkit'
import { WatchAccount } from 'avmkit/hd'
import {
  hidTransport,
  type LedgerTransport,
  ledgerApp,
  ledgerOmissions,
  ledgerScreens,
  ledgerSigner,
} from 'avmkit/ledger'

const LEDGER_VENDOR = 0x2c97

/** Whether this browser can reach a Ledger. */
export function hasLedger(): boolean {
  return navigator.hid !== undefined
}

/** Asks for a device. Browsers allow it only after a click. */
export async function connectLedger(): Promise<LedgerTransport> {
  const [device] = await navigator.hid!.requestDevice({ filters: [{ vendorId: LEDGER_VENDOR }] })
  if (device === undefined) throw new Error('No device was chosen.')
  if (!device.opened) await device.open()
  return hidTransport(device)
}

/** The public part of the first account of a device. */
export function accountOf(transport: LedgerTransport): Promise<string> {
  return ledgerApp(transport).extendedPublicKey()
}

/** A signer that asks for the device when it is first needed. */
export function lazyLedger(extendedPublicKey: string): Signer {
  const account = new WatchAccount(extendedPublicKey)
  let connected: Promise<Signer> | undefined
  const signer = () => {
    connected ??= connectLedger().then((transport) => ledgerSigner({ transport, account }))
    // The next attempt asks again.
    connected.catch(() => {
      connected = undefined
    })
    return connected
  }
  return {
    sign: async (query) => (await signer()).sign(query),
    signAll: async (query) => (await signer()).signAll!(query),
  }
}

/** What the device shows, to be compared, and what it does not show. */
export function deviceReview(
  draft: Draft,
  change: readonly Uint8Array[],
): { readonly screens: readonly string[]; readonly omissions: readonly string[] } {
  return {
    screens: ledgerScreens(draft, { change }).map(
      ({ title, text }) => `${title.trim()}: ${text.trim()}`,
    ),
    omissions: ledgerOmissions(draft, { change }).map(({ message }) => message),
  }
}
