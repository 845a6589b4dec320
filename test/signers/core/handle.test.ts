import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import {
  decodeTx,
  encodeTx,
  encodeUnsignedTx,
  type SignedTx,
} from '../../../src/core/chain/x/tx.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { formatExplanation } from '../../../src/core/sign/explain/explain-text.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import type { SignatureQuery } from '../../../src/core/sign/signer.ts'
import {
  type AnsweringWallet,
  type ConsentQuery,
  type CoreError,
  coreProvider,
  handleAvalancheRequest,
} from '../../../src/signers/core/index.ts'
import { createWallet } from '../../../src/wallet/index.ts'
import { policyOf } from '../policy/fixtures.ts'
import { AVAX, answering, codeOf, key, type Surroundings, stranger, surroundings } from './setup.ts'

const keys = new KeyChain([key(1)])
const outsider = new KeyChain([key(60)]).addresses[0]!
const consent = () => true

/** A draft of the wallet's owner, and the parameters with which a page has it signed. */
async function requested(options: { vault?: boolean } = {}) {
  const all = await surroundings()
  const wallet = answering(all, keys)
  let draft: Draft
  if (options.vault) {
    const owner = createWallet({ client: all.client, keys })
    const addresses = [keys.addresses[0]!, stranger]
    await owner.transfer({ to: addresses, threshold: 2, amount: 3n * AVAX - 1_000_000n })
    const vault = createWallet({ client: all.client, addresses })
    const changeTo = { to: addresses, threshold: 2 }
    draft = (await vault.prepare.transfer({ to: outsider, amount: AVAX / 2n, changeTo })).draft
  } else {
    const watching = createWallet({ client: all.client, addresses: keys.addresses })
    draft = (await watching.prepare.transfer({ to: stranger, amount: AVAX })).draft
  }
  return { ...all, wallet, draft, params: paramsOf(draft) }
}

function paramsOf(draft: Draft) {
  return {
    transactionHex: hex.encode(encodeUnsignedTx(draft.unsignedTx)),
    chainAlias: 'X' as const,
    utxos: draft.utxos.map((utxo) => `0x${hex.encode(encodeUTXO(utxo).subarray(2))}`),
  }
}

const sign = (wallet: AnsweringWallet, params: unknown, more: object = {}) =>
  handleAvalancheRequest(
    wallet,
    { method: 'avalanche_signTransaction', params },
    { consent, ...more },
  ) as Promise<{ signedTransactionHex: string; signatures: unknown[] }>

