import { formatID } from '../../../core/base/encoding/ids.ts'
import type { ChainAlias } from '../../../core/chain/chain-types.ts'
import type { UnsignedTx } from '../../../core/chain/x/tx.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import type { ExplainTxOptions, Explanation } from '../../../core/sign/explain/explanation.ts'
import { selectProofs } from '../../../core/sign/proofs/proofs.ts'
import { chainNamed } from '../../../core/sign/registry.ts'
import { explainRequest } from '../../../core/sign/request/explain-request.ts'
import type {
  AnySigningRequest,
  SigningRequest,
} from '../../../core/sign/request/signing-request.ts'
import { type Detected, detect } from '../../../inspect/detect.ts'
import { InspectError } from '../../../inspect/errors.ts'
import { explainDetected, isTx, unsignedTxOf } from '../../../inspect/explain.ts'
import { contextOfTx } from '../../../inspect/networks.ts'
import { requestOwnersOf } from '../../../inspect/request-keys.ts'
import type { Result } from '../../command.ts'
import { argumentText } from '../../files/input.ts'
import { readPolicy } from '../../files/policy-file.ts'
import type { Invocation } from '../../invocation.ts'
import { oursOffline, oursOnline } from '../../keys/ours.ts'
import { currentFee, currentFeeText, type PricedTx } from '../../spending/current-fee.ts'
import { lookUpAssets, proofsOf, spentUTXOs } from '../../spending/lookup.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import { parseRequestWithNetwork } from '../request/request.ts'

/** Explains a transaction or a signing request. */
export async function explain(invocation: Invocation): Promise<Result> {
  const network = await invocation.namedNetwork()
  const found = detect(await argumentText(invocation), { network })
  const { explanation, priced } = await explainFound(found, invocation)
  const text = explanationText(explanation, invocation.paint)
  if (priced === undefined || !invocation.values.has('lookup')) return { json: explanation, text }
  const current = await currentFee(priced, explanation.fee, invocation)
  const line = currentFeeText(current, priced.chain, explanation.fee)
  const shown = current.suffices ? line : invocation.paint.red(line)
  return { json: { ...explanation, currentFee: current }, text: `${text}\n\n${shown}` }
}

/** An explanation; for a transaction of a chain whose fee changes, with that transaction. */
type Explained = { readonly explanation: Explanation; readonly priced?: PricedTx | undefined }

function pricedTx(chain: string, unsignedTx: object): PricedTx | undefined {
  return chain === 'X' ? undefined : ({ chain, unsignedTx } as PricedTx)
}

async function explainFound(found: Detected, invocation: Invocation): Promise<Explained> {
  if (found.kind === 'id') return { explanation: await explainAccepted(found.id, invocation) }
  if (found.kind !== 'request' && !isTx(found))
    throw new InspectError(
      'NOT_RECOGNIZED',
      `expected a transaction or a signing request, found ${found.kind}`,
      { hint: 'avmkit decode reads everything else' },
    )
  const policy = await readPolicy(invocation)
  const readOurs = invocation.values.has('lookup') ? oursOnline : oursOffline
  const now = invocation.now()
  if (found.kind === 'request') {
    const request = await parseRequestWithNetwork(found.text, invocation)
    const options = { now, policy, ours: await readOurs(invocation, requestOwnersOf(request)) }
    const proven = await withProofs(request, invocation)
    return {
      explanation: explainRequest<ChainAlias>(proven, options),
      priced: pricedTx(request.chain, request.signerSets[0]!.unsignedTx),
    }
  }
  const options = { now, policy, ours: await readOurs(invocation) }
  if (invocation.values.has('lookup') && (found.kind === 'tx' || found.kind === 'unsignedTx')) {
    const tx = found.kind === 'tx' ? found.tx : { unsignedTx: found.tx, credentials: [] }
    const known = await lookUp(tx.unsignedTx, invocation)
    return { explanation: explainTx(tx, { ...options, ...known }) }
  }
  const hint = 'pass --lookup with --url to ask a node of it'
  const unsignedTx = unsignedTxOf(found)
  const context = contextOfTx(unsignedTx, hint, await invocation.namedNetwork())
  const chain = /^[pc](?=[A-Z])/.exec(found.kind)?.[0]?.toUpperCase() ?? 'X'
  return {
    explanation: explainDetected(found, { ...options, context }),
    priced: pricedTx(chain, unsignedTx),
  }
}

/** Explains an accepted transaction, which is read from the node. */
async function explainAccepted(id: Uint8Array, invocation: Invocation): Promise<Explanation> {
  const client = await invocation.client()
  const tx = await client.avm.getTx({ txID: id }, invocation.callOptions())
  const ours = await oursOnline(invocation)
  const known = await lookUp(tx.unsignedTx, invocation)
  return explainTx(tx, {
    now: invocation.now(),
    ours,
    policy: await readPolicy(invocation),
    ...known,
  })
}

/** The request; with `--lookup`, with the missing proofs from the node. */
async function withProofs(
  request: AnySigningRequest,
  invocation: Invocation,
): Promise<SigningRequest<ChainAlias>> {
  if (!invocation.values.has('lookup')) return request
  const { unsignedTx } = request.signerSets[0]!
  const found = await proofsOf(request, unsignedTx, invocation)
  const subject = { ...request, chain: chainNamed(request.chain), unsignedTx }
  return { ...request, proofs: selectProofs(subject, [...request.proofs, ...found]) }
}

/** What the node contributes to an explanation: network, spent UTXOs and assets. */
export async function lookUp(
  unsignedTx: UnsignedTx,
  invocation: Invocation,
): Promise<Pick<ExplainTxOptions, 'context' | 'utxos' | 'assets'>> {
  const chain = await invocation.view()
  const call = invocation.callOptions()
  const context = await invocation.context()
  const utxos = await spentUTXOs(chain, unsignedTx, call)
  const assetIDs = [...unsignedTx.inputs, ...unsignedTx.outputs, ...utxos].map(({ assetID }) =>
    formatID(assetID),
  )
  const known = await lookUpAssets(chain, assetIDs, context, call)
  const assets = Array.from(known.entries(), ([id, { symbol, denomination }]) => [
    id,
    { symbol, denomination },
  ])
  return { context, utxos, assets: Object.fromEntries(assets) }
}
