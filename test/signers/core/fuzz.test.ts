import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { encodeUnsignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { CoreError, coreProvider, handleAvalancheRequest } from '../../../src/signers/core/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { AVAX, answering, key, stranger, surroundings } from './setup.ts'

const keys = new KeyChain([key(1)])
const methods = [
  'avalanche_signTransaction',
  'avalanche_sendTransaction',
  'avalanche_signMessage',
  'avalanche_getAccountPubKey',
  'avalanche_getAddressesInRange',
  'eth_sign',
]

describe('handleAvalancheRequest', () => {
  it('throws a CoreError for any parameters if the user does not agree', async () => {
    const wallet = answering(await surroundings(), keys)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), fc.anything(), async (method, params) => {
        const reply = handleAvalancheRequest(wallet, { method, params }, { consent: () => false })
        await expect(reply).rejects.toBeInstanceOf(CoreError)
      }),
      { numRuns: 200 },
    )
  })

  it('explains or refuses a transaction with a changed byte', async () => {
    const all = await surroundings()
    const wallet = answering(all, keys)
    const watching = createWallet({ client: all.client, addresses: keys.addresses })
    const { draft } = await watching.prepare.transfer({ to: stranger, amount: AVAX })
    const bytes = encodeUnsignedTx(draft.unsignedTx)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, byte) => {
        const transactionHex = hex.encode(bytes.with(at, byte))
        let isExplained = false
        const reply = handleAvalancheRequest(
          wallet,
          {
            method: 'avalanche_signTransaction',
            params: { transactionHex, chainAlias: 'X' },
          },
          {
            consent: ({ explanation }) => {
              isExplained = explanation !== undefined
              return true
            },
          },
        )
        const error = await reply.then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        if (error === undefined) expect(isExplained).toBe(true)
        else expect(error).toBeInstanceOf(CoreError)
      }),
      { numRuns: 60 },
    )
  })
})

describe('coreProvider', () => {
  it('throws a CoreError for a provider that replies anything', () =>
    fc.assert(
      fc.asyncProperty(fc.anything(), async (reply) => {
        const provider = { request: async () => reply }
        await expect(coreProvider(provider)).rejects.toBeInstanceOf(CoreError)
      }),
      { numRuns: 200 },
    ))
})
