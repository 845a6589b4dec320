// @ts-check
// A wallet of a mnemonic: finds its addresses, shows balances, pays with a preview, moves to P and C and back, and lists it all.
import { formatAmount, formatExplanation, parseAmount } from 'avmkit'
import { createCChainClient, createNodeClient, createPChainClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { accountFromMnemonic, generateMnemonic } from 'avmkit/hd'
import { createCrossChainWallet } from 'avmkit/moves'
import { memoryStore } from 'avmkit/store'
import { formatBalances } from 'avmkit/wallet'

// A node for this run only; for a real one only `url` and `network` change.
const node = await createDevNode()
const { url } = await node.listen()
const account = accountFromMnemonic(generateMnemonic())
node.fund(account.watch.address({ change: 0, index: 4 }), parseAmount('60'))

const wallet = createCrossChainWallet({
  client: createNodeClient({ url }),
  pChain: createPChainClient({ url }),
  cChain: createCChainClient({ url }),
  account,
  freshChange: true,
  network: 'local',
  store: memoryStore(), // a fileStore, or indexedDBStore in a browser, survives a crash
})
console.log(`balance   ${formatBalances(await wallet.balances())}`)
const used = (await wallet.addresses()).filter(({ isUsed }) => isUsed)
console.log(`used      ${used.map(({ path }) => path).join(', ')}`)
node.fund(await wallet.receiveAddress(), parseAmount('40'))
console.log(`received  ${formatBalances(await wallet.balances())}`)

const to = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'
const confirm = (/** @type {import('avmkit').Explanation} */ explanation) => {
  console.log(formatExplanation(explanation))
  return true // a wallet asks its user here
}
await wallet.transfer({ to, amount: parseAmount('12.5') }, { key: 'rent', confirm })

const move = { amount: parseAmount('5') }
await wallet.move({ ...move, from: 'X', to: 'P' }, { key: 'to P' })
await wallet.move({ from: 'P', to: 'X', amount: 'all' }, { key: 'back from P' })
await wallet.move({ ...move, from: 'X', to: 'C' }, { key: 'to C' })
await wallet.move({ from: 'C', to: 'X', amount: 'all' }, { key: 'back from C' })

for (const { type, direction, amounts, keys, otherChain = 'X' } of await wallet.history()) {
  const amount = amounts[0]?.amount ?? 0n
  const text = formatAmount(amount < 0n ? -amount : amount).slice(0, 5)
  console.log(`history   ${direction} ${type} ${[otherChain, text, ...keys].join(' ')}`)
}
await node.close()
