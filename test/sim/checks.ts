import { AssetSums } from '../../src/core/chain/amounts.ts'
import type { Wallet } from '../../src/wallet/index.ts'
import { requiredInputs } from '../../src/wallet/store/rivals.ts'
import { type Account, closeStore, pendingAttempts, recordOf } from './accounts.ts'
import { nameOf, type OnChain } from './cluster.ts'
import { checkMoveRecords, isRefusedExport } from './moves.ts'
import { makes, paysTo } from './payments.ts'
import { idleProcess, type SimulatedProcess } from './process.ts'
import type { Scene } from './scene.ts'
import { openWallet } from './wallets.ts'
import { HEALING_MS, PATIENT, patiently } from './world.ts'

/**
 * Compares the chain with what stores have recorded and callers were told. A liar that is believed excuses false outcomes and
 * payments that do not end, as SECURITY.md says of a quorum of 1, but no second payment. An older store excuses nothing: its
 * wallets recover with a fence before they pay.
 */
export async function checkOutcomes(scene: Scene, accounts: readonly Account[]): Promise<void> {
  const { world, cluster } = scene
  if (accounts.some(({ storage }) => storage.isLockStolen)) world.violate('a lock was stolen')
  const accepted = cluster.accepted()
  checkPaidOnce(scene, accounts, accepted)
  await checkRecords(scene, accounts, accepted)
  if (!scene.isBelieved) checkReports(scene, accepted)
}

/**
 * Keys of payments that may stay pending: wallets believed a server that a transaction was accepted which never was, and
 * have crashed or ended since, or it is one of another store, or pays too low a fee. What spends its change can neither be
 * accepted nor rejected, because its bytes are lost or refused; and if such an attempt was rejected, there may be nothing
 * that a further one could spend to conflict with it. A move whose export was shown so, and is
 * refused by honest servers, is not finished: what was accepted is not replaced.
 */
export async function orphanedKeys(scene: Scene, account: Account): Promise<Set<string>> {
  const { isBelieved, cluster, world, audit } = scene
  const keys = new Set<string>()
  if (!isBelieved) return keys
  const isForgetful = world.crashes > 0 || account.hasLeft
  const isLost = async (txID: Uint8Array) =>
    (isForgetful || !audit.isIn(txID, account) || audit.isUnderpaid(txID)) &&
    !(await cluster.isKnown(txID))
  for (const attempt of await pendingAttempts(account, world)) {
    const spent = attempt.leg === undefined ? attempt.inputs : []
    const lost = await Promise.all(spent.map(({ txID }) => isLost(txID)))
    if (lost.some(Boolean) || (await isRefusedExport(cluster, attempt)))
      for (const key of attempt.keys) keys.add(key)
  }
  for (const { key } of account.payments) {
    const { ended = [] } = await recordOf(account, world, key)
    for (const required of ended.map(requiredInputs)) {
      const lost = await Promise.all(required.map(({ txID }) => isLost(txID)))
      if (required.length > 0 && lost.every(Boolean)) keys.add(key)
    }
  }
  return keys
}

/** No key is paid twice, whatever a store says. */
function checkPaidOnce({ world }: Scene, accounts: readonly Account[], accepted: OnChain[]): void {
  const keys = new Map<string, { readonly to: Uint8Array; count: number }>()
  for (const { payments } of accounts)
    for (const { to } of payments) {
      const known = keys.get(nameOf(to)) ?? { to, count: 0 }
      known.count++
      keys.set(nameOf(to), known)
    }
  for (const { to, count } of keys.values()) {
    const times = accepted.filter((one) => paysTo(one, to)).length
    if (times > count) world.violate(`paid twice: ${times} transactions for ${count} keys`)
  }
}

async function checkRecords(
  scene: Scene,
  accounts: readonly Account[],
  accepted: OnChain[],
): Promise<void> {
  const { world, isBelieved } = scene
  const onChain = new Set(accepted.map(({ txID }) => nameOf(txID)))
  // Of each recipient: the keys of payments that are recorded as accepted, by transaction.
  const paid = new Map<string, { readonly to: Uint8Array; readonly by: Map<string, string> }>()
  for (const account of accounts) {
    const orphaned = await orphanedKeys(scene, account)
    for (const { key, to } of account.payments) {
      const { status, txID } = await recordOf(account, world, key)
      const { by } = paid.get(nameOf(to)) ?? { by: new Map<string, string>() }
      paid.set(nameOf(to), { to, by })
      for (const name of account.unrecorded) by.set(name, key)
      if (status === 'accepted' && txID !== undefined) {
        const other = by.get(nameOf(txID))
        if (other !== undefined && !account.unrecorded.has(nameOf(txID)))
          world.violate(`${key} and ${other} are one transaction`)
        by.set(nameOf(txID), key)
      }
      const isEnded = txID !== undefined && status !== 'pending'
      if (isEnded && !isBelieved && !onChain.has(nameOf(txID)))
        world.violate(`${key}: recorded transaction is not on the chain`)
      const mustEnd = world.isHealed && world.running === 0 && !orphaned.has(key)
      if (mustEnd && status === 'pending') world.violate(`${key} is still pending`)
    }
  }
  if (isBelieved) return
  for (const { to, by } of paid.values())
    for (const one of accepted)
      if (paysTo(one, to) && !by.has(nameOf(one.txID)))
        world.violate(`paid, but not recorded as accepted: ${nameOf(one.txID)}`)
}

