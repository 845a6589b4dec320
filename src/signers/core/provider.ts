import {
  argument,
  type Check,
  capability,
  fn,
  integerFrom,
  type Members,
  object,
  omissible,
  optional,
  text,
} from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { decodeBech32 } from '../../core/base/encoding/bech32.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { ID_SIZE } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { isBytes } from '../../core/base/require.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { encodeTx } from '../../core/chain/x/tx.ts'
import { addressOf, recoverPublicKey } from '../../core/crypto/secp256k1.ts'
import type { Draft } from '../../core/draft/draft.ts'
import { requireSigned, type Signed } from '../../core/sign/job.ts'
import type { GetTx } from '../../core/sign/proofs/collect.ts'
import { type SignOptions, signDraftWith, signMembers } from '../../core/sign/sign.ts'
import type { SignAllQuery, Signer } from '../../core/sign/signer.ts'
import { verifyMessage } from '../message/message.ts'
import { CoreError } from './errors.ts'
import {
  bytesOfHex,
  formatUTXO,
  read,
  signaturesOf,
  signaturesOfReply,
  type TxParams,
} from './formats.ts'

/** A provider of EIP-1193, such as `window.avalanche` of the Core extension. */
export type EIP1193Provider = {
  /** Sends a request to the wallet. */
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
}

/** Options of {@link coreProvider}. */
export type CoreProviderOptions = {
  /**
   * Number of receiving addresses of the account to use, at most 100.
   *
   * @defaultValue 0: only the address that the wallet shows
   */
  readonly external?: number | undefined
  /**
   * Number of change addresses of the account to use, at most 100.
   *
   * @defaultValue 0
   */
  readonly internal?: number | undefined
}

/** Core lists at most this many addresses of each kind in one reply. */
export const MAX_RANGE = 100

const providerOptions: Check<CoreProviderOptions> = /* @__PURE__ */ omissible(
  object<CoreProviderOptions>({
    external: optional(integerFrom(0, MAX_RANGE)),
    internal: optional(integerFrom(0, MAX_RANGE)),
  }),
)

const providerArgument: Check<EIP1193Provider> = capability<EIP1193Provider>(
  'an EIP-1193 provider',
  'request',
)

/** Options of `send`. */
export type CoreSendOptions = Omit<SignOptions, 'signatures' | 'extraEntropy'> & {
  /**
   * Reads the accepted transaction from a node; it should wait for it. The node need not be trusted: the ID is the hash
   * of the bytes.
   */
  readonly getTx: GetTx
}

const { extraEntropy: _, ...sharedMembers } = signMembers
const sendMembers: Members<CoreSendOptions> = { ...sharedMembers, getTx: fn<GetTx>() }
const sendOptions: Check<CoreSendOptions> = /* @__PURE__ */ object<CoreSendOptions>(sendMembers)

/** A wallet behind a provider, as signer and as sender. */
export type CoreSigner = Signer & {
  readonly addresses: readonly Uint8Array[]
  /** Compressed public keys: that of the X- and P-Chain, that of the account on the C-Chain. */
  readonly publicKeys: readonly [xp: Uint8Array, evm: Uint8Array]
  /** Signs for the key of the account on the C-Chain, which also owns what Core exports to that chain. */
  readonly account: Signer
  /**
   * Has the wallet sign a draft and issue it, then reads the transaction from a node and verifies it. Other than with a
   * wallet of this library, nothing is recorded: prefer the signer.
   *
   * @throws CoreError `CORE_SENT` if the wallet reports the transaction as issued and it cannot be verified: it may be
   * accepted, so do not pay again. SignError as `signDraftWith`.
   */
  readonly send: <A extends ChainAlias>(
    draft: Draft<A>,
    options: CoreSendOptions,
  ) => Promise<Signed<A>>
  /** Signs a message with the key of the X-Chain; verify it with `verifyMessage`. Returns the signature in cb58. */
  readonly signMessage: (message: string) => Promise<string>
}

