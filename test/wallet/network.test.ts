import { describe, expect, it } from 'vitest'
import { networks } from '../../src/core/chain/networks.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/account.ts'
import { createNodeClient } from '../../src/node/index.ts'
import { addressOf, fee, people, scene } from './setup.ts'

const [me, you] = people as [(typeof people)[0], (typeof people)[0]]
const call = { to: addressOf(you), amount: 1n }
const refusal = { name: 'ContextError', code: 'NETWORK_MISMATCH' }

describe('the network that a wallet or a client is for', () => {
  it('is compared before anything is sent', async () => {
    const here = await scene()
    here.node.fund(addressOf(me), 5n * fee)
    for (const network of ['fuji', 'mainnet', 5, networks.fuji] as const)
      await expect(here.wallet({ network }).transfer(call)).rejects.toMatchObject(refusal)
    for (const network of ['local', 12345, networks.local] as const)
      await here.wallet({ network }).balances()
    // Another chain with the same network ID.
    const other = { ...networks.local, chainID: new Uint8Array(32) }
    await expect(here.wallet({ network: other }).balances()).rejects.toMatchObject(refusal)
    await here.wallet({ network: 'local' }).transfer(call)
    expect(() => here.wallet({ network: 'fugi' as never })).toThrow(
      expect.objectContaining({ code: 'ENC_INVALID', path: 'network' }),
    )
  })

  it('keeps every call of a wallet from naming an address or a transaction to another one', async () => {
    const sent: string[] = []
    const here = await scene({
      intercept: ({ method, params }, next) => {
        sent.push(`${method} ${JSON.stringify(params)}`)
        return next()
      },
    })
    here.node.fund(addressOf(me), 5n * fee)
    const account = accountFromMnemonic(`${'abandon '.repeat(11)}about`)
    for (const own of [{}, { keys: undefined, account }]) {
      const mine = here.wallet({ network: 'fuji', ...own })
      const calls = [
        () => mine.transfer(call, { key: 'a' }),
        () => mine.payouts({ payments: [{ ...call, key: 'a' }] }),
        () => mine.sweep({ to: call.to }),
        () => mine.import({ sourceChain: 'P' }),
        () => mine.resume(),
        () => mine.cancel('a'),
        () => mine.balances({ everywhere: true }),
        () => mine.history(),
        () => mine.receiveAddress(),
        () => mine.utxos(),
        () => mine.payments(),
      ]
      for (const run of calls) await expect(run()).rejects.toMatchObject(refusal)
    }
    expect(sent).not.toEqual([])
    const bare = /^(info\.\w+|avm\.(getAssetDescription|getTxFee)) /
    expect(sent.filter((request) => !bare.test(request) || request.includes('-local1'))).toEqual([])
  })

  it('keeps a client from issuing on another one', async () => {
    const here = await scene()
    here.node.fund(addressOf(me), 5n * fee)
    const { draft } = await here.wallet().prepare.transfer(call)
    const signed = await here.wallet().sign(draft)
    if (!signed.complete) throw new Error('not signed')
    const sent: string[] = []
    const client = createNodeClient({
      url: 'http://node.test',
      network: 'mainnet',
      fetch: (url, init) => {
        if (String(init.body).includes('issueTx')) sent.push(url)
        return here.node.fetch(url, init)
      },
    })
    const { bytes: tx } = signed
    const issuing = [
      () => client.context(),
      () => client.issueTx(tx),
      () => client.avm.issueTx({ tx }),
      () => client.wallet.issueTx({ tx }),
      () => client.servers()[0]!.avm.issueTx({ tx }),
    ]
    for (const issue of issuing) await expect(issue()).rejects.toMatchObject(refusal)
    expect(sent).toEqual([])
  })
})
