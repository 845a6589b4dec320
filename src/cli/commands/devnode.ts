import type { Command, Options } from '../command.ts'
import { networkOption, nodeOptions } from '../options.ts'

const devnode: Command = {
  name: 'devnode',
  summary: 'run a development node on this machine until Ctrl-C',
  details:
    'Applies the same rules as the real node, with X-, P- and C-Chain. Prints funded test accounts, whose keys are\npublic. The state is lost at the end unless --folder or --dump is given. Other programs can control the node with\navmkit devnode fund, time, mine …, or with JSON-RPC at the path /ext/devnode.',
  arguments: [],
  options: {
    port: { value: 'NUMBER', help: 'port to listen on, 0 for any free port; default 9650' },
    accounts: { value: 'NUMBER', help: 'number of funded test accounts; default 10' },
    balance: { value: 'AVAX', help: 'funds of each test account on each chain; default 10000' },
    seed: { value: 'TEXT', help: 'derive other test accounts from this text' },
    fund: { value: 'ADDRESS=AVAX', many: true, help: 'fund an address at the start' },
    blocks: {
      value: 'MODE',
      choices: ['auto', 'real', 'manual'],
      help: 'auto: a block with every transaction; real: one per second; manual: by devnode mine; default auto',
    },
    'block-time': {
      value: 'SECONDS',
      help: 'minimum time between blocks; implies --blocks real',
    },
    folder: { value: 'FOLDER', help: 'folder to store the chain in; default: memory only' },
    load: { value: 'FILE', help: 'start from a state that --dump wrote' },
    dump: { value: 'FILE', help: 'write the state to this file at the end' },
    network: {
      ...networkOption.network!,
      help: 'mainnet, fuji, local or a network ID; default local (12345)',
    },
    upgrade: {
      value: 'UPGRADE',
      choices: ['etna', 'helicon'],
      help: 'rules of the C-Chain; default: those that the network has now, on local etna',
    },
    refuse: {
      value: 'METHOD',
      many: true,
      help: 'refuse this method; health. refuses all that begin so; public: those that public servers refuse',
    },
    'api-key': {
      value: 'KEY',
      many: true,
      help: 'API key that its data API accepts; other keys are refused, requests without a key are answered',
    },
  },
  example: 'devnode --accounts 3 --balance 100',
  run: async (invocation) => (await import('../actions/devnode.ts')).devnode(invocation),
}

/** A running node is controlled at the default URL if none is configured. */
const controlOptions: Options = { url: nodeOptions.url!, timeout: nodeOptions.timeout! }

type Action = keyof typeof import('../actions/devnode-control.ts')

function controlCommand(
  word: string,
  action: Action,
  summary: string,
  rest: Pick<Command, 'arguments' | 'options'> & {
    readonly details?: string
    readonly example: string
  },
): Command {
  return {
    ...rest,
    name: `devnode ${word}`,
    summary,
    options: { ...rest.options, ...controlOptions },
    example: `devnode ${word}${rest.example === '' ? '' : ` ${rest.example}`}`,
    run: async (invocation) => (await import('../actions/devnode-control.ts'))[action](invocation),
  }
}

/** The development node, and commands that control a running one. */
export const devnodeCommands: readonly Command[] = [
  devnode,
  controlCommand('fund', 'fund', 'fund an address of a running development node', {
    arguments: [
      { name: 'ADDRESS', help: 'X-, P- or C-Chain address (0x…)' },
      { name: 'AMOUNT', help: 'amount of AVAX, or base units of --asset' },
    ],
    options: { asset: { value: 'ID', help: 'asset of the X-Chain; default AVAX' } },
    example: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u 5',
  }),
  controlCommand('time', 'time', 'show or set the clock of a running development node', {
    details: 'Setting the clock stops it.',
    arguments: [
      {
        name: 'TIME',
        help: 'Unix time, date, or +SECONDS; default: show the time',
        optional: true,
      },
    ],
    options: {},
    example: '+86400',
  }),
  controlCommand('mine', 'mine', 'make a running development node produce a block', {
    arguments: [{ name: 'TXID', help: 'only these transactions', optional: true, many: true }],
    options: {
      chain: { value: 'CHAIN', choices: ['X', 'P', 'C'], help: 'chain of the block; default X' },
    },
    example: '',
  }),
  controlCommand(
    'export-from',
    'exportFrom',
    'create UTXOs exported from the P- or C-Chain, to be imported on the X-Chain',
    {
      arguments: [
        { name: 'CHAIN', help: 'chain that exported', choices: ['P', 'C'] },
        { name: 'ADDRESS=AVAX', help: 'owner on the X-Chain and amount', many: true },
      ],
      options: {},
      example: 'P X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u=5',
    },
  ),
  controlCommand('fault', 'fault', 'make the next requests to a running development node fail', {
    arguments: [
      {
        name: 'KIND',
        help: 'kind of fault',
        choices: [
          'latency',
          'rate-limit',
          'bad-gateway',
          'lost',
          'cut',
          'silent',
          'empty',
          'error-body',
          'false-refusal',
          'bad-checksum',
          'bad-utxo',
          'repeated-page',
          'restarted-walk',
          'vanished',
        ],
      },
    ],
    options: {
      on: { value: 'METHOD', help: 'only requests of this method or path' },
      times: { value: 'NUMBER', help: 'number of requests; default 1' },
      after: { value: 'NUMBER', help: 'number of requests that pass first; default 0' },
      ms: { value: 'NUMBER', help: 'delay of the kind latency' },
    },
    example: 'rate-limit --on avm.getUTXOs --times 3',
  }),
  controlCommand(
    'snapshot',
    'snapshot',
    'save the state of a running development node in memory and print its ID',
    {
      arguments: [],
      options: {},
      example: '',
    },
  ),
  controlCommand('revert', 'revert', 'return a running development node to a snapshot', {
    arguments: [{ name: 'ID', help: 'as devnode snapshot printed it' }],
    options: {},
    example: '1',
  }),
]
