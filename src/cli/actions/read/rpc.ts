import { AvmError } from '../../../core/base/errors.ts'
import type { Json } from '../../../core/codec/json.ts'
import { parseJSON, stringifyJSON } from '../../../core/codec/json-text.ts'
import type { JsonObject } from '../../../core/codec/json-value.ts'
import { isJSONObject } from '../../../core/codec/json-value.ts'
import { escapedJSON } from '../../../core/sign/text.ts'
import { createRawClient } from '../../../node/index.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import type { Invocation } from '../../invocation.ts'

/** Paths of the services of a node; CHAIN is the chain that the user named. */
const PATHS: { readonly [service: string]: string } = {
  avm: '/ext/bc/CHAIN',
  wallet: '/ext/bc/CHAIN/wallet',
  platform: '/ext/bc/P',
  avax: '/ext/bc/C/avax',
  info: '/ext/info',
  health: '/ext/health',
  devnode: '/ext/devnode',
}

/** Calls any method of the node. */
export async function rpc(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const [method, text] = values.args as [string, string?]
  const params = text === undefined ? (isEVM(method) ? [] : {}) : parseParams(text)
  const path = values.text('path') ?? (await pathOfMethod(method, invocation))
  const client = createRawClient({ url: await invocation.nodeURLs(), ...invocation.transport() })
  const result = await client.call(path, method, params, invocation.callOptions())
  return { json: result, text: escapedJSON(stringifyJSON(result)) }
}

/** Methods of the EVM take parameters by position. */
function isEVM(method: string): boolean {
  return /^(eth|net|web3|debug)_/.test(method)
}

async function pathOfMethod(method: string, invocation: Invocation): Promise<string> {
  if (isEVM(method)) return '/ext/bc/C/rpc'
  const service = method.split('.')[0]!
  const path = Object.hasOwn(PATHS, service) ? PATHS[service] : undefined
  if (path !== undefined) return path.replace('CHAIN', await invocation.chain())
  throw new UsageError('BAD_VALUE', 'the path of this method is not known', {
    hint: `pass --path; known services are ${Object.keys(PATHS).join(', ')}`,
  })
}

function parseParams(text: string): JsonObject | readonly Json[] {
  try {
    const json = parseJSON(text)
    if (Array.isArray(json) || isJSONObject(json)) return json
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
  }
  throw new UsageError('BAD_VALUE', 'the parameters must be a JSON object or array', {
    hint: `quote them for the shell: '{"height":"1"}'`,
  })
}
