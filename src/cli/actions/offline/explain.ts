import { formatID } from '../../../core/base/encoding/ids.ts'
import type { UnsignedTx } from '../../../core/chain/x/tx.ts'
import type { KeyChain } from '../../../core/crypto/keychain.ts'
import type { ExplainAtomicRequestOptions } from '../../../core/sign/atomic/explain.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import type { Explanation } from '../../../core/sign/explain/explanation.ts'
import { selectProofs } from '../../../core/sign/proofs.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import type { SigningRequest } from '../../../core/sign/request/request.ts'
import { type Detected, detect } from '../../../inspect/detect.ts'
import { InspectError } from '../../../inspect/errors.ts'
import { builtInContext } from '../../../inspect/networks.ts'
import type { OtherChainTx } from '../../../inspect/other-chain-explain.ts'
import { readerWith } from '../../../inspect/other-chain-requests.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { discoveredKeys, noteSearches } from '../../keys/discover.ts'
import { hasKeys, ownKeys } from '../../keys/own-keys.ts'
import { lookUpAssets, proofsOf, spentUTXOs } from '../../spending/lookup.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import { parseRequestWithNetwork } from '../request/request.ts'
import { argumentText } from './decode.ts'

/** Explains a transaction or a signing request. */
export async function explain(invocation: Invocation): Promise<Result> {
  const network = await invocation.namedNetwork()
  const found = detect(await argumentText(invocation), { network })
  if (found.kind === 'request' && found.chain !== 'X') {
    const reader = await otherChainReader(invocation)
    return (await import('../request/other-chain-request.ts')).explain(
      found.chain,
      found.text,
      reader,
      invocation,
    )
  }
  switch (found.kind) {
    case 'pTx':
    case 'cTx':
      return explainOther(found, found.tx.unsignedTx, invocation)
    case 'pUnsignedTx':
    case 'cUnsignedTx':
      return explainOther(found, found.tx, invocation)
  }
  const explanation = await explainFound(found, invocation)
  return {
    json: explanation,
    text: explanationText(explanation, invocation.paint),
  }
}

/** Explains a transaction of the P- or C-Chain. */
async function explainOther(
  found: OtherChainTx,
  { networkID }: { readonly networkID: number },
  invocation: Invocation,
): Promise<Result> {
  const context = builtInContext(networkID)
  const reader = await otherChainReader(invocation)
  const { explainOtherChainTx } = await import('../../../inspect/other-chain-explain.ts')
  const { explanation, words } = explainOtherChainTx(found, context, {
    ...reader,
    ours: reader.ours ?? [],
  })
  const { chain, type, warnings } = explanation
  return { json: { networkID, chain, type, warnings, explanation: words }, text: words }
}

/** The user as the reader of an explanation of the P- or C-Chain. */
async function otherChainReader(invocation: Invocation): Promise<ExplainAtomicRequestOptions> {
  const keys = await readerKeys(invocation)
  const reader = keys === undefined ? {} : readerWith({ keys, ours: keys.addresses })
  return { ...reader, now: invocation.now() }
}

/** The keys of the user, if there are any. */
async function readerKeys(invocation: Invocation): Promise<KeyChain | undefined> {
  if (!(await hasKeys(invocation))) return undefined
  const { keys, discoveries } = invocation.values.has('lookup')
    ? await discoveredKeys(invocation)
    : await ownKeys(invocation)
  noteSearches(discoveries, invocation)
  return keys
}

async function explainFound(found: Detected, invocation: Invocation): Promise<Explanation> {
  if (found.kind === 'id') return explainAccepted(found.id, invocation)
  if (found.kind !== 'tx' && found.kind !== 'unsignedTx' && found.kind !== 'request')
    throw new InspectError(
      'NOT_RECOGNIZED',
      `expected a transaction or a signing request, found ${found.kind}`,
      { hint: 'avmkit decode reads everything else' },
    )
  const now = invocation.now()
  const ours = (await readerKeys(invocation))?.addresses
  const options = { now, ours }
  if (found.kind === 'request')
    return explainRequest(
      await withProofs(await parseRequestWithNetwork(found.text, invocation), invocation),
      options,
    )
  const tx = found.kind === 'tx' ? found.tx : { unsignedTx: found.tx, credentials: [] }
  if (invocation.values.has('lookup')) {
    const known = await lookUp(tx.unsignedTx, invocation)
    return explainTx(tx, { ...options, ...known })
  }
  const hint = 'pass --lookup with --url to ask a node of it'
  const context = builtInContext(tx.unsignedTx.networkID, hint)
  return explainTx(tx, { ...options, context })
}

/** Explains an accepted transaction, which is read from the node. */
async function explainAccepted(id: Uint8Array, invocation: Invocation): Promise<Explanation> {
  const client = await invocation.client()
  const tx = await client.avm.getTx({ txID: id }, invocation.callOptions())
  const found = (await hasKeys(invocation)) ? await discoveredKeys(invocation) : undefined
  noteSearches(found?.discoveries ?? [], invocation)
  const known = await lookUp(tx.unsignedTx, invocation)
  return explainTx(tx, {
    now: invocation.now(),
    ours: found?.keys.addresses,
    ...known,
  })
}

/** The request; with `--lookup`, with the missing proofs from the node. */
async function withProofs(
  request: SigningRequest,
  invocation: Invocation,
): Promise<SigningRequest> {
  if (!invocation.values.has('lookup')) return request
  const subject = { ...request, unsignedTx: request.signerSets[0]!.unsignedTx }
  const found = await proofsOf(subject, invocation)
  return { ...request, proofs: selectProofs(subject, [...request.proofs, ...found]) }
}

/** What the node contributes to an explanation: network, spent UTXOs and assets. */
export async function lookUp(
  unsignedTx: UnsignedTx,
  invocation: Invocation,
): Promise<Pick<Parameters<typeof explainTx>[1], 'context' | 'utxos' | 'assets'>> {
  const client = await invocation.client()
  const call = invocation.callOptions()
  const context = await invocation.context()
  const utxos = await spentUTXOs(client, unsignedTx, call)
  const assetIDs = [...unsignedTx.inputs, ...unsignedTx.outputs, ...utxos].map(({ assetID }) =>
    formatID(assetID),
  )
  const known = await lookUpAssets(client, assetIDs, context, call)
  return { context, utxos, assets: Object.fromEntries(known.entries()) }
}
