import { loadDefaultBackend } from '#backend'
import { argument } from '../core/base/argument.ts'
import { DevNodeError, readStored } from './errors.ts'
import { DevNode } from './node.ts'
import { type DevNodeOptions, devNodeOptions } from './options.ts'
import { memoryLog, parseDump } from './saved/dump.ts'
import { decodeEntry, type EntryStore, type JournalEntry } from './saved/journal.ts'
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
export async function createDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const checked = argument('createDevNode', options, devNodeOptions)
  const complete = { ...checked, backend: checked.backend ?? (await loadDefaultBackend()) }
  const { folder, load, dumpable = load !== undefined } = complete
  if (folder === undefined && !dumpable) return new DevNode(resolveSettings(complete), complete)
  const loaded = load === undefined ? undefined : parseDump(load)
  const log = folder === undefined ? memoryLog() : await openLog(folder, loaded !== undefined)
  try {
    const records = loaded ?? log.records
    const history = readStored(() => records.map(decodeEntry))
    const node = new DevNode(settingsFor(complete, history[0]), complete, log, history)
    // Loaded records are stored only after they were replayed, so that a folder never contains damaged ones.
    if (loaded !== undefined) log.replace(loaded)
    return node
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Opens the log of a folder, which must be empty if records are loaded into it. */
async function openLog(folder: string, loads: boolean): Promise<EntryStore> {
  const { RecordLog } = await import('./saved/storage.ts')
  const log = await RecordLog.open(folder)
  if (loads && log.records.length > 0) {
    await log.close()
    throw new DevNodeError(
      'BAD_OPTION',
      'the folder already contains a chain: load needs an empty folder',
    )
  }
  return log
}

/** The settings of a stored chain, or those of the options if there is none. Stored settings cannot be changed. */
function settingsFor(options: DevNodeOptions, first: JournalEntry | undefined): ResolvedSettings {
  if (first === undefined) return resolveSettings(options)
  if (first.type !== 'settings')
    throw new DevNodeError('LOG_CORRUPT', 'chain log does not start with the settings of a chain')
  if (hasSettings(options) && settingsText(resolveSettings(options)) !== first.text)
    throw new DevNodeError('BAD_OPTION', 'the folder contains a chain with other settings')
  return readStored(() => parseSettings(first.text))
}
