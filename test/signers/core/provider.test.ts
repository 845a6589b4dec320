import { describe, expect, it } from 'vitest'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { decodeTx, encodeTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft, signDraftWith } from '../../../src/core/sign/sign.ts'
import {
  type CoreError,
  coreProvider,
  type EIP1193Provider,
} from '../../../src/signers/core/index.ts'
import { verifyMessage } from '../../../src/signers/message/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { AVAX, codeOf, key, stranger, surroundings, withRange } from './setup.ts'

describe('coreProvider', () => {
  for (const style of ['hex', 'object', 'json', '0xjson'] as const)
    it(`signs for a wallet, with a reply as ${style}`, async () => {
      const { client, core } = await surroundings()
      core.style = style
      const wallet = createWallet({ client, signers: [await coreProvider(core)] })
      const { txID } = await wallet.transfer({ to: stranger, amount: AVAX })
      expect(await client.avm.getTxStatus({ txID })).toBe('Accepted')
      expect(core.requests.map(({ method }) => method)).toEqual([
        'avalanche_getAccountPubKey',
        'avalanche_signTransaction',
      ])
      const { utxos, externalIndices } = core.requests[1]!.params as { [name: string]: unknown[] }
      expect(utxos).toHaveLength(1)
      expect(externalIndices).toBeUndefined()
    })

  it('names the positions of further addresses, without which Core does not sign', async () => {
    const { node, client, core } = await surroundings()
    const signer = await coreProvider(withRange(core, node.context.hrp), { external: 2 })
    expect(signer.addresses).toEqual(core.keys.addresses)
    const wallet = createWallet({ client, signers: [signer] })
    await wallet.transfer({ to: stranger, amount: 5n * AVAX })
    expect(core.requests.at(-1)!.params).toMatchObject({ externalIndices: [0, 1] })
    expect(await codeOf(coreProvider(withRange(core, node.context.hrp), { external: 3 }))).toBe(
      'CORE_REPLY',
    )
  })

  it('refuses options that it does not know', async () => {
    const { core } = await surroundings()
    expect(await codeOf(coreProvider(core, { zzz: 1 } as never))).toBe('UNKNOWN_OPTION')
    expect(await codeOf(coreProvider(core, { external: 101 }))).toBe('ENC_INVALID')
    expect(core.requests).toEqual([])
  })

  it('signs messages', async () => {
    const { core } = await surroundings()
    const signer = await coreProvider(core)
    const signature = await signer.signMessage('I am here')
    verifyMessage('I am here', signature, { address: core.keys.addresses[0]! })
    const liar = await coreProvider({
      request: (args) =>
        core.request(
          args.method === 'avalanche_signMessage' ? { ...args, params: ['I pay you'] } : args,
        ),
    })
    expect(await codeOf(liar.signMessage('I am here'))).toBe('CORE_REPLY')
  })
})

