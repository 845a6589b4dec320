import { compareBytes, equalBytes } from '../../../core/base/bytes/compare.ts'
import { formatAddress, parseAddress } from '../../../core/base/encoding/address.ts'
import { hrpOf } from '../../../core/chain/networks.ts'
import type { OutputOwners } from '../../../core/chain/owners.ts'
import { WatchAccount } from '../../../core/crypto/hd/index.ts'
import type { HDPosition } from '../../../core/crypto/hd/path.ts'
import { accountsOf, positionsOf } from '../../../inspect/key-text.ts'
import { vaultNamed } from '../../../signers/policy/policy.ts'
import { type OpenVault, positionInVault } from '../../../signers/policy/vault.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { isXpub, onlyAccount, ownAccount } from '../../keys/addresses.ts'
import { accountWallet } from '../../keys/discover.ts'
import { hdChoice, keyTexts, ownKeys } from '../../keys/own-keys.ts'
import { qrCodes } from '../../terminal/qr.ts'
import { requiredPolicy } from './policy.ts'

/** How many addresses of a key are searched for one that should be verified. */
const SEARCHED = 1_000

/**
 * Shows the next address of an account, the address at an index of the user's keys or of a vault, or verifies one that
 * was sent to the user.
 */
export async function receive(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const name = values.text('vault')
  const index = indexOf(values.args[0])
  const claimed = values.list('verify')
  if (name !== undefined) {
    const vault = vaultNamed(await requiredPolicy(invocation), name)
    return claimed.length > 0
      ? verified(claimed, positionInVault(vault, ownersIn(claimed)))
      : shownVault(invocation, vault, index)
  }
  if (claimed.length === 0 && values.args.length === 0) {
    const account = (await onlyAccount([], invocation)) ?? (await ownAccount(invocation))
    if (account !== undefined) return nextAddress(account, invocation)
  }
  const own = await ownAddresses(invocation, claimed.length > 0 ? SEARCHED : index + 1)
  const network = await invocation.network()
  const textOf = (address: Uint8Array) =>
    formatAddress({ chain: values.text('chain') ?? 'X', hrp: network.hrp, address })
  if (claimed.length > 0) {
    const [first] = claimed
    // Addresses of all networks have the same keys.
    const { address } = parseAddress(first!, { hrp: (await invocation.namedNetwork())?.hrp })
    const found = own.findIndex((each) => equalBytes(each, address))
    const isOne = claimed.length === 1 && found >= 0
    return verified(claimed, isOne ? { change: 0, index: found } : undefined)
  }
  const address = own[index]
  if (address === undefined)
    throw new UsageError('BAD_VALUE', `the keys have ${own.length} addresses`)
  return shown(index, textOf(address), invocation)
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
  const chain = invocation.values.text('chain') ?? 'X'
  return shown(index!, formatAddress({ chain, hrp, address }), invocation)
}

function indexOf(given = '0'): number {
  if (/^(0|[1-9][0-9]{0,4})$/.test(given)) return Number(given)
  throw new UsageError('BAD_VALUE', 'expected an index from 0 to 99999')
}

/** The receiving addresses of a mnemonic or xpub, or the addresses of private keys or of an account without keys. */
async function ownAddresses(invocation: Invocation, count: number): Promise<readonly Uint8Array[]> {
  const named = await invocation.account()
  if (named !== undefined && named.keyFiles.length === 0)
    return named.owners.flatMap((text) => {
      if (!isXpub(text)) return [parseAddress(text).address]
      const account = new WatchAccount(text)
      return positionsOf(count).map((position) => account.address(position))
    })
  const accounts = accountsOf(await keyTexts(invocation), await hdChoice(invocation))
  try {
    const [first] = accounts
    if (first === undefined) return (await ownKeys(invocation)).keys.addresses
    return positionsOf(count).map((position) => first.watch.address(position))
  } finally {
    for (const account of accounts) account.wipe()
  }
}

/** `2:ADDRESS,ADDRESS`, as for payments to several owners. */
function ownersIn(claimed: readonly string[]): OutputOwners {
  const [text = ''] = claimed
  const [, count, list] = /^([1-9][0-9]?):(.+)$/.exec(text) ?? []
  if (claimed.length !== 1 || count === undefined || list === undefined)
    throw new UsageError('BAD_VALUE', 'expected the owners of a vault as 2:ADDRESS,ADDRESS')
  const addresses = list.split(',').map((each) => parseAddress(each).address)
  return { threshold: Number(count), locktime: 0n, addresses: addresses.sort(compareBytes) }
}

async function shownVault(
  invocation: Invocation,
  vault: OpenVault,
  index: number,
): Promise<Result> {
  const owners = vault.allOwners.find(
    ({ position }) => position.change === 0 && position.index === index,
  )
  if (owners === undefined)
    throw new UsageError('BAD_VALUE', `the vault has the indices 0 to ${(vault.indices ?? 1) - 1}`)
  const hrp = hrpOf(vault.networkID)
  const chain = invocation.values.text('chain') ?? 'X'
  const addresses = owners.addresses.map((address) => formatAddress({ chain, hrp, address }))
  const text = `${vault.threshold}:${addresses.join(',')}`
  return {
    json: { vault: vault.name, checksum: vault.checksum, index, owners: text, addresses },
    text: [
      text,
      `vault "${vault.name}": ${vault.checksum}`,
      ...(await qrCodes([text], invocation)),
    ].join('\n\n'),
  }
}

/** @throws CliError `NOT_YOURS` */
function verified([claimed]: readonly string[], position: HDPosition | undefined): Result {
  if (position === undefined)
    throw new CliError('NOT_YOURS', `${claimed} is not an address of these keys or this vault`, {
      hint: 'do not receive anything there',
    })
  const side = position.change === 0 ? '' : ' of the change side'
  return {
    json: { verified: true, ...position },
    text: `yours: index ${position.index}${side}`,
  }
}
