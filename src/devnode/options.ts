import {
  boolean,
  type Check,
  list,
  msFrom,
  object,
  oneOf,
  optional,
  text,
} from '../core/base/argument.ts'
import { nearest } from '../core/base/nearest.ts'
import type { Secp256k1Backend } from '../core/crypto/backend.ts'
import { backendOption } from '../core/crypto/secp256k1.ts'
import { unixTime } from './control/arguments.ts'
import { DevNodeError } from './errors.ts'
import { type HttpAPIOptions, httpAPIOptions } from './http-apis/apis.ts'
import type { BlockMode } from './pace.ts'
import { type ChainSettings, chainSettings } from './settings.ts'

/** Options of `createDevNode`. */
export type DevNodeOptions = ChainSettings & {
  /**
   * Unix time in seconds at which the clock is fixed.
   *
   * @defaultValue the system clock
   */
  readonly now?: number | bigint | undefined
  /**
   * When blocks are produced.
   *
   * @defaultValue `auto`
   */
  readonly blocks?: BlockMode | undefined
  /**
   * Minimum time in milliseconds between two blocks of the X-Chain or P-Chain in mode `real`.
   *
   * @defaultValue 1000
   */
  readonly blockTimeMs?: number | undefined
  /**
   * State to start from, as `dump` returned it.
   *
   * @defaultValue none: the genesis
   */
  readonly load?: string | undefined
  /**
   * Whether `dump` is available. It needs memory for a second copy of all blocks.
   *
   * @defaultValue true with `folder` or `load`, else false
   */
  readonly dumpable?: boolean | undefined
  /**
   * A folder for the chain. Accepted blocks survive a crash.
   *
   * @defaultValue none: in memory only
   */
  readonly folder?: string | undefined
  /**
   * Signature backend that recovers the signers of transactions.
   *
   * @defaultValue on Node the WebAssembly backend; elsewhere `nobleBackend`
   */
  readonly backend?: Secp256k1Backend | undefined
  /**
   * Whether rejections are remembered, as the node does.
   *
   * @defaultValue true
   */
  readonly remembersDrops?: boolean | undefined
  /**
   * Whether the C-Chain follows the rules and the API of Helicon.
   *
   * @defaultValue according to the network's upgrade schedule and the node's clock
   */
  readonly helicon?: boolean | undefined
  /**
   * Methods that the node refuses as if they did not exist, such as `avax.getAtomicTxStatus`, which the next release
   * does not have. A name that ends with a dot or an underscore refuses all methods that begin with it.
   * `publicServerRefusals` are those of a public server.
   *
   * @defaultValue none
   */
  readonly refusedMethods?: readonly string[] | undefined
  /** API keys and quotas of the metrics and data APIs. */
  readonly httpAPIs?: HttpAPIOptions | undefined
  /**
   * Whether UTXO pages contain the requested source chain, as documented.
   *
   * @defaultValue false, as in the node
   */
  readonly echoSourceChain?: boolean | undefined
}

/** Methods that public servers refuse: they tell of one of many nodes. For `refusedMethods`. */
export const publicServerRefusals: readonly string[] = [
  'info.getNodeID',
  'info.getNodeIP',
  'info.getVMs',
  'health.',
]

/** Whether a method is one of the refused ones, or begins with one that ends with a dot or an underscore. */
export function refusal(refused: readonly string[]): (method: string) => boolean {
  return (method) => refused.some((name) => refuses(name, method))
}

/**
 * Rejects names that refuse no method: they would have no effect.
 *
 * @throws DevNodeError `BAD_OPTION`
 */
export function requireMethods(refused: readonly string[], methods: readonly string[]): void {
  for (const name of refused) {
    if (methods.some((method) => refuses(name, method))) continue
    const intended = nearest(name, methods)
    const hint = intended === undefined ? undefined : `did you mean ${intended}?`
    const shown = JSON.stringify(name.slice(0, 64))
    throw new DevNodeError('BAD_OPTION', `refusedMethods: no method has the name ${shown}`, {
      hint,
    })
  }
}

function refuses(name: string, method: string): boolean {
  return /[._]$/.test(name) ? method.startsWith(name) : method === name
}

/** The options after the check. */
export type CheckedDevNodeOptions = Omit<DevNodeOptions, 'now'> & {
  readonly now?: bigint | undefined
}

/** Describes the options of `createDevNode`. */
export const devNodeOptions: Check<CheckedDevNodeOptions> = object<CheckedDevNodeOptions>({
  ...chainSettings,
  now: optional(unixTime),
  blocks: optional(oneOf('manual', 'auto', 'real')),
  blockTimeMs: optional(msFrom(0)),
  load: optional(text),
  dumpable: optional(boolean),
  folder: optional(text),
  backend: backendOption,
  remembersDrops: optional(boolean),
  helicon: optional(boolean),
  refusedMethods: optional(list(text)),
  httpAPIs: optional(httpAPIOptions),
  echoSourceChain: optional(boolean),
})
