import { describe, expect, it } from 'vitest'
import { networks } from '../../src/core/chain/networks.ts'
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