describe('handleAvalancheRequest', () => {
  it('signs what the user agrees to, after an explanation', async () => {
    const { wallet, draft, params } = await requested()
    const asked: ConsentQuery[] = []
    const ask = (query: ConsentQuery) => asked.push(query) === 1
    const { signedTransactionHex, signatures } = await sign(wallet, params, { consent: ask })
    const signed = requireSigned(signDraft(draft, keys))
    expect(checkedHex.decode(signedTransactionHex)).toEqual(signed.bytes)
    const [signature] = signaturesIn(signed.signedTx)
    expect(signatures).toEqual([{ signature: `0x${hex.encode(signature!)}`, sigIndices: [0, 0] }])
    const [query] = asked
    expect(query!.method).toBe('avalanche_signTransaction')
    const text = formatExplanation(query!.explanation!)
    expect(text).toContain(formatAddress({ chain: 'X', hrp: 'local', address: stranger }))
    expect(query!.explanation!.spends.every(({ proven }) => proven)).toBe(true)
    expect(query!.explanation!.returns).toHaveLength(1)
  })

  it('issues what it is asked to send, and returns the ID', async () => {
    const { client, wallet, params } = await requested()
    const method = 'avalanche_sendTransaction'
    const txHash = await handleAvalancheRequest(wallet, { method, params }, { consent })
    const tx = await client.avm.getTx({ txID: txHash as string })
    expect(tx.unsignedTx.outputs).toHaveLength(2)
    const failing = { ...wallet, issueTx: () => Promise.reject(new Error('down')) }
    const error = (await handleAvalancheRequest(failing, { method, params }, { consent }).catch(
      (cause: unknown) => cause,
    )) as CoreError
    expect([error.code, cb58.encode(error.txID!)]).toEqual(['CORE_SENT', txHash])
  })

  it('needs no UTXOs: its node has the transactions that created them', async () => {
    const { wallet, draft, params } = await requested()
    const { utxos: _, ...without } = params
    const { signedTransactionHex } = await sign(wallet, without)
    expect(checkedHex.decode(signedTransactionHex)).toEqual(
      requireSigned(signDraft(draft, keys)).bytes,
    )
    const blind = { ...wallet, getTx: () => undefined }
    expect(await codeOf(sign(blind, without))).toBe('CORE_REFUSED')
  })

  it('takes UTXOs with the version of the codec, a prefix and members that it does not know', async () => {
    const { wallet, draft, params } = await requested()
    const versioned = {
      ...params,
      transactionHex: `0x${params.transactionHex}`,
      utxos: draft.utxos.map((utxo) => hex.encode(encodeUTXO(utxo))),
      feeTolerance: 100,
    }
    expect((await sign(wallet, versioned)).signatures).toHaveLength(1)
  })

  it('refuses UTXOs that its node contradicts or does not know', async () => {
    const { wallet, draft, params } = await requested()
    const forged = draft.utxos.map((utxo) => ({
      ...utxo,
      output: { ...utxo.output, addresses: [keys.addresses[0]!, stranger].sort(compare) },
    }))
    const utxos = forged.map((utxo) => hex.encode(encodeUTXO(utxo as never)))
    let asked = 0
    const more = { consent: () => ++asked > 0 }
    const cause = async (run: Promise<unknown>) =>
      ((await run.catch((error: unknown) => error)) as { cause: { code: string } }).cause.code
    expect(await cause(sign(wallet, { ...params, utxos }, more))).toBe('REQUEST_PROOF')
    const blind = { ...wallet, getTx: () => undefined }
    expect(await cause(sign(blind, params, more))).toBe('UNPROVEN_UTXO')
    expect(asked).toBe(0)
    const accept = ['UNPROVEN_UTXO']
    expect((await sign(blind, params, { accept })).signatures).toHaveLength(1)
    const broken = { ...wallet, getTx: () => Promise.reject(new Error('down')) }
    expect(await codeOf(sign(broken, params))).toBe('CORE_FAILED')
  })

  it('signs nothing unless the answer is true', async () => {
    const { wallet, params } = await requested()
    let signatures = 0
    const counting = {
      ...wallet,
      signers: wallet.signers.map((signer) => ({
        ...signer,
        sign: (query: SignatureQuery) => {
          signatures++
          return signer.sign(query)
        },
      })),
    }
    for (const answer of [false, undefined, 'yes', 1, null, {}]) {
      const code = await codeOf(sign(counting, params, { consent: () => answer }))
      expect(code).toBe('CORE_REJECTED')
    }
    expect(signatures).toBe(0)
    const error = (await sign(counting, params, { consent: () => false }).catch(
      (cause: unknown) => cause,
    )) as CoreError
    expect(error.rpcCode).toBe(4001)
  })

  it('refuses dangers and what its policy forbids, without asking', async () => {
    const { wallet, params } = await requested()
    const policy = policyOf({ transactions: ['ImportTx'] })
    let asked = 0
    const more = { consent: () => ++asked > 0 }
    expect(await codeOf(sign(wallet, params, { ...more, policy }))).toBe('CORE_REFUSED')
    expect(await codeOf(sign(wallet, params, { ...more, maxFee: 1n }))).toBe('CORE_REFUSED')
    expect(asked).toBe(0)
  })

  it('refuses transactions of other networks and those that it does not sign', async () => {
    const { wallet, draft, params } = await requested()
    const foreign = {
      ...params,
      transactionHex: hex.encode(encodeUnsignedTx({ ...draft.unsignedTx, networkID: 1 })),
    }
    expect(await codeOf(sign(wallet, foreign))).toBe('CORE_REFUSED')
    const other = answering(await surroundings(), new KeyChain([key(8)]))
    expect(await codeOf(sign({ ...other, getTx: wallet.getTx }, params))).toBe('CORE_REFUSED')
    const signed = hex.encode(requireSigned(signDraft(draft, keys)).bytes)
    expect(await codeOf(sign(wallet, { ...params, transactionHex: signed }))).toBe('CORE_REFUSED')
  })

  it('adds its signature to those of others, as zero bytes where one is missing', async () => {
    const { wallet, draft, params } = await requested({ vault: true })
    const first = await sign(wallet, params)
    const partly = decodeTx(checkedHex.decode(first.signedTransactionHex))
    const zero = new Uint8Array(65)
    const places = signaturesIn(partly).map((signature) =>
      hex.encode(signature) === hex.encode(zero) ? 'missing' : 'made',
    )
    expect(places.toSorted()).toEqual(['made', 'missing'])
    expect(first.signatures).toHaveLength(1)
    expect(
      await codeOf(
        handleAvalancheRequest(
          wallet,
          { method: 'avalanche_sendTransaction', params },
          { consent },
        ),
      ),
    ).toBe('CORE_REFUSED')
    const others = new KeyChain([key(99)])
    const second = { ...wallet, signers: answering(await surroundings(), others).signers }
    const transactionHex = first.signedTransactionHex
    const { signedTransactionHex } = await sign(second, { ...params, transactionHex })
    const both = new KeyChain([key(1), key(99)])
    expect(checkedHex.decode(signedTransactionHex)).toEqual(
      requireSigned(signDraft(draft, both)).bytes,
    )
    // A signature of somebody else is refused.
    const [credential] = partly.credentials
    const forged = { ...credential!, signatures: [strangeSignature(7), zero] }
    const bad = hex.encode(encodeTx({ ...partly, credentials: [forged] } as never))
    expect(await codeOf(sign(second, { ...params, transactionHex: bad }))).toBe('CORE_REFUSED')
  })

  it('signs only for the address that a request names', async () => {
    const { wallet, node, params } = await requested()
    const from = (address: Uint8Array, chain = 'X') =>
      formatAddress({ chain, hrp: node.context.hrp, address })
    expect(
      (await sign(wallet, { ...params, from: from(keys.addresses[0]!) })).signatures,
    ).toHaveLength(1)
    expect(await codeOf(sign(wallet, { ...params, from: from(stranger) }))).toBe('CORE_REFUSED')
    const onP = from(keys.addresses[0]!, 'P')
    expect(await codeOf(sign(wallet, { ...params, from: onP }))).toBe('CORE_PARAMS')
  })

  it.each([
    ['no params', undefined],
    ['a list', []],
    ['another chain', { chainAlias: 'Q' }],
    ['no transaction', { transactionHex: undefined }],
    ['a transaction that is not hex', { transactionHex: 'zz' }],
    ['an empty transaction', { transactionHex: '' }],
    ['bytes after the transaction', { more: '00' }],
    ['a huge transaction', { transactionHex: '00'.repeat(600_000) }],
    ['UTXOs that are not a list', { utxos: 'no' }],
    ['UTXOs that are not hex', { utxos: [7] }],
    ['UTXOs that are none', { utxos: ['00'] }],
    ['too many UTXOs', { utxos: new Array(6_000).fill('00') }],
    ['a number as address', { from: 7 }],
  ])('refuses %s', async (_, change) => {
    const { wallet, params } = await requested()
    const { more = '', ...rest } = Array.isArray(change)
      ? {}
      : ((change ?? {}) as { more?: string })
    const given =
      change === undefined || Array.isArray(change)
        ? change
        : { ...params, transactionHex: params.transactionHex + more, ...rest }
    expect(await codeOf(sign(wallet, given))).toBe('CORE_PARAMS')
  })

  it('signs messages and tells keys and addresses, if the user agrees', async () => {
    const all = await surroundings()
    const wallet = answering(all, keys)
    const ask = (method: string, params: unknown, more: object = {}) =>
      handleAvalancheRequest({ ...wallet, ...more }, { method, params }, { consent })
    expect(await ask('avalanche_signMessage', ['hello', 0])).toBe(
      await ask('avalanche_signMessage', { message: 'hello' }),
    )
    expect(await ask('avalanche_getAccountPubKey', [])).toEqual({
      xp: hex.encode(keys.publicKeys[0]!),
      evm: hex.encode(keys.publicKeys[0]!),
    })
    const address = () => keys.addresses[0]!
    const range = (await ask('avalanche_getAddressesInRange', [0, 0, 500, 1], { address })) as {
      external: string[]
      internal: string[]
    }
    expect([range.external.length, range.internal.length]).toEqual([100, 1])
    expect(range.internal[0]).toMatch(/^local1/)
    for (const params of [[0, 0, -1, 0], [0.5, 0, 1, 1], {}, [0, 'x'], [2 ** 31, 0, 1, 0]])
      expect(await codeOf(ask('avalanche_getAddressesInRange', params))).toBe('CORE_PARAMS')
    expect(await codeOf(ask('avalanche_signMessage', [7]))).toBe('CORE_PARAMS')
    expect(await codeOf(ask('avalanche_signMessage', ['a', -1]))).toBe('CORE_PARAMS')
    const bare = { signMessage: undefined, address: undefined }
    expect(await codeOf(ask('avalanche_signMessage', ['hello'], bare))).toBe('CORE_METHOD')
    expect(await codeOf(ask('eth_sendTransaction', []))).toBe('CORE_METHOD')
    for (const method of ['avalanche_signMessage', 'avalanche_getAccountPubKey'])
      expect(
        await codeOf(
          handleAvalancheRequest(wallet, { method, params: ['x'] }, { consent: () => false }),
        ),
      ).toBe('CORE_REJECTED')
  })
})

