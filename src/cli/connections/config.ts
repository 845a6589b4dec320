import { dirname, resolve } from 'node:path'
import type { ErrorDetails } from '../../core/base/errors.ts'
import { nearest } from '../../core/base/nearest.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { holdsSecret, isHexKey } from '../../inspect/secrets.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import type { Surroundings } from '../surroundings.ts'
import { checkedChain, checkedURL } from './connection.ts'
import { parseNetwork } from './parse-network.ts'

/** The config file; all values are strings. */
export type Config = { readonly [Name in (typeof NAMES)[number]]?: string }

const NAMES = [
  'url',
  'chain',
  'network',
  'keyFile',
  'metricsUrl',
  'dataUrl',
  'dataKeyFile',
] as const

/**
 * Reads and checks a config file.
 *
 * @throws CliError `CONFIG_INVALID`, `FILE_UNREADABLE`
 */
export async function readConfig(path: string, io: Surroundings): Promise<Config> {
  const config = parse(await readText(path, io), path)
  for (const [name, value] of Object.entries(config)) {
    if (!(NAMES as readonly string[]).includes(name)) throw unknownSetting(name, path)
    if (typeof value !== 'string') throw invalid(path, `must have a string for ${name}`)
    if (holdsSecret(value) || isHexKey(value))
      throw invalid(path, `contains a private key in ${name}`, {
        hint: 'store the key in its own file',
      })
    check(name, value, path)
  }
  return { ...config, ...resolvedPaths(config, path, io.env) }
}

function unknownSetting(name: string, path: string): CliError {
  const suggestion = nearest(name, NAMES)
  return invalid(path, `has an unknown setting ${JSON.stringify(name.slice(0, 32))}`, {
    hint:
      suggestion === undefined
        ? `known settings: ${NAMES.join(', ')}`
        : `did you mean ${suggestion}?`,
  })
}

function check(name: string, value: string, path: string): void {
  try {
    if (name === 'network') parseNetwork(value)
    if (name === 'chain') checkedChain(value)
    if (/url$/i.test(name)) checkedURL(value)
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause
    const { hint, message } = cause
    throw invalid(path, `has an invalid ${name}: ${message}`, { cause, hint })
  }
}

/** Paths are relative to the folder of the config file; `~` is the user's home. */
function resolvedPaths(config: Config, path: string, { HOME = '~' }: Surroundings['env']): Config {
  const names = (['keyFile', 'dataKeyFile'] as const).filter((name) => config[name] !== undefined)
  return Object.fromEntries(
    names.map((name) => [name, resolve(dirname(path), config[name]!.replace(/^~(?=\/|$)/, HOME))]),
  )
}

function parse(text: string, path: string): Config {
  let json: unknown
  try {
    json = parseJSON(text)
  } catch (cause) {
    throw invalid(path, 'is not JSON', { cause })
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw invalid(path, 'must be a JSON object', { hint: '{"url": "http://127.0.0.1:9650"}' })
  return json as Config
}

function invalid(path: string, message: string, details?: ErrorDetails): CliError {
  return new CliError('CONFIG_INVALID', `the config file ${path} ${message}`, details)
}
