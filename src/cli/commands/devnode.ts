import { stringifyJSON } from '../../codec/index.ts'
import { formatID, parseAmount } from '../../encoding/index.ts'
import { AvmError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { makeFolder, unwritable } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { plain } from '../plain.ts'
import { counted, facts } from '../print.ts'

/** A node for development that runs until it is interrupted. */
export const devnode: Command = {
  name: 'devnode',
  summary: 'run a development node on this machine until Ctrl-C',
  details:
    'It judges transactions as the real node does and forgets everything at its end, unless it is given a\nfolder. The local network has its known funds: key PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN.',
  arguments: [],
  options: {
    port: { value: 'NUMBER', help: 'port to listen on; default: chosen by the system' },
    folder: { value: 'FOLDER', help: 'folder to store the chain in; default: memory only' },
    'network-id': { value: 'NUMBER', help: 'network ID; default 12345, the local network' },
    blocks: {
      value: 'MODE',
      choices: ['auto', 'real'],
      help: 'a block with every transaction, or one a second as the real node; default auto',
    },
    fund: { value: 'ADDRESS=AVAX', many: true, help: 'fund an address at the start' },
    'api-key': {
      value: 'KEY',
      many: true,
      help: 'a key that its data interface accepts; all other keys are refused',
    },
  },
  example: 'devnode --port 9650 --fund X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u=100',
  run: async (invocation) => {
    const { values, io } = invocation
    const grants = values.list('fund').map(readGrant)
    const networkID = values.integer('network-id', 1, 0xffffffff)
    const port = values.integer('port', 0, 65_535) ?? 0
    const folder = values.text('folder')
    if (folder !== undefined) makeFolder(folder)
    const { createDevNode } = await import('../../devnode/index.ts')
    const node = await createDevNode({
      blocks: values.text('blocks') === 'real' ? 'real' : 'auto',
      ...(folder === undefined ? {} : { folder }),
      ...(networkID === undefined ? {} : { networkID }),
      httpAPIs: { apiKeys: values.list('api-key') },
    }).catch((cause) => {
      throw cause instanceof AvmError || folder === undefined ? cause : unwritable(folder, cause)
    })
    try {
      const funded = grants.map(({ address, amount }) => ({
        address,
        amount,
        txID: formatID(node.fund(address, amount)),
      }))
      const { url } = await node.listen({ port }).catch((cause) => {
        throw new CliError('PORT_UNAVAILABLE', `cannot listen on port ${port}`, {
          cause,
          hint: 'another program may have it: choose another --port',
        })
      })
      const { context } = node
      const json = {
        url,
        networkID: context.networkID,
        chainID: formatID(context.chainID),
        assetID: formatID(context.assetID),
        funded,
      }
      io.stdout.write(
        `${values.has('json') ? stringifyJSON(plain(json)) : textOf(json, invocation)}\n`,
      )
      await interruption(io.signal)
    } finally {
      await node.close()
    }
    return undefined
  },
}

function textOf(
  json: { url: string; networkID: number; chainID: string; assetID: string; funded: unknown[] },
  { paint }: Invocation,
): string {
  return facts(
    [
      ['url', json.url],
      ['network', json.networkID],
      ['chain ID', json.chainID],
      ['native asset', json.assetID],
      [
        'funded',
        json.funded.length === 0 ? undefined : counted(json.funded.length, 'address', 'addresses'),
      ],
      ['stop', 'Ctrl-C'],
    ],
    paint,
  )
}

function readGrant(text: string): { address: string; amount: bigint } {
  const [address, amount, more] = text.split('=')
  if (!address || !amount || more !== undefined)
    throw new UsageError('BAD_VALUE', 'expected ADDRESS=AVAX behind --fund')
  return { address, amount: parseAmount(amount) }
}

function interruption(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
