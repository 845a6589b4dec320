import { formatID, formatNodeID, parseNodeID } from '../../../core/base/encoding/ids.ts'
import { stringifyJSON } from '../../../core/codec/json-text.ts'
import { escaped } from '../../../core/sign/text.ts'
import type { Health } from '../../../node/index.ts'
import { feeText } from '../../../wallet/payments/details-text.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { counted, details, table } from '../../terminal/print.ts'

export async function info(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const call = invocation.callOptions()
  const chain = await invocation.chain()
  const [version, networkID, name, ready] = await Promise.all([
    client.info.getNodeVersion({}, call),
    client.info.getNetworkID({}, call),
    client.info.getNetworkName({}, call),
    client.info.isBootstrapped({ chain }, call),
  ])
  // Both need a bootstrapped chain.
  const context = ready ? await invocation.context() : undefined
  const height = ready ? await (await invocation.view()).height(call) : undefined
  const json = {
    ...version,
    networkID,
    networkName: name,
    bootstrapped: ready,
    height,
    chainID: context && formatID(context.chainID),
    assetID: context && formatID(context.assetID),
  }
  const text = details(
    [
      ['version', version.version],
      ['git commit', version.gitCommit || undefined],
      ['database', version.databaseVersion],
      ['network', `${name} (${networkID})`],
      [`${chain}-Chain`, ready ? 'ready' : 'bootstrapping'],
      ['height', height],
      ['chain ID', json.chainID],
      ['native asset', json.assetID],
    ],
    invocation.paint,
  )
  return { json, text }
}

export async function id(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const identity = await client.info.getNodeID({}, invocation.callOptions())
  const rows = [
    ['node ID', identity.nodeID],
    ['public key', identity.nodePOP.publicKey],
    ['proof', identity.nodePOP.proofOfPossession],
  ] as const
  return { json: identity, text: details(rows, invocation.paint) }
}

const CHECKS = ['health', 'readiness', 'liveness'] as const

export async function health(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const check = CHECKS.find((name) => name === invocation.values.text('check')) ?? 'health'
  const tags = invocation.values.list('tag')
  const report = await client.healthGet[check]({ tags }, invocation.callOptions())
  return showHealth(report, invocation)
}

function showHealth(report: Health, { paint }: Invocation): Result {
  const rows = Object.entries(report.checks).map(([name, { error, timestamp }]) => [
    name,
    error === undefined ? 'ok' : `failing: ${stringifyJSON(error)}`,
    timestamp ?? '',
  ])
  const verdict = report.healthy ? paint.green('healthy') : paint.red('not healthy')
  const columns = [{ title: 'check' }, { title: 'state' }, { title: 'at' }]
  const list = rows.length === 0 ? '' : `\n\n${table(columns, rows, paint)}`
  return { json: report, text: verdict + list, failed: !report.healthy }
}

export async function peers(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const nodeIDs = invocation.values.args.map((text) => formatNodeID(parseNodeID(text)))
  const found = await client.info.peers({ nodeIDs }, invocation.callOptions())
  const columns = [
    { title: 'node ID' },
    { title: 'ip' },
    { title: 'version' },
    { title: 'uptime', right: true },
  ] as const
  const rows = found.peers.map(({ nodeID, ip, version, observedUptime }) => [
    nodeID,
    ip,
    version,
    `${observedUptime}%`,
  ])
  const count = counted(found.numPeers, 'peer')
  const text = rows.length === 0 ? count : `${count}\n\n${table(columns, rows, invocation.paint)}`
  return { json: found, text }
}

export async function fees(invocation: Invocation): Promise<Result> {
  const context = await invocation.context()
  const { txFee, createAssetTxFee } = context
  const rows = [
    ['transaction', feeText(txFee, context)],
    ['creation of an asset', feeText(createAssetTxFee, context)],
  ] as const
  return { json: { txFee, createAssetTxFee }, text: details(rows, invocation.paint) }
}

export async function upgrades(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const json = await client.info.upgrades({}, invocation.callOptions())
  return { json, text: details(Object.entries(json), invocation.paint) }
}

export async function uptime(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const params = { subnetID: invocation.values.text('subnet') }
  const json = await client.info.uptime(params, invocation.callOptions())
  const rows = [
    ['weighted average', `${json.weightedAveragePercentage}%`],
    ['rewarding stake', `${json.rewardingStakePercentage}%`],
  ] as const
  return { json, text: details(rows, invocation.paint) }
}

export async function ip(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const found = await client.info.getNodeIP({}, invocation.callOptions())
  return { json: { ip: found }, text: escaped(found) || 'unknown' }
}

export async function acps(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const found = await client.info.acps({}, invocation.callOptions())
  const columns = [
    { title: 'proposal' },
    { title: 'support', right: true },
    { title: 'object', right: true },
    { title: 'abstain', right: true },
  ] as const
  const rows = Object.entries(found).map(([number, acp]) => [
    number,
    String(acp.supportWeight),
    String(acp.objectWeight),
    String(acp.abstainWeight),
  ])
  const text = rows.length === 0 ? 'no proposals' : table(columns, rows, invocation.paint)
  return { json: { acps: found }, text }
}

export async function bootstrapped(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const chain = invocation.values.args[0]!
  const done = await client.info.isBootstrapped({ chain }, invocation.callOptions())
  const text = done ? 'bootstrapped' : 'bootstrapping'
  return { json: { chain, isBootstrapped: done }, text, failed: !done }
}

export async function blockchainID(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const alias = invocation.values.args[0]!
  const found = formatID(await client.info.getBlockchainID({ alias }, invocation.callOptions()))
  return { json: { alias, blockchainID: found }, text: found }
}

export async function vms(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const json = await client.info.getVMs({}, invocation.callOptions())
  const rows = [
    ...Object.entries(json.vms).map(([vmID, names]) => ['machine', names.join(', '), vmID]),
    ...Object.entries(json.fxs).map(([fxID, name]) => ['extension', name, fxID]),
  ]
  const columns = [{ title: 'kind' }, { title: 'name' }, { title: 'ID' }]
  return { json, text: table(columns, rows, invocation.paint) }
}

export async function height(invocation: Invocation): Promise<Result> {
  const found = await (await invocation.view()).height(invocation.callOptions())
  return { json: { height: found }, text: String(found) }
}

export async function ready(invocation: Invocation): Promise<Result> {
  const client = await invocation.client()
  const seconds = invocation.values.integer('wait', 1, 86_400) ?? 60
  await invocation.during('waiting for the node', () =>
    client.waitUntilReady({ ...invocation.callOptions(), timeoutMs: seconds * 1000 }),
  )
  return { json: { ready: true }, text: 'ready' }
}
