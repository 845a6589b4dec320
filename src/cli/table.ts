import type { Command, Purpose } from './command.ts'
import { accountCommands } from './commands/accounts.ts'
import { assetCommands } from './commands/assets.ts'
import { custodyCommands } from './commands/custody.ts'
import { devnodeCommands } from './commands/devnode.ts'
import { journalCommands } from './commands/journal.ts'
import { moveCommands } from './commands/move.ts'
import { nodeCommands } from './commands/node.ts'
import { keyCommands, offlineCommands } from './commands/offline.ts'
import { messageCommands, policyCommands } from './commands/policy.ts'
import { ownerCommands, txCommands } from './commands/read.ts'
import { requestCommands } from './commands/request.ts'
import { serviceCommands } from './commands/services.ts'
import { issueCommands, spendCommands } from './commands/spend.ts'
import { toolCommands } from './commands/tools.ts'

/** All commands by purpose, in the order of the help. */
export const purposes: readonly Purpose[] = [
  {
    title: 'keys and accounts',
    commands: [...keyCommands, ...accountCommands],
    groups: {
      keys: 'create, show, encrypt and decrypt private keys and mnemonics',
      accounts: 'give names to keys, addresses and xpubs for --account',
    },
  },
  { title: 'what you own', commands: ownerCommands },
  { title: 'pay and move funds', commands: [...spendCommands, ...moveCommands] },
  {
    title: 'payments already made',
    commands: journalCommands,
    groups: { journal: 'list, finish, cancel and recover recorded payments' },
  },
  {
    title: 'assets',
    commands: assetCommands,
    groups: {
      asset: 'create an asset, or mint more of it',
      nft: 'mint and transfer NFTs',
      property: 'mint and destroy properties',
    },
  },
  {
    title: 'sign on another machine',
    commands: [...requestCommands, ...issueCommands],
    groups: { request: 'draft, sign, merge and finish signing requests' },
  },
  {
    title: 'what your keys sign, and where you receive',
    commands: [...policyCommands, ...messageCommands],
    groups: {
      policy: 'check policies of signers, exchange vaults, sign address books',
      message: 'sign and verify messages',
    },
  },
  { title: 'decode and explain, offline', commands: offlineCommands },
  {
    title: 'read the chain',
    commands: [...txCommands, ...nodeCommands, ...serviceCommands],
    groups: {
      node: 'show version, health, height, fees and peers of a node',
      metrics: 'read the metrics API',
      data: 'read the data API',
    },
  },
  {
    title: 'custody for many users',
    commands: custodyCommands,
    groups: { custody: 'deposits, payouts and sweeps on PostgreSQL' },
  },
  {
    title: 'development',
    commands: devnodeCommands,
    groups: { devnode: 'fund addresses, set the clock and cause faults on a running one' },
  },
  { title: 'this program', commands: toolCommands(() => commands) },
]

/** All commands. */
export const commands: readonly Command[] = purposes.flatMap(({ commands: list }) => list)
