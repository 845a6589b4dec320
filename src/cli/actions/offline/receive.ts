import { formatAddress, parseAddress } from '../../../core/base/encoding/address.ts'
import type { WatchAccount } from '../../../core/crypto/hd/index.ts'
import { publicTextsOf } from '../../../inspect/key-text.ts'
import {
  type Payee,
  payableText,
  payeeOf,
  vaultHRP,
  vaultPayee,
  verifyPayable,
} from '../../../inspect/receive.ts'
import { vaultNamed } from '../../../signers/policy/policy.ts'
import type { OpenVault } from '../../../signers/policy/vault.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { onlyAccount, ownAccount } from '../../keys/addresses.ts'
import { accountWallet } from '../../keys/discover.ts'
import { hdChoice, keyTexts } from '../../keys/own-keys.ts'
import { qrCodes } from '../../terminal/qr.ts'
import { requiredPolicy } from './policy.ts'

/**
 * Shows the next address of an account, the address at an index of the user's keys or of a vault, or verifies one that
 * was sent to the user.
 */
export async function receive(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const name = values.text('vault')
  const index = indexOf(values.args[0])
  const claimed = values.text('verify')
  if (name !== undefined) {
    const vault = vaultNamed(await requiredPolicy(invocation), name)
    return claimed === undefined
      ? shownVault(vault, index, invocation)
      : verified(vaultPayee(vault), claimed, vaultHRP(vault))
  }
  if (claimed === undefined && values.args.length === 0) {
    const account = (await onlyAccount([], invocation)) ?? (await ownAccount(invocation))
    if (account !== undefined) return nextAddress(account, invocation)
  }
  const { hrp } = await invocation.network()
  const payee = payeeOf(await publicTexts(invocation, hrp))
  // Addresses of all networks have the same keys, so that only a network that was named excludes others.
  if (claimed !== undefined) return verified(payee, claimed, (await invocation.namedNetwork())?.hrp)
  return shown(index, payableText(payee, index, { chain: chainIn(invocation), hrp }), invocation)
}

/** What identifies the user's keys: of a named account, or of keys that are asked for. */
async function publicTexts(invocation: Invocation, hrp: string): Promise<readonly string[]> {
  const named = await invocation.account()
  if (named !== undefined && named.keyFiles.length === 0) return named.owners
  return publicTextsOf(await keyTexts(invocation), await hdChoice(invocation), hrp)
}

async function shown(index: number, address: string, invocation: Invocation): Promise<Result> {
  return {
    json: { index, address },
    text: [address, ...(await qrCodes([address], invocation))].join('\n\n'),
  }
}

/** The first receiving address after the last used one, which the node and the journal tell. */
async function nextAddress(account: WatchAccount, invocation: Invocation): Promise<Result> {
  const wallet = await accountWallet(account, invocation)
  const text = await invocation.during('searching addresses', wallet.receiveAddress)
  const { address, hrp } = parseAddress(text)
  const { index } = (await wallet.addresses()).find((one) => one.text === text)!
  return shown(index!, formatAddress({ chain: chainIn(invocation), hrp, address }), invocation)
}

function chainIn({ values }: Invocation): string {
  return values.text('chain') ?? 'X'
}

function indexOf(given = '0'): number {
  if (/^(0|[1-9][0-9]{0,4})$/.test(given)) return Number(given)
  throw new UsageError('BAD_VALUE', 'expected an index from 0 to 99999')
}

async function shownVault(
  vault: OpenVault,
  index: number,
  invocation: Invocation,
): Promise<Result> {
  const to = { chain: chainIn(invocation), hrp: vaultHRP(vault) }
  const text = payableText(vaultPayee(vault), index, to)
  const { name, checksum } = vault
  const addresses = text.replace(/^\d+:/, '').split(',')
  const codes = await qrCodes([text], invocation)
  return {
    json: { vault: name, checksum, index, owners: text, addresses },
    text: [text, `vault "${name}": ${checksum}`, ...codes].join('\n\n'),
  }
}

/** @throws InspectError `NOT_YOURS` */
function verified(payee: Payee, claimed: string, hrp: string | undefined): Result {
  const { change, index } = verifyPayable(payee, claimed, hrp)
  return {
    json: { verified: true, change, index },
    text: `yours: index ${index}${change === 0 ? '' : ' of the change side'}`,
  }
}
