import type { Command } from '../command.ts'
import { keyOptions, networkOption } from '../options.ts'

const { 'gap-limit': _gapLimit, 'key-env': _keyEnv, ...accountKeyOptions } = keyOptions

const add: Command = {
  name: 'accounts add',
  summary: 'give a name to keys, addresses or xpubs, for --account NAME in other commands',
  details:
    'Only names of files, addresses and xpubs are recorded, never keys, in AVMKIT_ACCOUNTS or accounts.json beside the\nconfig file. If the files later give other addresses, or a passphrase is mistyped, commands fail before they sign.',
  arguments: [
    { name: 'NAME', help: 'name of the account; starts with a letter' },
    {
      name: 'OWNER',
      help: 'address or xpub whose keys are elsewhere; default: the keys of --key-file',
      optional: true,
      many: true,
    },
  ],
  options: {
    ...accountKeyOptions,
    account: { value: 'ACCOUNT', help: 'number of the account of a mnemonic; default 0' },
    network: {
      ...networkOption.network!,
      help: 'network of the account, used if a command names none',
    },
  },
  example: 'accounts add savings --key-file my.key --network fuji',
  run: async (invocation) => (await import('../actions/offline/accounts.ts')).add(invocation),
}

const list: Command = {
  name: 'accounts list',
  summary: 'list the named accounts',
  arguments: [],
  options: {},
  example: 'accounts list',
  run: async (invocation) => (await import('../actions/offline/accounts.ts')).list(invocation),
}

const remove: Command = {
  name: 'accounts remove',
  summary: 'forget the name of an account; its key files stay',
  arguments: [{ name: 'NAME', help: 'name of the account' }],
  options: {},
  example: 'accounts remove savings',
  run: async (invocation) => (await import('../actions/offline/accounts.ts')).remove(invocation),
}

/** Names for keys and addresses. */
export const accountCommands: readonly Command[] = [add, list, remove]