function checkReports({ world, reports }: Scene, accepted: readonly OnChain[]): void {
  const byID = new Map(accepted.map((one) => [nameOf(one.txID), one]))
  for (const { payment, status, txID } of reports) {
    const found = byID.get(nameOf(txID))
    if (found === undefined)
      world.violate(`${payment.key} reported ${status}, but it is not on the chain`)
    else if (makes(found, payment) !== (status === 'accepted'))
      world.violate(`${payment.key} reported ${status}, but the transaction says otherwise`)
  }
}

/** Once nothing is pending, nothing stays reserved, and every wallet's UTXOs are those of the chain. */
export async function checkWallets(scene: Scene, accounts: readonly Account[]): Promise<void> {
  const { world } = scene
  const { time } = world
  const opened: { readonly process: SimulatedProcess; readonly store: object }[] = []
  let left = 0
  for (const account of accounts) {
    // A process may have ended without noticing that the disk had failed.
    account.storage.failIfDead()
    const process = idleProcess(time)
    const store = account.storage.open(process)
    opened.push({ process, store })
    const fresh = openWallet(scene, account, process, store)
    for (const wallet of [...account.wallets, fresh]) {
      left++
      const check = async () => {
        await checkWallet(scene, wallet)
        await checkMoveRecords(scene, account, wallet)
      }
      void check()
        .catch((error) => world.violate(`checking a wallet failed: ${error}`))
        .finally(() => left--)
    }
  }
  await time.run(() => left === 0, time.now + HEALING_MS)
  if (left > 0) world.violate('checking the wallets did not end')
  // Outcomes are synced when a file is closed. Releasing its lock may fail, because the disk writes short at random.
  for (const { process, store } of opened) {
    await closeStore(store).catch((error) => world.codeOf(error))
    process.exit()
  }
}

async function checkWallet(scene: Scene, wallet: Wallet): Promise<void> {
  const { world, network } = scene
  // A wallet that has read blocks of another chain notices it after 15 seconds without a block.
  await world.time.sleep(20_000)
  // The store may have been told false blocks.
  if (scene.isBelieved) await patiently(() => wallet.recover({ fromHeight: 0n }))
  // A payment that was canceled may have been asked for again, and nobody waits for it any more.
  for (const { keys, status } of await patiently(() => wallet.resume({ wait: PATIENT })))
    if (status === 'pending')
      await patiently(() => wallet.cancel(keys[0]!)).catch((error) => {
        // Whether it may stay pending is checked with the records.
        if (!scene.isBelieved || world.codeOf(error) !== 'CANNOT_CANCEL') throw error
      })
  const balances = await patiently(() => wallet.balances())
  if (balances.some(({ reserved }) => reserved > 0n)) world.violate('UTXOs stay reserved')
  const differs = async () => {
    const { missing, extra } = await patiently(() => wallet.checkUTXOs())
    return missing.length + extra.length > 0
  }
  // Servers may have left UTXOs out of the initial walk, or disagreed about them. The first check repairs that.
  const isDisputed = balances.some(({ disputed = 0n }) => disputed > 0n)
  if (await differs()) {
    if (!network.hidUTXOs && !isDisputed) world.violate('UTXOs differ')
    if (await differs()) world.violate('UTXOs differ after a fresh walk')
  }
  await checkBalances(scene, wallet)
}

/** Balances are those of the chain, whatever one of several servers lists. */
async function checkBalances(scene: Scene, wallet: Wallet): Promise<void> {
  const { world, cluster } = scene
  // Another wallet may have resumed a payment, which is accepted meanwhile.
  for (let height = -1; height < cluster.chain.length; ) {
    await world.time.sleep(100)
    height = cluster.chain.length
    const isSame = await hasTrueBalances(scene, wallet)
    if (!isSame && height === cluster.chain.length)
      world.violate('balances are not those of the chain')
  }
}

async function hasTrueBalances({ cluster, keys }: Scene, wallet: Wallet): Promise<boolean> {
  const truth = new AssetSums()
  for (const { assetID, output } of await cluster.utxosOf(keys.addresses))
    if ('amount' in output) truth.add(assetID, output.amount)
  for (const { assetID, spendable, locked, reserved } of await patiently(() => wallet.balances()))
    truth.add(assetID, -(spendable + locked + reserved))
  return truth.list().length === 0
}
