import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { createdUTXOs } from '../../src/core/chain/x/created.ts'
import type { Secp256k1Backend } from '../../src/core/crypto/backend.ts'
import { accountFromMnemonic } from '../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import { nobleBackend } from '../../src/core/crypto/secp256k1.ts'
import { explainRequest } from '../../src/core/sign/request/explain-request.ts'
import { finishRequest } from '../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../src/core/sign/request/request-sign.ts'
import { hdSigner, keyChainSigner } from '../../src/core/sign/signers.ts'
import { errorFor } from './requests.ts'
import { addressOf, people, scene } from './setup.ts'

const [alice, bob, carol] = people as [KeyChain, KeyChain, KeyChain]
const WORDS = 'abandon '.repeat(11).concat('about')
const outputs = [{ to: addressOf(carol), amount: 1_000_000_000n }]

/** A backend that counts what it computes. */
function counting(): Secp256k1Backend & { readonly calls: { sign: number; recover: number } } {
  const calls = { sign: 0, recover: 0 }
  return {
    ...nobleBackend,
    calls,
    sign: (...args) => {
      calls.sign++
      return nobleBackend.sign(...args)
    },
    recover: (...args) => {
      calls.recover++
      return nobleBackend.recover(...args)
    },
  }
}

describe('wallet.request', () => {
  it('collects the proofs, and the request can be signed and submitted', async () => {
    const { node, wallet } = await scene()
    const owners = [...alice.addresses, ...bob.addresses]
    node.fund(addressOf(alice), 20_000_000_000n)
    const vault = { to: owners, threshold: 2 }
    await wallet().transfer({ outputs: [{ ...vault, amount: 15_000_000_000n }] })
    const shared = wallet({ keys: undefined, addresses: owners })
    // More than Alice has alone.
    const paid = [{ to: addressOf(carol), amount: 14_000_000_000n }]
    const prepared = await shared.prepare.transfer({ outputs: paid, changeTo: vault })
    const request = await shared.request(prepared)
    expect(explainRequest(request, { ours: alice }).warnings).toEqual([])
    const file = formatRequest(signRequest(request, alice))
    const read = parseRequest(file, { network: networks.local, chain: 'X' })
    const { signedTx } = finishRequest(signRequest(read, bob))
    const { txID } = await wallet({ keys: alice }).submit(signedTx)
    expect(txID).toHaveLength(32)
    expect(createdUTXOs(signedTx)).toHaveLength(2)
  })

  it('refuses options of the wrong types', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(alice), 5_000_000_000n)
    const mine = wallet({ keys: alice })
    const prepared = await mine.prepare.transfer({ outputs })
    for (const name of ['signers', 'paths', 'signatures', 'getAtomicParent'])
      for (const value of [5, 'x', {}, true, [null], [undefined], [{}]])
        await expect(
          mine.request(prepared, { [name]: value } as object),
          `${name}: ${JSON.stringify(value)}`,
        ).rejects.toMatchObject({
          name: 'ArgumentError',
          code: expect.stringMatching(/^(ENC_INVALID|ENC_WRONG_LENGTH|MISSING_OPTION)$/),
          path: expect.stringMatching(name),
        })
  })

  it('leaves UTXOs unproven if the node does not return their transactions', async () => {
    const { node, wallet } = await scene({
      intercept: (call, next) =>
        call.method === 'avm.getTx' ? errorFor(call, 'not found') : next(),
    })
    node.fund(addressOf(alice), 5_000_000_000n)
    const mine = wallet({ keys: alice })
    const request = await mine.request(await mine.prepare.transfer({ outputs }))
    expect(request.proofs).toEqual([])
    const codes = explainRequest(request, { ours: alice }).warnings.map(({ code }) => code)
    expect(codes).toContain('UNPROVEN_UTXO')
  })

  it('names the paths of HD signers, and those of the caller first', async () => {
    const { node, wallet } = await scene()
    const account = accountFromMnemonic(WORDS)
    const positions = [
      { change: 0, index: 0 },
      { change: 1, index: 0 },
    ]
    const [own, change] = account.watch.paths(positions)
    const text = (address: Uint8Array) => formatAddress({ chain: 'X', hrp: 'local', address })
    node.fund(text(own!.address), 5_000_000_000n)
    const mine = wallet({ keys: undefined, signers: [hdSigner(account, positions)] })
    const prepared = await mine.prepare.transfer({ outputs, changeTo: text(change!.address) })
    const request = await mine.request(prepared)
    expect(request.paths).toEqual(expect.arrayContaining([own, change]))
    expect(request.paths).toHaveLength(2)
    const other = { address: own!.address, path: "m/44'/9000'/5'/0/0" }
    const named = await mine.request(prepared, { paths: [other] })
    expect(named.paths).toEqual(expect.arrayContaining([other, change]))
    expect(named.paths).toHaveLength(2)
  })
})

describe('the backend of a wallet', () => {
  it('signs and checks, unless the key chain has one of its own', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(alice), 50_000_000_000n)
    const backend = counting()
    await wallet({ keys: alice, backend }).transfer({ outputs })
    expect(backend.calls.sign).toBe(1)

    const signer = wallet({ keys: undefined, signers: [keyChainSigner(alice)], backend })
    await signer.transfer({ outputs })
    expect(backend.calls).toEqual({ sign: 1, recover: 1 })

    const mixed = wallet({ keys: alice, signers: [keyChainSigner(bob)], backend })
    await mixed.transfer({ outputs })
    expect(backend.calls.sign).toBe(2)

    const own = counting()
    const keys = new KeyChain([new Uint8Array(32).fill(1)], { backend: own })
    await wallet({ keys, backend }).transfer({ outputs })
    expect(own.calls.sign).toBe(1)
    expect(backend.calls.sign).toBe(2)
  })
})
