import type { Command } from './command.ts'
import { address } from './commands/address.ts'
import { assetCommands } from './commands/assets.ts'
import { consolidate, importFrom, sweep } from './commands/batch.ts'
import { balance, utxos } from './commands/coins.ts'
import { completionCommand } from './commands/completion.ts'
import { custodyCommands } from './commands/custody.ts'
import { decode } from './commands/decode.ts'
import { devnode } from './commands/devnode.ts'
import { explain } from './commands/explain.ts'
import { issue, status, wait } from './commands/issue.ts'
import { journalCommands } from './commands/journal.ts'
import { keyCommands } from './commands/keys.ts'
import { move, moves } from './commands/move.ts'
import { nodeCommands } from './commands/node.ts'
import { page } from './commands/page.ts'
import { exportTo, send } from './commands/pay.ts'
import { requestCommands } from './commands/request.ts'
import { serviceCommands } from './commands/services.ts'

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [
  decode,
  explain,
  address,
  ...keyCommands,
  balance,
  utxos,
  send,
  sweep,
  consolidate,
  exportTo,
  importFrom,
  move,
  moves,
  ...assetCommands,
  ...journalCommands,
  ...requestCommands,
  issue,
  status,
  wait,
  ...nodeCommands,
  ...serviceCommands,
  ...custodyCommands,
  devnode,
  page,
  completionCommand(() => commands),
]
