import { expect, it } from 'vitest'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { createWallet } from '../../src/wallet/index.ts'
import { addressOf, balanceOf, direct, people, scene } from '../wallet/setup.ts'
import { cli, EWOQ_KEY } from './shell.ts'

it('the command issue waits for a transaction whose answer was lost', async () => {
  const { node } = await scene({ blocks: 'manual' })
  const wallet = createWallet({ client: direct(node), keys: new KeyChain([EWOQ_KEY]) })
  const draft = await wallet.prepare.transfer({ to: addressOf(people[1]!), amount: 5n })
  const signed = await wallet.sign(draft)
  if (!signed.complete) throw new Error('incomplete')
  let looks = 0
  const ended = await cli(['issue', checkedHex.encode(signed.bytes), '--yes', '--json'], {
    node,
    fetch: async (url, init) => {
      const body = String(init?.body)
      if (body.includes('"avm.getTx"') && body.includes('txID') && ++looks === 4)
        node.produceBlock()
      const reply = await node.fetch(url, init)
      if (body.includes('"avm.issueTx"')) throw new TypeError('gone')
      return reply
    },
  })
  expect(await balanceOf(node, people[1]!)).toBe(5n)
  expect(ended.err).toBe('')
  expect(ended.json()).toMatchObject({ status: 'accepted' })
})