describe('coreProvider with handleAvalancheRequest', () => {
  const providerOf = (all: Surroundings) => ({
    request: (request: { method: string; params?: unknown }) =>
      handleAvalancheRequest(answering(all, all.core.keys), request, { consent }),
  })

  it('pays, sends and signs messages', async () => {
    const all = await surroundings()
    const core = await coreProvider(providerOf(all), { external: 2 })
    const wallet = createWallet({ client: all.client, signers: [core] })
    await wallet.transfer({ to: stranger, amount: 5n * AVAX })
    const { draft } = await wallet.prepare.transfer({ to: stranger, amount: AVAX / 2n })
    const signed = await core.send(draft, { getTx: (txID) => all.client.avm.getTx({ txID }) })
    expect(await all.client.avm.getTxStatus({ txID: signed.txID })).toBe('Accepted')
    expect(await core.signMessage('hello')).toMatch(/^[1-9A-HJ-NP-Za-km-z]+$/)
  })
})

function compare(a: Uint8Array, b: Uint8Array): number {
  return hex.encode(a) < hex.encode(b) ? -1 : 1
}

/** The signatures of the first credential. */
function signaturesIn({ credentials: [first] }: SignedTx): readonly Uint8Array[] {
  return first !== undefined && 'signatures' in first ? first.signatures : []
}

/** A signature that has nothing to do with the transaction. */
function strangeSignature(n: number): Uint8Array {
  const others = new KeyChain([key(n)])
  return others.sign(others.addresses[0]!, new Uint8Array(32).fill(1))
}
