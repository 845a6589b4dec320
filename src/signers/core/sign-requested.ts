import { readAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { signerNames } from '../../core/sign/account-keys.ts'
import { closeJob, type Job, missingSlots, type Signed } from '../../core/sign/job.ts'
import type { GetTx } from '../../core/sign/proofs/collect.ts'
import { explainRequest } from '../../core/sign/request/explain-request.ts'
import { openSignerSets } from '../../core/sign/request/request.ts'
import { signRequestWith } from '../../core/sign/request/request-sign.ts'
import { refuseDangers } from '../../core/sign/sign.ts'
import type { Signer } from '../../core/sign/signer.ts'
import { CoreError } from './errors.ts'
import { read } from './formats.ts'
import { parseRequestedTx, signingRequest } from './requested-tx.ts'
import { type AnsweringWallet, type HandleOptions, requireConsent } from './wallet.ts'

/** A transaction with the signatures of the wallet, and which of its signers are the wallet's. */
export type SignedJob = { readonly job: Job; readonly own: ReadonlySet<string> }

/**
 * Explains a requested transaction, refuses its dangers, asks the user and signs.
 *
 * @throws CoreError, SignError
 */
export async function signRequested(
  wallet: AnsweringWallet,
  method: string,
  params: unknown,
  { consent, accept = [], ...options }: HandleOptions,
): Promise<SignedJob> {
  const { network, publicKeys } = wallet
  const requested = parseRequestedTx(params)
  const request = await signingRequest(requested, network, readerOf(wallet))
  const signers = signersFrom(wallet, requested.from, requested.chain)
  const addresses = wallet.signers.flatMap((signer) => signer.addresses!)
  const keys = [publicKeys.xp, publicKeys.evm]
  const known = { ...options, network, ours: { addresses, publicKeys: keys } }
  const explanation = explainRequest(request, known)
  refuseDangers(explanation.warnings, { accept })
  const [open] = openSignerSets(request)
  const own = ownSigners(open!, signers, keys)
  if (!missingSlots(open!).some(({ address }) => own.has(hex.encode(address))))
    throw new CoreError('CORE_REFUSED', 'the wallet has nothing to sign')
  await requireConsent({ consent }, { method, explanation, request })
  const signed = await signRequestWith(request, signers, {
    ...known,
    publicKeys: keys,
    // A wallet has more keys than one transaction needs.
    accept: [...accept, 'UNUSED_KEY'],
  })
  return { job: openSignerSets(signed)[0]!, own }
}

/** The wallet's reader, whose failures are not refusals. */
function readerOf({ getTx }: AnsweringWallet): GetTx {
  return async (txID, chain) => {
    try {
      return await getTx(txID, chain)
    } catch (cause) {
      throw new CoreError('CORE_FAILED', 'the transactions to prove it cannot be read', { cause })
    }
  }
}

/** The signers of a wallet, or only the one of an address. */
function signersFrom(
  { signers, network }: AnsweringWallet,
  from: string | undefined,
  chain: ChainAlias,
): readonly Signer[] {
  if (from === undefined) return signers
  const { address } = read('CORE_PARAMS', 'from is not an address of the chain', () =>
    readAddress(from, chain, network.hrp),
  )
  const name = hex.encode(address)
  return signers.flatMap((signer) =>
    signer.addresses!.some((each) => hex.encode(each) === name)
      ? [{ ...signer, addresses: [address] }]
      : [],
  )
}

/** The signers of a transaction that are the wallet's, by the hex of their addresses or accounts. */
function ownSigners(
  job: Job,
  signers: readonly Signer[],
  publicKeys: readonly Uint8Array[],
): ReadonlySet<string> {
  const names = signerNames(job, publicKeys)
  const addresses = signers.flatMap((signer) => signer.addresses!)
  return new Set(addresses.flatMap((address) => names.signerOf(address) ?? []).map(hex.encode))
}

/** A signature, the position of its input and that of the signer among the owners. */
export type ListedSignature = {
  readonly signature: string
  readonly sigIndices: readonly [credential: number, owner: number]
}

/** The wallet's signatures, each with the position of the input and that of the signer among the owners. */
export function signatureList(
  { chain, unsignedTx, names, signatures }: Job,
  own: ReadonlySet<string>,
): ListedSignature[] {
  const spends = chain.spends(unsignedTx)
  return names.flatMap((slots, credential) =>
    slots.flatMap((name, slot) => {
      const signature = signatures.get(name)
      if (signature === undefined || !own.has(name)) return []
      const owner = spends[credential]!.signers.signatureIndices[slot] ?? 0
      return [{ signature: `0x${hex.encode(signature)}`, sigIndices: [credential, owner] as const }]
    }),
  )
}

/** The transaction with the signatures so far. As in Core, zero bytes stand for missing ones. */
export function partlySigned(job: Job): Uint8Array {
  const signatures = new Map(job.signatures)
  for (const name of job.needed.keys())
    if (!signatures.has(name)) signatures.set(name, new Uint8Array(65))
  return (closeJob({ ...job, signatures }) as Signed<ChainAlias>).bytes
}
