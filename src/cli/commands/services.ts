import type { Command, Options } from '../command.ts'

const serviceOptions = (variable: string): Options => ({
  url: { value: 'URL', many: true, help: `URL of the API; default ${variable}, then its provider` },
  timeout: { value: 'SECONDS', help: 'time limit for one reply; default 10' },
})

const limitOption: Options = {
  limit: { value: 'NUMBER', help: 'maximum number of items; default 30, 0 for all' },
}

const pageOptions: Options = {
  ...limitOption,
  'page-token': {
    value: 'TOKEN',
    help: 'continue with this page; tokens are valid for 24 hours',
  },
}

const PAGES =
  'With --json the result has the items and, if there are more, nextPageToken for --page-token. The token is missing\nif --limit ends within a page: use a limit that is a multiple of the items per page.'

const dataOptions: Options = {
  ...serviceOptions('AVMKIT_DATA_URL'),
  'api-key-file': {
    value: 'FILE',
    help: 'file with the API key, which raises rate limits; default AVMKIT_DATA_KEY',
  },
  'api-key-header': { value: 'NAME', help: 'name of the header for the API key' },
}

const averageTPS: Command = {
  name: 'metrics tps',
  summary: 'show the average transactions per second of a chain, per day',
  arguments: [{ name: 'CHAIN', help: 'EVM chain ID, mainnet, testnet or total' }],
  details: PAGES,
  options: { ...pageOptions, ...serviceOptions('AVMKIT_METRICS_URL') },
  example: 'metrics tps 43114 --limit 7',
  run: async (invocation) => (await import('../actions/read/services.ts')).averageTPS(invocation),
}

const metricsHealth: Command = {
  name: 'metrics health',
  summary: 'check whether the metrics API works',
  arguments: [],
  options: serviceOptions('AVMKIT_METRICS_URL'),
  example: 'metrics health',
  run: async (invocation) =>
    (await import('../actions/read/services.ts')).metricsHealth(invocation),
}

const dataHealth: Command = {
  name: 'data health',
  summary: 'check whether the data API works',
  arguments: [],
  options: { live: { help: 'check reads only' }, ...dataOptions },
  example: 'data health',
  run: async (invocation) => (await import('../actions/read/services.ts')).dataHealth(invocation),
}

const dataChains: Command = {
  name: 'data chains',
  summary: 'list the chains of the data API',
  arguments: [],
  options: dataOptions,
  example: 'data chains',
  run: async (invocation) => (await import('../actions/read/services.ts')).dataChains(invocation),
}

const dataList: Command = {
  name: 'data list',
  summary: 'list the items of any paged route of the data API, one JSON object per line',
  arguments: [{ name: 'PATH', help: 'such as /v1/networks/fuji/blockchains/x-chain/blocks' }],
  details: PAGES,
  options: {
    ...pageOptions,
    'page-size': { value: 'NUMBER', help: 'items per page; default: chosen by the server' },
    field: {
      value: 'NAME',
      help: 'member that holds the list; default: the only list in the body',
    },
    ...dataOptions,
  },
  example: 'data list /v1/networks/fuji/blockchains/x-chain/blocks --limit 5',
  run: async (invocation) => (await import('../actions/read/services.ts')).dataList(invocation),
}

/** Commands of the metrics and data APIs. */
export const serviceCommands: readonly Command[] = [
  averageTPS,
  metricsHealth,
  dataHealth,
  dataChains,
  dataList,
]
