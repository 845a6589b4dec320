import { argument, type Check, memberOf } from '../../core/base/argument.ts'
import { formatAddress } from '../../core/base/encoding/address.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import { closeJob } from '../../core/sign/job.ts'
import { CoreError } from './errors.ts'
import { membersOf } from './formats.ts'
import { MAX_RANGE } from './provider.ts'
import { partlySigned, signatureList, signRequested } from './sign-requested.ts'
import {
  type AnsweringWallet,
  answeringWallet,
  type HandleOptions,
  handleOptions,
  requireConsent,
} from './wallet.ts'

/** A request of a page, which nobody has checked. */
export type AvalancheRequest = { readonly method: string; readonly params?: unknown }

const avalancheRequest: Check<AvalancheRequest> = (value, at) => {
  const { method, params } = Object(value) as Partial<AvalancheRequest>
  if (typeof method === 'string') return { method, params }
  throw new CoreError('CORE_PARAMS', `${memberOf(at, 'method').path} is not a text`)
}

/**
 * Answers a request of a page to a wallet: `avalanche_signTransaction`, `avalanche_sendTransaction`,
 * `avalanche_signMessage`, `avalanche_getAccountPubKey` and `avalanche_getAddressesInRange`, in the formats of Core.
 * A transaction is explained first. It is refused if it is for another network, has a danger that is not accepted or
 * spends UTXOs that the wallet's own node does not prove; then the user is asked.
 *
 * @returns the `result` to reply with
 * @throws CoreError; reply with its `rpcCode` and message
 *
 * @example
 * const result = await handleAvalancheRequest(answering, request, {
 *   consent: ({ explanation }) => explanation !== undefined && ask(formatExplanation(explanation)),
 * })
 */
export async function handleAvalancheRequest(
  givenWallet: AnsweringWallet,
  givenRequest: AvalancheRequest,
  givenOptions: HandleOptions,
): Promise<unknown> {
  const wallet = argument('handleAvalancheRequest', givenWallet, answeringWallet, 'wallet')
  const options = argument('handleAvalancheRequest', givenOptions, handleOptions, 'options')
  const request = argument('handleAvalancheRequest', givenRequest, avalancheRequest, 'request')
  try {
    return await answer(wallet, request, options)
  } catch (cause) {
    if (cause instanceof CoreError) throw cause
    const isRefusal = cause instanceof AvmError
    throw new CoreError(
      isRefusal ? 'CORE_REFUSED' : 'CORE_FAILED',
      isRefusal ? cause.message : 'the wallet failed',
      { cause },
    )
  }
}

async function answer(
  wallet: AnsweringWallet,
  { method, params }: AvalancheRequest,
  options: HandleOptions,
): Promise<unknown> {
  switch (method) {
    case 'avalanche_signTransaction': {
      const { job, own } = await signRequested(wallet, method, params, options)
      const signedTransactionHex = checkedHex.encode(partlySigned(job))
      return { signedTransactionHex, signatures: signatureList(job, own) }
    }
    case 'avalanche_sendTransaction': {
      const { job } = await signRequested(wallet, method, params, options)
      const signed = closeJob(job)
      if (!signed.complete)
        throw new CoreError('CORE_REFUSED', 'other signatures are missing: it cannot be sent')
      try {
        await wallet.issueTx(signed, job.chain.alias)
      } catch (cause) {
        const { txID } = signed
        throw new CoreError('CORE_SENT', 'issuing the transaction failed', { cause, txID })
      }
      return cb58.encode(signed.txID)
    }
    case 'avalanche_signMessage':
      if (wallet.signMessage === undefined) break
      return answerMessage(wallet.signMessage, method, params, options)
    case 'avalanche_getAccountPubKey': {
      await requireConsent(options, { method })
      const { xp, evm } = wallet.publicKeys
      return { evm: hex.encode(evm), xp: hex.encode(xp) }
    }
    case 'avalanche_getAddressesInRange':
      if (wallet.address === undefined) break
      return answerRange(wallet.address, wallet.network, params, options)
  }
  throw new CoreError('CORE_METHOD', 'the wallet does not support this method')
}

async function answerMessage(
  signMessage: NonNullable<AnsweringWallet['signMessage']>,
  method: string,
  params: unknown,
  options: HandleOptions,
): Promise<string> {
  // Core takes a list, the avalanche-sdk sends an object.
  const [message, accountIndex] = Array.isArray(params)
    ? params
    : [membersOf(params).message, membersOf(params).accountIndex]
  if (typeof message !== 'string') throw new CoreError('CORE_PARAMS', 'the message is not a text')
  if (accountIndex !== undefined && !isCount(accountIndex))
    throw new CoreError('CORE_PARAMS', 'the index of the account is not a number')
  await requireConsent(options, { method, message })
  return signMessage(message, accountIndex)
}

async function answerRange(
  addressAt: NonNullable<AnsweringWallet['address']>,
  { hrp }: NetworkContext,
  params: unknown,
  options: HandleOptions,
): Promise<{ readonly external: string[]; readonly internal: string[] }> {
  const [externalStart, internalStart, external = 0, internal = 0] = Array.isArray(params)
    ? params
    : []
  const numbers: unknown[] = [externalStart, internalStart, external, internal]
  if (!numbers.every(isCount))
    throw new CoreError('CORE_PARAMS', 'params must be starts and numbers of addresses')
  const range = (change: 0 | 1, start: number, count: number) =>
    Array.from({ length: Math.min(count, MAX_RANGE) }, (_, i) => {
      const address = addressAt({ change, index: start + i })
      // Core returns addresses without the alias of a chain.
      return formatAddress({ chain: 'X', hrp, address }).slice(2)
    })
  const result = {
    external: range(0, externalStart, external),
    internal: range(1, internalStart, internal),
  }
  const addresses = [...result.external, ...result.internal]
  await requireConsent(options, { method: 'avalanche_getAddressesInRange', addresses })
  return result
}

/** Whether a value is a position or number that a path can have. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 0x7fffff00
}