describe('what a provider returns', () => {
  /** Signs a draft with a provider whose reply to `avalanche_signTransaction` is replaced. */
  async function signedWith(change: (signed: string) => unknown) {
    const { client, core } = await surroundings()
    const provider: EIP1193Provider = {
      request: async (args) => {
        const reply = await core.request(args)
        return args.method === 'avalanche_signTransaction' ? change(reply as string) : reply
      },
    }
    const watching = createWallet({ client, addresses: [core.keys.addresses[0]!] })
    const { draft } = await watching.prepare.transfer({ to: stranger, amount: AVAX })
    return { draft, run: async () => signDraftWith(draft, [await coreProvider(provider)]) }
  }
  const codeFor = async (change: (signed: string) => unknown) =>
    codeOf((await signedWith(change)).run())
  const changed = (signed: string, change: (tx: ReturnType<typeof decodeTx>) => object) => {
    const tx = decodeTx(checkedHex.decode(signed))
    return checkedHex.encode(encodeTx({ ...tx, ...change(tx) } as never))
  }

  it('is taken with or without checksum and prefix', async () => {
    for (const change of [
      (signed: string) => signed,
      (signed: string) => signed.slice(2),
      (signed: string) => signed.slice(0, -8),
    ]) {
      const { run, draft } = await signedWith(change)
      const expected = requireSigned(signDraft(draft, new KeyChain([key(1)])))
      expect(requireSigned(await run()).txID).toEqual(expected.txID)
    }
  })

  it('must be the same transaction', async () => {
    expect(
      await codeFor((signed) =>
        changed(signed, ({ unsignedTx }) => ({
          unsignedTx: { ...unsignedTx, memo: new TextEncoder().encode('mine') },
        })),
      ),
    ).toBe('CORE_REPLY')
  })

  it('must have signatures of the expected keys', async () => {
    const forged = new KeyChain([key(7)])
    const { run } = await signedWith((signed) =>
      changed(signed, ({ credentials }) => ({
        credentials: credentials.map((credential) => ({
          ...credential,
          signatures: [forged.sign(forged.addresses[0]!, new Uint8Array(32).fill(1))],
        })),
      })),
    )
    expect(await run()).toMatchObject({ complete: false, signatures: [] })
  })

  it('may lack signatures, which are then missing', async () => {
    const { run } = await signedWith((signed) =>
      changed(signed, ({ credentials }) => ({
        credentials: credentials.map((credential) => ({
          ...credential,
          signatures: [new Uint8Array(65)],
        })),
      })),
    )
    expect((await run()).complete).toBe(false)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['another text', 'no'],
    ['an empty text', ''],
    ['broken JSON', '{"signedTransactionHex":'],
    ['JSON without the transaction', '{}'],
    ['an object without it', { signatures: [] }],
    ['a huge text', '00'.repeat(600_000)],
  ])('must not be %s', async (_, reply) => {
    expect(await codeFor(() => reply)).toBe('CORE_REPLY')
  })

  it('must have whole credentials and nothing after them', async () => {
    expect(await codeFor((signed) => signed.slice(0, -20))).toBe('CORE_REPLY')
    expect(await codeFor((signed) => `${signed.slice(0, -8)}0000000000`)).toBe('CORE_REPLY')
  })

  it('may be a refusal', async () => {
    const { core } = await surroundings()
    const rejecting = (code: number): EIP1193Provider => ({
      request: async (args) => {
        if (args.method === 'avalanche_getAccountPubKey') return core.request(args)
        throw Object.assign(new Error('no'), { code })
      },
    })
    const message = async (code: number) =>
      codeOf((await coreProvider(rejecting(code))).signMessage('hello'))
    expect(await message(4001)).toBe('CORE_REJECTED')
    expect(await message(-32603)).toBe('CORE_FAILED')
  })

  it.each([
    ['no keys', {}],
    ['no text', { xp: 7, evm: 7 }],
    ['a short key', { xp: '02', evm: '02' }],
    ['nothing', undefined],
  ])('must have public keys, not %s', async (_, reply) => {
    expect(await codeOf(coreProvider({ request: async () => reply }))).toBe('CORE_REPLY')
  })

  it('may have uncompressed public keys', async () => {
    const point = `04${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}${'483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'}`
    const signer = await coreProvider({ request: async () => ({ xp: `0x${point}`, evm: point }) })
    expect(hex.encode(signer.publicKeys[0])).toBe(`02${point.slice(2, 66)}`)
  })
})

describe('send', () => {
  async function prepared() {
    const all = await surroundings()
    const watching = createWallet({ client: all.client, addresses: [all.core.keys.addresses[0]!] })
    const { draft } = await watching.prepare.transfer({ to: stranger, amount: AVAX })
    const getTx = (txID: Uint8Array) => all.client.avm.getTx({ txID })
    return { ...all, draft, getTx }
  }

  it('has the wallet issue a draft and returns what was accepted', async () => {
    const { client, core, draft, getTx } = await prepared()
    const signed = await (await coreProvider(core)).send(draft, { getTx })
    expect(signed.bytes).toEqual(encodeTx(await client.avm.getTx({ txID: signed.txID })))
    expect(core.requests.at(-1)!.method).toBe('avalanche_sendTransaction')
  })

  it('refuses dangers before it asks the wallet', async () => {
    const { core, draft, getTx } = await prepared()
    const signer = await coreProvider(core)
    expect(await codeOf(signer.send(draft, { getTx, maxFee: 1n }))).toBe('HIGH_FEE')
    expect(core.requests).toHaveLength(1)
  })

  it('does not believe an ID', async () => {
    const { client, core, draft, getTx } = await prepared()
    // A transaction that exists, but is another.
    const other = await createWallet({ client, keys: new KeyChain([key(2)]) }).transfer({
      to: stranger,
      amount: 1n,
    })
    const lying = (reply: unknown) =>
      coreProvider({
        request: async (args) =>
          args.method === 'avalanche_sendTransaction' ? reply : core.request(args),
      })
    const failure = (await (
      await lying(formatID(other.txID))
    )
      .send(draft, { getTx })
      .catch((error: unknown) => error)) as CoreError
    expect(failure.code).toBe('CORE_SENT')
    expect(failure.txID).toEqual(other.txID)
    const unknown = await lying(formatID(new Uint8Array(32).fill(5)))
    expect(await codeOf(unknown.send(draft, { getTx: () => undefined }))).toBe('CORE_SENT')
    // A node that returns something else for the ID.
    const wrong = { getTx: () => client.avm.getTx({ txID: other.txID }) }
    expect(await codeOf(unknown.send(draft, wrong))).toBe('CORE_SENT')
    for (const reply of [undefined, 'no', { txHash: 7 }, formatID(new Uint8Array(32)).slice(1)])
      expect(await codeOf((await lying(reply)).send(draft, { getTx }))).toBe('CORE_REPLY')
  })

  it('takes the ID in an object, too', async () => {
    const { core, draft, getTx } = await prepared()
    const signer = await coreProvider({
      request: async (args) => {
        const reply = await core.request(args)
        return args.method === 'avalanche_sendTransaction' ? { txHash: reply } : reply
      },
    })
    expect((await signer.send(draft, { getTx })).complete).toBe(true)
  })
})
