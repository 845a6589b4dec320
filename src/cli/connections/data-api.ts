import { createDataClient, type DataClient, provider } from '../../node/index.ts'
import { readText } from '../files/files.ts'
import type { Invocation } from '../invocation.ts'

const VARIABLE = 'AVMKIT_DATA_URL'

/** A client of the data API for its own commands: `--url`, the configured URL, or the public provider. */
export async function dataClient(invocation: Invocation): Promise<DataClient> {
  const urls = await invocation.findURLs(VARIABLE, 'dataUrl')
  return clientAt(urls, invocation)
}

/** An index of addresses, and its URL for the output. */
export type AddressIndex = { readonly data: DataClient; readonly url: string }

/** The data API as an index of addresses; undefined unless the environment or the config file names its URL. */
export async function configuredIndex(invocation: Invocation): Promise<AddressIndex | undefined> {
  const url = await invocation.configuredURL(VARIABLE, 'dataUrl')
  return url === undefined ? undefined : { data: await clientAt([url], invocation), url }
}

async function clientAt(urls: readonly string[], invocation: Invocation): Promise<DataClient> {
  const { values, io } = invocation
  const config = await invocation.config()
  const file =
    values.text('api-key-file') ?? (io.env.AVMKIT_DATA_KEY ? undefined : config.dataKeyFile)
  const apiKey = file === undefined ? io.env.AVMKIT_DATA_KEY : (await readText(file, io)).trim()
  const server = urls.length > 0 ? { url: urls, apiKeyHeader: undefined } : provider.data
  return createDataClient({
    url: server.url,
    apiKey: apiKey || undefined,
    apiKeyHeader: values.text('api-key-header') ?? server.apiKeyHeader,
    ...invocation.transport(),
  })
}
