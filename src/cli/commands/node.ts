import { stringifyJSON } from '../../codec/index.ts'
import { formatAmount, formatID, formatNodeID, parseNodeID } from '../../encoding/index.ts'
import type { Health } from '../../rpc/index.ts'
import { escaped } from '../../sign/text.ts'
import {
  type Argument,
  type Command,
  expectedNetworkOption,
  nodeOptions,
  type Options,
  type Result,
} from '../command.ts'
import type { Invocation } from '../invocation.ts'
import { counted, facts, table } from '../print.ts'

/** What a command takes beside the options of all node commands. */
type Inputs = {
  readonly options?: Options
  readonly argument?: Argument
  /** Words behind the command in its example. */
  readonly example?: string
}

function nodeCommand(
  word: string,
  summary: string,
  run: (invocation: Invocation) => Promise<Result>,
  { options, argument, example }: Inputs = {},
): Command {
  const words = example === undefined ? word : `${word} ${example}`
  return {
    name: `node ${word}`,
    summary,
    arguments: argument === undefined ? [] : [argument],
    options: { ...options, ...nodeOptions },
    example: `node ${words} --url http://127.0.0.1:9650`,
    run,
  }
}

const info = nodeCommand(
  'info',
  'versions, network and chain of the node',
  async (invocation) => {
    const client = await invocation.client()
    const call = invocation.callOptions()
    const chain = await invocation.chain()
    const [version, networkID, name, ready] = await Promise.all([
      client.info.getNodeVersion({}, call),
      client.info.getNetworkID({}, call),
      client.info.getNetworkName({}, call),
      client.info.isBootstrapped({ chain }, call),
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
        [`${chain}-Chain`, ready ? 'ready' : 'bootstrapping'],
        ['height', height],
        ['chain ID', json.chainID],
        ['native asset', json.assetID],
      ],
      invocation.paint,
    )
    return { json, text }
  },
  { options: expectedNetworkOption },
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
    const tags = invocation.values.list('tag')
    const report = await client.healthGet[check]({ tags }, invocation.callOptions())
    return showHealth(report, invocation)
  },
  {
    options: {
      check: { value: 'NAME', choices: [...CHECKS], help: 'which checks; default health' },
      tag: {
        value: 'TAG',
        many: true,
        help: 'only checks with this tag, such as a subnet ID, and the global ones',
      },
    },
  },
)

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

const peers = nodeCommand('peers', 'peers that the node is connected to', listPeers, {
  argument: {
    name: 'NODEID',
    help: 'show only these peers; those that are not connected are left out',
    optional: true,
    many: true,
  },
})

async function listPeers(invocation: Invocation): Promise<Result> {
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

const fees = nodeCommand(
  'fees',
  'transaction fees of the chain',
  async (invocation) => {
    const { txFee, createAssetTxFee } = await invocation.context()
    const rows = [
      ['transaction', `${formatAmount(txFee)} AVAX`],
      ['creation of an asset', `${formatAmount(createAssetTxFee)} AVAX`],
    ] as const
    return { json: { txFee, createAssetTxFee }, text: facts(rows, invocation.paint) }
  },
  { options: expectedNetworkOption },
)

const upgrades = nodeCommand('upgrades', 'when upgrades take effect', async (invocation) => {
  const client = await invocation.client()
  const json = await client.info.upgrades({}, invocation.callOptions())
  return { json, text: facts(Object.entries(json), invocation.paint) }
})

const uptime = nodeCommand(
  'uptime',
  'uptime as validators see it',
  async (invocation) => {
    const client = await invocation.client()
    const subnetID = invocation.values.text('subnet')
    const params = subnetID === undefined ? {} : { subnetID }
    const json = await client.info.uptime(params, invocation.callOptions())
    const rows = [
      ['weighted average', `${json.weightedAveragePercentage}%`],
      ['rewarding stake', `${json.rewardingStakePercentage}%`],
    ] as const
    return { json, text: facts(rows, invocation.paint) }
  },
  {
    options: {
      subnet: { value: 'ID', help: 'uptime on this subnet; nodes since v1.11.12 ignore it' },
    },
  },
)

const ip = nodeCommand(
  'ip',
  'address and port that peers reach the node at',
  async (invocation) => {
    const client = await invocation.client()
    const found = await client.info.getNodeIP({}, invocation.callOptions())
    return { json: { ip: found }, text: escaped(found) || 'unknown' }
  },
)

const acps = nodeCommand(
  'acps',
  'stake for and against community proposals',
  async (invocation) => {
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
  },
)

const bootstrapped = nodeCommand(
  'bootstrapped',
  'whether the node has bootstrapped a chain',
  async (invocation) => {
    const client = await invocation.client()
    const chain = invocation.values.args[0]!
    const done = await client.info.isBootstrapped({ chain }, invocation.callOptions())
    const text = done ? 'bootstrapped' : 'bootstrapping'
    return { json: { chain, isBootstrapped: done }, text, failed: !done }
  },
  { argument: { name: 'CHAIN', help: 'alias or ID of the chain' }, example: 'C' },
)

const blockchainID = nodeCommand(
  'blockchain-id',
  'ID of a chain by its alias',
  async (invocation) => {
    const client = await invocation.client()
    const alias = invocation.values.args[0]!
    const found = formatID(await client.info.getBlockchainID({ alias }, invocation.callOptions()))
    return { json: { alias, blockchainID: found }, text: found }
  },
  { argument: { name: 'ALIAS', help: 'such as X, P or C' }, example: 'C' },
)

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
  'wait until the node has bootstrapped the chain',
  async (invocation) => {
    const client = await invocation.client()
    const seconds = invocation.values.integer('wait', 1, 86_400) ?? 60
    await invocation.during('seconds waited for the node', () =>
      client.waitUntilReady({ ...invocation.callOptions(), timeoutMs: seconds * 1000 }),
    )
    return { json: { ready: true }, text: 'ready' }
  },
  { options: { wait: { value: 'SECONDS', help: 'how long to wait; default 60' } } },
)

/** Commands that read facts of a node. */
export const nodeCommands: readonly Command[] = [
  info,
  id,
  ip,
  health,
  ready,
  bootstrapped,
  blockchainID,
  height,
  peers,
  fees,
  upgrades,
  uptime,
  acps,
  vms,
]
