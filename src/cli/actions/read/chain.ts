import { formatID, parseID } from '../../../core/base/encoding/ids.ts'
import type { Block } from '../../../core/chain/x/block.ts'
import { txToJSON } from '../../../core/chain/x/json.ts'
import { encodeTx } from '../../../core/chain/x/tx.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import { quoted, symbolText } from '../../../core/sign/text.ts'
import { addressText } from '../../../inspect/texts.ts'
import { QuorumError } from '../../../node/errors.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'
import { parseAsset } from '../../spending/payments.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import { details, table } from '../../terminal/print.ts'
import { showBlock } from '../offline/decode-chain.ts'
import { lookUp } from '../offline/explain.ts'

/** Shows an accepted transaction. */
export async function tx(invocation: Invocation): Promise<Result> {
  const id = parseID(invocation.values.args[0]!)
  const client = await invocation.client()
  const found = await client.avm.getTx({ txID: id }, invocation.callOptions())
  const known = await lookUp(found.unsignedTx, invocation)
  const explanation = explainTx(found, { now: invocation.now(), ...known })
  const size = encodeTx(found).length
  const { hrp, chainAlias } = await invocation.context()
  const head = details(
    [
      ['txID', formatID(id)],
      ['type', found.unsignedTx.type],
      ['status', 'accepted'],
      ['size', `${size} bytes`],
    ],
    invocation.paint,
  )
  return {
    json: {
      txID: formatID(id),
      status: 'accepted',
      size,
      tx: txToJSON(found, { hrp, chainAlias }),
      explanation,
    },
    text: `${head}\n\n${explanationText(explanation, invocation.paint)}`,
  }
}

/** Shows an accepted block. */
export async function showAcceptedBlock(invocation: Invocation): Promise<Result> {
  const [text] = invocation.values.args as [string]
  const client = await invocation.client()
  const call = invocation.callOptions()
  const height =
    text === 'latest'
      ? await (await invocation.view()).height(call)
      : /^[0-9]{1,20}$/.test(text)
        ? BigInt(text)
        : undefined
  const found =
    height === undefined
      ? await client.avm.getBlock({ blockID: parseID(text) }, call)
      : await blockAt(height, invocation)
  const { name, networkID, hrp } = await invocation.context()
  return showBlock(
    { kind: 'block', form: 'hex', block: found },
    { name, networkID, hrp },
    invocation.paint,
  )
}

/** The block at a height that servers agree on. */
async function blockAt(height: bigint, invocation: Invocation): Promise<Block> {
  const client = await invocation.client()
  const chain = await invocation.view()
  const call = invocation.callOptions()
  if (chain.quorum === 1) return client.avm.getBlockByHeight({ height }, call)
  const [found] = await chain.blockReader({ from: height }).read({ ...call, limit: 1 })
  if (found !== undefined) return found.block
  const latest = await chain.height(call)
  if (height > latest) throw new UsageError('BAD_VALUE', `the last block is ${latest}`)
  throw new QuorumError('avm.getBlockByHeight', 0, {
    quorum: chain.quorum,
    servers: client.servers(),
  })
}

/** Shows an asset. */
export async function asset(invocation: Invocation): Promise<Result> {
  const context = await invocation.context()
  const client = await invocation.client()
  const assetID = parseAsset(invocation.values.args[0]!, context)
  const { unsignedTx } = await client.avm.getTx({ txID: assetID }, invocation.callOptions())
  if (unsignedTx.type !== 'CreateAssetTx')
    throw new CliError('ASSET_UNKNOWN', 'the transaction with this ID does not create an asset', {
      hint: 'avmkit tx shows the transaction',
    })
  const { name, symbol, denomination, initialStates } = unsignedTx
  const states = initialStates.flatMap(({ outputs }) =>
    outputs.map((output) => ({
      type: output.type,
      ...('amount' in output ? { amount: output.amount } : {}),
      ...('groupID' in output ? { groupID: output.groupID } : {}),
      threshold: output.threshold,
      owners: output.addresses.map((address) => addressText(address, context)),
    })),
  )
  const isFixed = states.every(({ type }) => !type.includes('Mint'))
  const head = details(
    [
      ['asset ID', formatID(assetID)],
      ['decimals', denomination],
      ['supply', isFixed ? 'fixed' : 'can be minted'],
    ],
    invocation.paint,
  )
  const { paint } = invocation
  const rows = states.map(({ type, threshold, owners, ...rest }) => [
    type,
    'amount' in rest ? String(rest.amount) : 'groupID' in rest ? `group ${rest.groupID}` : '',
    `${threshold} of ${owners.join(', ') || 'nobody'}`,
  ])
  const columns = [
    { title: 'initial output' },
    { title: 'units', right: true },
    { title: 'owners' },
  ] as const
  return {
    json: {
      assetID: formatID(assetID),
      name,
      symbol,
      denomination,
      fixed: isFixed,
      initialStates: states,
    },
    // Name and symbol are free text of the creator.
    text: [
      `${paint.bold(quoted(name))} ${symbolText(symbol)}`,
      head,
      '',
      table(columns, rows, paint),
    ].join('\n'),
  }
}
