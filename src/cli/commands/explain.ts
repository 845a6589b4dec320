import type { UnsignedTx } from '../../chain/index.ts'
import { formatID } from '../../encoding/index.ts'
import {
  type Explanation,
  explainRequest,
  explainTx,
  formatExplanation,
  type SigningRequest,
} from '../../sign/index.ts'
import { selectProofs } from '../../sign/proofs.ts'
import { type Command, keyOptions, nodeOptions, requestNetworkOption } from '../command.ts'
import { type Detected, detect } from '../detect.ts'
import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { assetFacts, proofsOf, spentUTXOs } from '../lookup.ts'
import { networkByID } from '../networks.ts'
import { paintExplanation } from '../print.ts'
import { textOf } from './decode.ts'

/** Says in words and numbers what would happen. */
export const explain: Command = {
  name: 'explain',
  summary: 'say what a transaction or signing request does, and warn of what is odd',
  details:
    'Works offline. With --lookup the node is asked for what is spent and for the names of assets.\nWith keys, what comes back to them is told apart from what is paid to others.',
  arguments: [{ name: 'TEXT', help: 'transaction or signing request; - for standard input' }],
  options: {
    lookup: { help: 'ask the node for what the transaction does not say itself' },
    ...keyOptions,
    ...nodeOptions,
    ...requestNetworkOption,
  },
  example: 'explain - < payout.json',
  run: async (invocation) => {
    const network = await invocation.namedNetwork()
    const found = detect(await textOf(invocation), { network })
    const explanation = await explainFound(found, invocation)
    return {
      json: explanation,
      text: paintExplanation(formatExplanation(explanation), invocation.paint),
    }
  },
}

async function explainFound(found: Detected, invocation: Invocation): Promise<Explanation> {
  if (found.kind !== 'tx' && found.kind !== 'unsignedTx' && found.kind !== 'request')
    throw new CliError(
      'NOT_RECOGNIZED',
      `expected a transaction or a signing request, found ${found.kind}`,
      { hint: 'avmkit decode reads everything else' },
    )
  const now = invocation.now()
  const ours = (await invocation.hasKeys()) ? (await invocation.keys()).addresses : undefined
  const options = { now, ...(ours === undefined ? {} : { ours }) }
  if (found.kind === 'request')
    return explainRequest(await withProofs(found.request, invocation), options)
  const tx = found.kind === 'tx' ? found.tx : { unsignedTx: found.tx, credentials: [] }
  if (invocation.values.has('lookup')) {
    const known = await lookUp(tx.unsignedTx, invocation)
    return explainTx(tx, { ...options, ...known })
  }
  const { context, name } = networkByID(tx.unsignedTx.networkID)
  if (context === undefined)
    throw new CliError('NETWORK_UNKNOWN', `the facts of ${name} are not built in`, {
      hint: 'pass --lookup with --url to ask a node of it',
    })
  return explainTx(tx, { ...options, context })
}

/** The request with the proofs that it lacks, if the node is to be asked for them. */
async function withProofs(
  request: SigningRequest,
  invocation: Invocation,
): Promise<SigningRequest> {
  if (!invocation.values.has('lookup')) return request
  const subject = { ...request, unsignedTx: request.variants[0]!.unsignedTx }
  const found = await proofsOf(await invocation.client(), subject, invocation.callOptions())
  return { ...request, proofs: selectProofs(subject, [...request.proofs, ...found]) }
}

/** Everything a node knows that helps to explain a transaction. */
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
  return { context, utxos, assets: await assetFacts(client, assetIDs, context, call) }
}
