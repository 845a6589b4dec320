import { loadDefaultBackend } from '#backend'
import { requireFields } from '../encoding/require.ts'
import { memoryLog, parseDump } from './dump.ts'
import { DevNodeError } from './errors.ts'
import { decodeEntry, type EntryStore, type JournalEntry } from './journal.ts'
import { DevNode } from './node.ts'
import type { DevNodeOptions } from './options.ts'
import {
  hasSettings,
  parseSettings,
  type ResolvedSettings,
  resolveSettings,
  settingsText,
} from './settings.ts'

/**
 * Starts a development node. Without options it runs the local network's genesis.
 *
 * @throws DevNodeError `BAD_OPTION`, `LOG_CORRUPT`, `LOG_FAILED`
 *
 * @example
 * const node = await createDevNode()
 * node.fund('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u', 1_000_000_000n)
 * const { url } = await node.listen()
 */
export async function createDevNode(given: DevNodeOptions = {}): Promise<DevNode> {
  requireFields(given, 'options', [])
  const options = { ...given, backend: given.backend ?? (await loadDefaultBackend()) }
  const { folder, load, dumpable = load !== undefined } = options
  if (folder === undefined && !dumpable) return new DevNode(resolveSettings(options), options)
  const loaded = load === undefined ? [] : parseDump(load)
  const log = folder === undefined ? memoryLog(loaded) : await openLog(folder, load && loaded)
  try {
    const history = log.records.map(decodeEntry)
    return new DevNode(settingsFor(options, history[0]), options, log, history)
  } catch (error) {
    await log.close()
    throw error
  }
}

async function openLog(
  folder: string,
  loaded: readonly Uint8Array[] | undefined | '',
): Promise<EntryStore> {
  const { RecordLog } = await import('./storage.ts')
  const log = await RecordLog.open(folder)
  if (!loaded) return log
  if (log.records.length > 0) {
    await log.close()
    throw new DevNodeError(
      'BAD_OPTION',
      'the folder already contains a chain: load needs an empty folder',
    )
  }
  log.replace(loaded)
  return log
}

/** A chain in a folder keeps the settings it was created with. */
function settingsFor(options: DevNodeOptions, first: JournalEntry | undefined): ResolvedSettings {
  if (first === undefined) return resolveSettings(options)
  if (first.type !== 'settings')
    throw new DevNodeError('LOG_CORRUPT', 'chain log does not start with the settings of a chain')
  if (hasSettings(options) && settingsText(resolveSettings(options)) !== first.text)
    throw new DevNodeError('BAD_OPTION', 'the folder contains a chain with other settings')
  return parseSettings(first.text)
}
