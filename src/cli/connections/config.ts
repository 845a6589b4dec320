import { dirname, resolve } from 'node:path'
import type { ErrorDetails } from '../../core/base/errors.ts'
import { nearest } from '../../core/base/nearest.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { holdsSecret, isHexKey } from '../../inspect/secrets.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import type { Surroundings } from '../surroundings.ts'
import { checkedChain, checkedURL } from './connection.ts'
import { isNetworkFile, parseNetwork } from './parse-network.ts'
import { MAX_QUORUM } from './quorum.ts'

/** The config file. */
export type Config = { readonly [Name in (typeof TEXT_SETTINGS)[number]]?: string } & {
  /** One URL, or several. */
  readonly url?: string | readonly string[]
  readonly quorum?: number
}

const TEXT_SETTINGS = [
  'chain',
  'network',
  'keyFile',
  'metricsUrl',
  'dataUrl',
  'dataKeyFile',
] as const

const SETTING_NAMES: readonly string[] = ['url', 'quorum', ...TEXT_SETTINGS]

/**
 * Reads and checks a config file.
 *
 * @throws CliError `CONFIG_INVALID`, `UNKNOWN_OPTION`, `FILE_UNREADABLE`
 */
export async function readConfig(path: string, io: Surroundings): Promise<Config> {
  const config = parseConfig(await readText(path, io), path)
  for (const [name, value] of Object.entries(config)) {
    if (!SETTING_NAMES.includes(name)) throw unknownSetting(name, path)
    if (name === 'quorum') checkQuorum(value, path)
    else for (const text of textsOf(name, value, path)) checkText(name, text, path)
  }
  return { ...config, ...resolvedPaths(config, path, io.env) }
}

function checkQuorum(value: unknown, path: string): void {
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > MAX_QUORUM)
    throw invalidConfig(path, `must have a whole number from 1 to ${MAX_QUORUM} for quorum`)
}

/** The texts of a setting: only `url` can have several. */
function textsOf(name: string, value: unknown, path: string): readonly string[] {
  const isList = name === 'url' && Array.isArray(value) && value.length > 0
  const texts: readonly unknown[] = isList ? value : [value]
  if (texts.every((text) => typeof text === 'string')) return texts
  const expected = name === 'url' ? 'a string or a list of strings' : 'a string'
  throw invalidConfig(path, `must have ${expected} for ${name}`)
}

function checkText(name: string, text: string, path: string): void {
  if (holdsSecret(text) || isHexKey(text))
    throw invalidConfig(path, `contains a private key in ${name}`, {
      hint: 'store the key in its own file',
    })
  checkSetting(name, text, path)
}

function unknownSetting(name: string, path: string): CliError {
  const suggestion = nearest(name, SETTING_NAMES)
  const shown = JSON.stringify(name.slice(0, 32))
  return new CliError('UNKNOWN_OPTION', `the config file ${path} has an unknown setting ${shown}`, {
    hint:
      suggestion === undefined
        ? `known settings: ${SETTING_NAMES.join(', ')}`
        : `did you mean ${suggestion}?`,
  })
}

function checkSetting(name: string, value: string, path: string): void {
  try {
    if (name === 'network' && !isNetworkFile(value)) parseNetwork(value)
    if (name === 'chain') checkedChain(value)
    if (/url$/i.test(name)) checkedURL(value)
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause
    const { hint, message } = cause
    throw invalidConfig(path, `has an invalid ${name}: ${message}`, { cause, hint })
  }
}

/** Paths are relative to the folder of the config file; `~` is the user's home. */
function resolvedPaths(config: Config, path: string, { HOME = '~' }: Surroundings['env']): Config {
  const names = (['keyFile', 'dataKeyFile', 'network'] as const).filter((name) => {
    const value = config[name]
    return value !== undefined && (name !== 'network' || isNetworkFile(value))
  })
  return Object.fromEntries(
    names.map((name) => [name, resolve(dirname(path), config[name]!.replace(/^~(?=\/|$)/, HOME))]),
  )
}

function parseConfig(text: string, path: string): Config {
  let json: unknown
  try {
    json = parseJSON(text)
  } catch (cause) {
    throw invalidConfig(path, 'is not JSON', { cause })
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw invalidConfig(path, 'must be a JSON object', { hint: '{"url": "http://127.0.0.1:9650"}' })
  return json as Config
}

function invalidConfig(path: string, message: string, details?: ErrorDetails): CliError {
  return new CliError('CONFIG_INVALID', `the config file ${path} ${message}`, details)
}
