import type { Command } from './command.ts'
import { assetCommands } from './commands/assets.ts'
import { custodyCommands } from './commands/custody.ts'
import { devnodeCommands } from './commands/devnode.ts'
import { journalCommands } from './commands/journal.ts'
import { moveCommands } from './commands/move.ts'
import { nodeCommands } from './commands/node.ts'
import { keyCommands, offlineCommands } from './commands/offline.ts'
import { ownerCommands, txCommands } from './commands/read.ts'
import { requestCommands } from './commands/request.ts'
import { serviceCommands } from './commands/services.ts'
import { issueCommands, spendCommands } from './commands/spend.ts'
import { toolCommands } from './commands/tools.ts'

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  ...offlineCommands,
  ...keyCommands,
  ...ownerCommands,
  ...spendCommands,
  ...moveCommands,
  ...assetCommands,
  ...journalCommands,
  ...requestCommands,
  ...issueCommands,
  ...txCommands,
  ...nodeCommands,
  ...serviceCommands,
  ...custodyCommands,
  ...devnodeCommands,
  ...toolCommands(() => commands),
]
