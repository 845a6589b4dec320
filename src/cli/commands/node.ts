import { formatAmount, formatID } from '../../encoding/index.ts'
import type { Health } from '../../rpc/index.ts'
import {
  type Command,
  expectedNetworkOption,
  nodeOptions,
  type Options,
  type Result,
} from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { counted, facts, table } from '../print.ts'

function nodeCommand(
  word: string,
  summary: string,
  run: (invocation: Invocation) => Promise<Result>,
  options: Options = {},
): Command {
  return {
    name: `node ${word}`,
    summary,
    arguments: [],
    options: { ...options, ...nodeOptions },
    example: `node ${word} --url http://127.0.0.1:9650`,
    run,
  }
}

const info = nodeCommand(
  'info',
  'versions, network and chain of the node',
  async (invocation) => {
    const client = await invocation.client()
    const call = invocation.callOptions()
    const [version, networkID, name, ready] = await Promise.all([
      client.info.getNodeVersion({}, call),
      client.info.getNetworkID({}, call),
      client.info.getNetworkName({}, call),
      client.info.isBootstrapped({ chain: 'X' }, call),
    ])
    // Both need a chain that is ready; without one the rest is still worth knowing.
    const context = ready ? await invocation.context() : undefined
    const height = ready ? await client.avm.getHeight({}, call) : undefined
    const json = {
      ...version,
      networkID,
      networkName: name,
      bootstrapped: ready,
      height,
      chainID: context && formatID(context.chainID),
      assetID: context && formatID(context.assetID),
    }
    const text = facts(
      [
        ['version', version.version],
        ['git commit', version.gitCommit || undefined],
        ['database', version.databaseVersion],
        ['network', `${name} (${networkID})`],
        ['X-Chain', ready ? 'ready' : 'bootstrapping'],
        ['height', height],
        ['chain ID', json.chainID],
        ['native asset', json.assetID],
      ],
      invocation.paint,
    )
    return { json, text }
  },
  expectedNetworkOption,
)

const id = nodeCommand('id', 'node ID and proof of its BLS key', async (invocation) => {
  const client = await invocation.client()
  const identity = await client.info.getNodeID({}, invocation.callOptions())
  const rows = [
    ['node ID', identity.nodeID],
    ['public key', identity.nodePOP.publicKey],
    ['proof', identity.nodePOP.proofOfPossession],
  ] as const
  return { json: identity, text: facts(rows, invocation.paint) }
})

const CHECKS = ['health', 'readiness', 'liveness'] as const

const health = nodeCommand(
  'health',
  'the checks of the node and what they say',
  async (invocation) => {
    const client = await invocation.client()
    const check = CHECKS.find((name) => name === invocation.values.text('check')) ?? 'health'
    const report = await client.healthGet[check]({}, invocation.callOptions())
    return showHealth(report, invocation)
  },
  { check: { value: 'NAME', choices: [...CHECKS], help: 'which checks; health unless told' } },
)

function showHealth(report: Health, { paint }: Invocation): Result {
  const rows = Object.entries(report.checks).map(([name, { error, timestamp }]) => [
    name,
    error === undefined ? 'ok' : `failing: ${JSON.stringify(error)}`,
    timestamp ?? '',
  ])
  const verdict = report.healthy ? paint.green('healthy') : paint.red('not healthy')
  const columns = [{ title: 'check' }, { title: 'state' }, { title: 'at' }]
  const list = rows.length === 0 ? '' : `\n\n${table(columns, rows, paint)}`
  return { json: report, text: verdict + list, failed: !report.healthy }
}

const peers = nodeCommand('peers', 'who the node is connected to', async (invocation) => {
  const client = await invocation.client()
  const found = await client.info.peers({}, invocation.callOptions())
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
})

const fees = nodeCommand(
  'fees',
  'what transactions cost on the X-Chain',
  async (invocation) => {
    const { txFee, createAssetTxFee } = await invocation.context()
    const rows = [
      ['transaction', `${formatAmount(txFee)} AVAX`],
      ['creation of an asset', `${formatAmount(createAssetTxFee)} AVAX`],
    ] as const
    return { json: { txFee, createAssetTxFee }, text: facts(rows, invocation.paint) }
  },
  expectedNetworkOption,
)

const upgrades = nodeCommand('upgrades', 'when upgrades take effect', async (invocation) => {
  const client = await invocation.client()
  const json = await client.info.upgrades({}, invocation.callOptions())
  return { json, text: facts(Object.entries(json), invocation.paint) }
})

const uptime = nodeCommand('uptime', 'uptime as validators see it', async (invocation) => {
  const client = await invocation.client()
  const json = await client.info.uptime({}, invocation.callOptions())
  const rows = [
    ['weighted average', `${json.weightedAveragePercentage}%`],
    ['rewarding stake', `${json.rewardingStakePercentage}%`],
  ] as const
  return { json, text: facts(rows, invocation.paint) }
})

const vms = nodeCommand('vms', 'installed virtual machines and extensions', async (invocation) => {
  const client = await invocation.client()
  const json = await client.info.getVMs({}, invocation.callOptions())
  const rows = [
    ...Object.entries(json.vms).map(([vmID, names]) => ['machine', names.join(', '), vmID]),
    ...Object.entries(json.fxs).map(([fxID, name]) => ['extension', name, fxID]),
  ]
  const columns = [{ title: 'kind' }, { title: 'name' }, { title: 'ID' }]
  return { json, text: table(columns, rows, invocation.paint) }
})

const height = nodeCommand('height', 'height of the last accepted block', async (invocation) => {
  const client = await invocation.client()
  const found = await client.avm.getHeight({}, invocation.callOptions())
  return { json: { height: found }, text: String(found) }
})

const ready = nodeCommand(
  'ready',
  'wait until the node has bootstrapped the X-Chain',
  async (invocation) => {
    const client = await invocation.client()
    const seconds = invocation.values.integer('wait', 1, 86_400) ?? 60
    await invocation.during('seconds waited for the node', () =>
      client.waitUntilReady({ ...invocation.callOptions(), timeoutMs: seconds * 1000 }),
    )
    return { json: { ready: true }, text: 'ready' }
  },
  { wait: { value: 'SECONDS', help: 'how long; 60 unless told' } },
)

/** Questions about a node. */
export const nodeCommands: readonly Command[] = [
  info,
  id,
  health,
  ready,
  height,
  peers,
  fees,
  upgrades,
  uptime,
  vms,
]
