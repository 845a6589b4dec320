import type { Command } from '../command.ts'
import { confirmOptions, issuingOptions, onceOptions, planOption } from '../options.ts'

const CHAINS = ['X', 'P', 'C'] as const

const move: Command = {
  name: 'move',
  summary: 'move funds between the X-, P- and C-Chain: export, wait and import',
  details:
    'AMOUNT is what arrives; both fees are added. The amount all moves all AVAX that can be spent. Both transactions are\nrecorded in the journal: journal resume completes a move that was interrupted.',
  arguments: [{ name: 'AMOUNT', help: 'amount with the decimals of the asset, or all' }],
  options: {
    from: { value: 'CHAIN', choices: CHAINS, help: 'chain that the funds leave' },
    to: { value: 'CHAIN', choices: CHAINS, help: 'chain on which the funds arrive' },
    recipient: {
      value: 'ADDRESS',
      help: 'X-…, P-… or 0x…; default: your first address or account',
    },
    asset: {
      value: 'ASSET',
      help: 'asset to move between X and P, by ID or unambiguous symbol; default AVAX',
    },
    'max-fee': {
      value: 'AMOUNT',
      help: 'highest fee of each of the two transactions, in AVAX; default 0.1',
    },
    ...planOption,
    ...onceOptions,
    ...confirmOptions,
    ...issuingOptions,
  },
  example: 'move 1.5 --from C --to X --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/move.ts')).move(invocation),
}

/** Without `--wait`: the command lists moves and does not wait for them. */
const { wait: _wait, ...listOptions } = issuingOptions

const moves: Command = {
  name: 'moves',
  summary: 'list unfinished moves: where the funds are and what is needed',
  arguments: [],
  options: listOptions,
  example: 'moves --key-file my.key',
  run: async (invocation) => (await import('../actions/spend/move.ts')).moves(invocation),
}

/** Transfers between chains. */
export const moveCommands: readonly Command[] = [move, moves]
