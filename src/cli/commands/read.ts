import type { Command, Options } from '../command.ts'
import { chainOptions, keyOptions, nodeOptions, readNetworkOption, waitOption } from '../options.ts'

const utxoOptions: Options = {
  sort: {
    value: 'ORDER',
    choices: ['amount', 'asset'],
    help: 'sort by amount (largest first) or by asset symbol; default: order of the node',
  },
  min: {
    value: 'AMOUNT',
    help: 'show only amounts of at least this, with the decimals of the asset',
  },
  'source-chain': {
    value: 'CHAIN',
    suggestions: ['P', 'C'],
    help: 'show UTXOs that this chain exported and that can be imported',
  },
  ...keyOptions,
  ...chainOptions,
  ...readNetworkOption,
}

const ownerArgument = {
  name: 'ADDRESS',
  help: 'address or xpub of the owner; default: the addresses of your keys',
  optional: true,
  many: true,
} as const

const assetOption = {
  value: 'ASSET',
  help: 'show only this asset, by ID or unambiguous symbol',
} as const

const balance: Command = {
  name: 'balance',
  summary: 'show the balances of addresses, and how much can be spent',
  arguments: [ownerArgument],
  options: {
    asset: assetOption,
    ...utxoOptions,
    chain: {
      value: 'CHAIN',
      suggestions: ['X', 'P', 'C', 'all'],
      help: 'X, P, C or all, or alias or ID of another chain that runs the AVM; default X',
    },
  },
  publicNode: true,
  example: 'balance X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => (await import('../actions/read/utxos.ts')).balance(invocation),
}

const utxos: Command = {
  name: 'utxos',
  summary: 'list the UTXOs of addresses, including those that cannot be decoded',
  arguments: [ownerArgument],
  options: { asset: assetOption, ...utxoOptions },
  publicNode: true,
  example: 'utxos X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --json',
  run: async (invocation) => (await import('../actions/read/utxos.ts')).utxos(invocation),
}

const txIDArgument = { name: 'TXID', help: 'transaction ID' } as const

const readOptions: Options = { ...nodeOptions, ...readNetworkOption }

const chainReadOptions: Options = { ...chainOptions, ...readNetworkOption }

/** For commands that ask only for one transaction and do not check the network. */
const txOptions: Options = {
  ...nodeOptions,
  network: {
    ...readNetworkOption.network!,
    help: 'network of the public node, used without a URL',
  },
}

const tx: Command = {
  name: 'tx',
  summary: 'show an accepted transaction with its explanation',
  arguments: [txIDArgument],
  options: readOptions,
  publicNode: true,
  example: 'tx 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  run: async (invocation) => (await import('../actions/read/chain.ts')).tx(invocation),
}

const showAcceptedBlock: Command = {
  name: 'block',
  summary: 'show an accepted block',
  arguments: [{ name: 'BLOCK', help: 'height, block ID or latest' }],
  options: chainReadOptions,
  publicNode: true,
  example: 'block latest',
  run: async (invocation) =>
    (await import('../actions/read/chain.ts')).showAcceptedBlock(invocation),
}

const asset: Command = {
  name: 'asset',
  summary: 'show name, symbol, decimals and initial state of an asset',
  details:
    'The details come from the transaction that created the asset, whose hash is the asset ID.',
  arguments: [{ name: 'ASSET', help: 'asset ID, or AVAX' }],
  options: readOptions,
  publicNode: true,
  example: 'asset AVAX',
  run: async (invocation) => (await import('../actions/read/chain.ts')).asset(invocation),
}

const historyOptions: Options = { ...keyOptions, ...chainReadOptions }

const history: Command = {
  name: 'history',
  summary: 'list the transactions of addresses, from accepted blocks or from the data API',
  details:
    'Uses the data API if AVMKIT_DATA_URL or the config file names it; the node then verifies what it lists. Otherwise\nreads the blocks of a range, by default the last 1000. The output names source and range. With --json, each transaction\nhas direction, fee, counterparties, memo and the idempotency keys of the journal. Spending that only a co-owner signed is\nrecognized if the UTXO was created in the range.',
  arguments: [ownerArgument],
  options: {
    source: {
      value: 'SOURCE',
      choices: ['blocks', 'data-api'],
      help: 'where to read; default: the data API if it is configured',
    },
    'from-height': { value: 'HEIGHT', help: 'first block; default: the last 1000 blocks' },
    'to-height': { value: 'HEIGHT', help: 'last block; default: the latest' },
    ...historyOptions,
  },
  publicNode: true,
  example: 'history X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --from-height 0',
  run: async (invocation) => (await import('../actions/read/history.ts')).history(invocation),
}

const watch: Command = {
  name: 'watch',
  summary: 'print transactions of addresses as they are accepted, until Ctrl-C',
  details:
    'With --json, prints one JSON object per line. To resume, pass the height of the last line plus 1 to --from-height.\nOf a mnemonic or xpub, the used addresses and the unused ones up to the gap limit are watched.',
  arguments: [ownerArgument],
  options: {
    'from-height': { value: 'HEIGHT', help: 'first block; default: the next one' },
    ...historyOptions,
  },
  publicNode: true,
  example: 'watch X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --json',
  run: async (invocation) => (await import('../actions/read/history.ts')).watch(invocation),
}

const rpc: Command = {
  name: 'rpc',
  summary: 'call any JSON-RPC method of the node and print the result as JSON',
  arguments: [
    { name: 'METHOD', help: 'such as avm.getHeight, platform.getHeight or eth_blockNumber' },
    { name: 'PARAMS', help: 'JSON object or array; default: none', optional: true },
  ],
  options: {
    path: {
      value: 'PATH',
      help: 'path of the API, such as /ext/info; default: that of the service',
    },
    ...nodeOptions,
  },
  example: `rpc avm.getBlockByHeight '{"height":"0","encoding":"json"}'`,
  run: async (invocation) => (await import('../actions/read/rpc.ts')).rpc(invocation),
}

const status: Command = {
  name: 'status',
  summary: 'show whether a transaction is accepted; pending and nonexistent are both unknown',
  arguments: [txIDArgument],
  options: txOptions,
  publicNode: true,
  example: 'status 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  run: async (invocation) => (await import('../actions/spend/issue.ts')).status(invocation),
}

const wait: Command = {
  name: 'wait',
  summary: 'wait until a transaction is accepted',
  arguments: [txIDArgument],
  options: { ...waitOption, ...txOptions },
  publicNode: true,
  example: 'wait 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe --wait 120',
  run: async (invocation) => (await import('../actions/spend/issue.ts')).wait(invocation),
}

/** Commands that read what addresses own. */
export const ownerCommands: readonly Command[] = [balance, utxos, history, watch]

/** Commands that read from the chain. */
export const txCommands: readonly Command[] = [tx, showAcceptedBlock, asset, status, wait, rpc]