/** Where in the account an address is. */
type Place = { readonly list: 'externalIndices' | 'internalIndices'; readonly index: number }

/**
 * A signer and sender over the provider of a wallet: Core, or another one with its methods `avalanche_…`. The UTXOs are
 * always sent along, so that the wallet does not look them up at a service. What it returns is verified: it must be
 * the same transaction, signed by the expected keys.
 *
 * @throws CoreError
 *
 * @example
 * const core = await coreProvider(window.avalanche)
 * const wallet = createWallet({ client, signers: [core] })
 */
export async function coreProvider(
  givenProvider: EIP1193Provider,
  givenOptions?: CoreProviderOptions,
): Promise<CoreSigner> {
  const provider = argument('coreProvider', givenProvider, providerArgument, 'provider')
  const options = argument('coreProvider', givenOptions, providerOptions)
  const publicKeys = publicKeysOf(await ask(provider, 'avalanche_getAccountPubKey', []))
  const active = addressOf(publicKeys[0])
  const places = await placesOf(provider, options)
  const listed = [...places.keys()].filter((name) => name !== hex.encode(active)).map(hex.decode)
  const addresses = [active, ...listed]

  const signAll = async (query: SignAllQuery) => {
    const reply = await ask(provider, 'avalanche_signTransaction', paramsOf(query, places))
    return assign(query, signaturesOfReply(reply, query.unsignedBytes))
  }
  const signing = { sign: refuseSingle, signAll }

  return {
    ...signing,
    addresses,
    publicKeys,
    account: { ...signing, addresses: [addressOf(publicKeys[1])] },
    async send(draft, given) {
      const { getTx, ...rest } = argument('send', given, sendOptions)
      const { accept = [], ...settings } = rest
      const own = [...addresses, addressOf(publicKeys[1])]
      let sent: Uint8Array | undefined
      const issuing: Signer = {
        addresses: own,
        sign: refuseSingle,
        async signAll(query) {
          const reply = await ask(provider, 'avalanche_sendTransaction', paramsOf(query, places))
          sent = txIDOf(reply)
          const tx = await getTx(sent, query.chain)
          const bytes = tx === undefined || isBytes(tx) ? tx : encodeTx(tx)
          if (bytes === undefined || !equalBytes(sha256(bytes), sent))
            throw new CoreError('CORE_REPLY', 'no node has the transaction')
          return assign(query, signaturesOf(bytes, query.unsignedBytes))
        },
      }
      try {
        const signed = requireSigned(
          await signDraftWith(draft, [issuing], {
            ...settings,
            publicKeys,
            accept: [...accept, 'UNUSED_KEY'],
          }),
        )
        if (sent !== undefined && equalBytes(signed.txID, sent)) return signed
        throw new CoreError('CORE_REPLY', 'the wallet has returned the ID of another transaction')
      } catch (cause) {
        if (sent === undefined) throw cause
        throw new CoreError(
          'CORE_SENT',
          `the wallet reports ${cb58.encode(sent)} as issued, which cannot be verified`,
          { cause, txID: sent, hint: 'it may be accepted: look for it before you pay again' },
        )
      }
    },
    async signMessage(given) {
      const message = argument('signMessage', given, text, 'message')
      const reply = await ask(provider, 'avalanche_signMessage', [message])
      if (typeof reply !== 'string')
        throw new CoreError('CORE_REPLY', 'the wallet returned no signature')
      read('CORE_REPLY', 'the wallet returned no signature of the message', () =>
        verifyMessage(message, reply, { address: active }),
      )
      return reply
    },
  }
}

/** A signer with `signAll` is never asked for single signatures; this says so to callers that do. */
function refuseSingle(): never {
  throw new CoreError('CORE_FAILED', 'a wallet signs whole transactions: use signAll')
}

