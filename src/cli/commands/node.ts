import type { Argument, Command, Options } from '../command.ts'
import { chainOptions, expectedNetworkOption, nodeOptions, quorumOption } from '../options.ts'

type Action = keyof typeof import('../actions/read/node.ts')

/** What a command takes beside the options of all node commands. */
type Inputs = {
  readonly options?: Options
  readonly argument?: Argument
  /** Argument of the command in its example. */
  readonly example?: string
}

function nodeCommand(
  word: string,
  action: Action,
  summary: string,
  { options, argument, example }: Inputs = {},
): Command {
  const words = example === undefined ? word : `${word} ${example}`
  return {
    name: `node ${word}`,
    summary,
    arguments: argument === undefined ? [] : [argument],
    options: { ...options, ...nodeOptions },
    example: `node ${words} --url http://127.0.0.1:9650`,
    run: async (invocation) => (await import('../actions/read/node.ts'))[action](invocation),
  }
}

const network = { options: { ...expectedNetworkOption, ...quorumOption } }
const quorum = { options: quorumOption }

const servers: Command = {
  name: 'node servers',
  summary: 'compare the heights and last blocks of all servers',
  details:
    'Fails if fewer servers agree than the quorum requires. A server is not used if it is unreachable, behind, or shows\nanother block than the others.',
  arguments: [],
  options: chainOptions,
  example: 'node servers --url http://127.0.0.1:9650',
  run: async (invocation) => (await import('../actions/read/servers.ts')).servers(invocation),
}

/** Commands that read details of a node. */
export const nodeCommands: readonly Command[] = [
  nodeCommand('info', 'info', 'show version, network and chain of the node', network),
  nodeCommand('id', 'id', 'show the node ID and the proof of possession of its BLS key'),
  nodeCommand('ip', 'ip', 'show the IP address and port for peers'),
  nodeCommand('health', 'health', 'show the health checks of the node', {
    options: {
      check: {
        value: 'NAME',
        choices: ['health', 'readiness', 'liveness'],
        help: 'set of checks; default health',
      },
      tag: {
        value: 'TAG',
        many: true,
        help: 'only checks with this tag, such as a subnet ID, and global checks',
      },
    },
  }),
  nodeCommand('ready', 'ready', 'wait until the node has bootstrapped the chain', {
    options: { wait: { value: 'SECONDS', help: 'time limit; default 60' } },
  }),
  nodeCommand('bootstrapped', 'bootstrapped', 'check whether the node has bootstrapped a chain', {
    argument: { name: 'CHAIN', help: 'alias or ID of the chain' },
    example: 'C',
  }),
  nodeCommand('blockchain-id', 'blockchainID', 'show the ID of a chain by its alias', {
    argument: { name: 'ALIAS', help: 'such as X, P or C' },
    example: 'C',
  }),
  nodeCommand('height', 'height', 'show the height of the last accepted block', quorum),
  servers,
  nodeCommand('peers', 'peers', 'list connected peers', {
    argument: {
      name: 'NODEID',
      help: 'show only these peers, if connected',
      optional: true,
      many: true,
    },
  }),
  nodeCommand('fees', 'fees', 'show the transaction fees of the chain', network),
  nodeCommand('upgrades', 'upgrades', 'show the activation times of network upgrades'),
  nodeCommand('uptime', 'uptime', 'show the uptime of the node as measured by validators', {
    options: {
      subnet: { value: 'ID', help: 'uptime on this subnet; ignored by nodes since v1.11.12' },
    },
  }),
  nodeCommand('acps', 'acps', 'show the stake for and against community proposals'),
  nodeCommand('vms', 'vms', 'list installed virtual machines and feature extensions'),
]