async function ask(provider: EIP1193Provider, method: string, params: unknown): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (cause) {
    const { code } = Object(cause) as { readonly code?: unknown }
    if (code === 4001)
      throw new CoreError('CORE_REJECTED', 'the user rejected the request', { cause })
    throw new CoreError('CORE_FAILED', `the wallet failed: ${method}`, {
      cause,
      ...(method === 'avalanche_sendTransaction' && {
        hint: 'the transaction may have been issued: look for it before you pay again',
      }),
    })
  }
}

function paramsOf(query: SignAllQuery, places: ReadonlyMap<string, Place>): TxParams {
  const indicesIn = (list: Place['list']) => {
    const found = query.signers.flatMap(({ address }) => places.get(hex.encode(address)) ?? [])
    const indices = found.filter((place) => place.list === list).map(({ index }) => index)
    return indices.length === 0 ? {} : { [list]: indices }
  }
  return {
    transactionHex: `0x${hex.encode(query.unsignedBytes)}`,
    chainAlias: query.chain,
    ...indicesIn('externalIndices'),
    ...indicesIn('internalIndices'),
    utxos: query.utxos.map(formatUTXO),
  }
}

/** The signatures in the order of the signers. Their keys are recovered: the wallet decides only what it signs. */
function assign({ signers, hash }: SignAllQuery, signatures: readonly Uint8Array[]) {
  const byAddress = new Map(
    signatures.map((signature) => [
      read('CORE_REPLY', 'the transaction has an invalid signature', () =>
        hex.encode(addressOf(recoverPublicKey(hash, signature))),
      ),
      signature,
    ]),
  )
  return signers.map(({ address }) => byAddress.get(hex.encode(address)))
}

function publicKeysOf(reply: unknown): [xp: Uint8Array, evm: Uint8Array] {
  const { xp, evm } = Object(reply) as { readonly xp?: unknown; readonly evm?: unknown }
  return [publicKey(xp, 'xp'), publicKey(evm, 'evm')]
}

function publicKey(value: unknown, name: string): Uint8Array {
  const bytes = bytesOfHex(value, 'CORE_REPLY', `the public key ${name}`)
  const isUncompressed = bytes.length === 65 && bytes[0] === 4
  const compressed = isUncompressed ? bytes.slice(0, 33) : bytes
  // The first byte says whether y is odd.
  if (isUncompressed) compressed[0] = 2 + (bytes[64]! & 1)
  read('CORE_REPLY', `the wallet returned no public key ${name}`, () => addressOf(compressed))
  return compressed
}

async function placesOf(
  provider: EIP1193Provider,
  { external = 0, internal = 0 }: CoreProviderOptions,
): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>()
  if (external === 0 && internal === 0) return places
  const range = [0, 0, external, internal]
  const reply = Object(await ask(provider, 'avalanche_getAddressesInRange', range))
  const take = (list: Place['list'], addresses: unknown, count: number) => {
    if (!Array.isArray(addresses) || addresses.length !== count)
      throw new CoreError('CORE_REPLY', `the wallet returned other than ${count} addresses`)
    for (const [index, address] of addresses.entries()) {
      const { bytes } = read('CORE_REPLY', 'the wallet returned an invalid address', () =>
        decodeBech32(String(address).replace(/^[XP]-/, '')),
      )
      places.set(hex.encode(bytes), { list, index })
    }
  }
  take('externalIndices', reply.external ?? [], external)
  take('internalIndices', reply.internal ?? [], internal)
  return places
}

/** The ID of the transaction that a wallet reports as issued. */
function txIDOf(reply: unknown): Uint8Array {
  const { txHash = reply } = Object(reply) as { readonly txHash?: unknown }
  const id = read('CORE_REPLY', 'the wallet returned no transaction ID', () =>
    cb58.decode(txHash as string),
  )
  if (id.length === ID_SIZE) return id
  throw new CoreError('CORE_REPLY', 'the wallet returned no transaction ID', {
    hint: 'the transaction may have been issued: look for it before you pay again',
  })
}
