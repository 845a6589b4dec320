import type { InspectErrorCode } from '../../inspect/errors.ts'
import type { CliErrorCode, UsageErrorCode } from '../errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `InspectError`. */
export const inspectErrors: ErrorTexts<InspectErrorCode> = {
  NOT_RECOGNIZED: {
    meaning: 'The text is not what the command can read.',
    cause: 'It is of another kind, cut, or may be a private key, which is not shown.',
    fix: 'The message says what was found or tried. `avmkit decode --as KIND` reads it as one kind only.',
  },
  NETWORK_UNKNOWN: {
    meaning: 'The IDs of the network are not built in.',
    cause: 'Only mainnet, Fuji and the local network are known offline.',
    fix: 'Name a node of the network with --url.',
  },
  QR_FRAME: {
    meaning: 'A QR code of a series cannot be read, or contradicts the others.',
    cause: 'It is of another series, or not all of them were read.',
    fix: 'Scan the whole series again.',
  },
  TOO_LARGE_FOR_QR: {
    meaning: 'The file does not fit in a series of QR codes.',
    cause: 'It is larger than about 800 KB.',
    fix: 'Copy the file instead.',
  },
  NO_INDEX: {
    meaning: 'The keys or the vault have no address at this index.',
    cause:
      'Each private key has one address, and a vault the number of indices in its registration.',
    fix: 'The message says which indices there are.',
  },
  NOT_YOURS: {
    meaning: 'An address that was to be verified does not belong to the keys or the vault.',
    cause: 'Someone has exchanged it, or it is of another account or index.',
    fix: 'Do not receive anything there. `avmkit receive` and the page show your own address.',
  },
}

/** Texts on the codes of `UsageError`. */
export const usageErrors: ErrorTexts<UsageErrorCode> = {
  UNKNOWN_COMMAND: {
    meaning: 'There is no such command.',
    cause: 'It is mistyped.',
    fix: 'Use the suggestion, or `avmkit --help`.',
  },
  UNKNOWN_OPTION: {
    meaning: 'The command has no such option.',
    cause: 'It is mistyped, or belongs to another command.',
    fix: '`avmkit COMMAND --help` lists the options. There is no --key: --idempotency-key names a payment, --key-file gives private keys.',
  },
  MISSING_VALUE: {
    meaning: 'An option is given without its value.',
    cause: 'Nothing follows it, or the next option does.',
    fix: 'Write the value after it; a value that starts with a dash is written --option=VALUE.',
  },
  UNEXPECTED_VALUE: {
    meaning: 'An option that is a switch is given with a value.',
    cause: 'For example --yes=no.',
    fix: 'Leave the value out.',
  },
  BAD_VALUE: {
    meaning: 'An argument or the value of an option is invalid.',
    cause: 'The message names it and what is expected.',
    fix: 'Correct it; nothing was done.',
  },
  MISSING_ARGUMENT: {
    meaning: 'A required argument is missing.',
    cause: 'The command line ends too early, or an unset shell variable was empty.',
    fix: 'The hint shows an example.',
  },
  TOO_MANY_ARGUMENTS: {
    meaning: 'There are more arguments than the command takes.',
    cause: 'A text with spaces is not in quotes, or a file pattern matched several files.',
    fix: 'Put quotes around texts with spaces.',
  },
  MISSING_OPTION: {
    meaning: 'A required option is missing.',
    cause: 'It has no default.',
    fix: 'Add the option that the message names.',
  },
  KEY_IN_ARGUMENT: {
    meaning: 'An argument contains a private key, a mnemonic or a password.',
    cause: 'Other users of the machine can see arguments, and shells keep them in a history file.',
    fix: 'Consider the key compromised: move the funds. Pass keys with --key-file or AVMKIT_KEY.',
  },
  NO_URL: {
    meaning: 'No node or API is configured.',
    cause: 'There is neither --url nor AVMKIT_URL nor a setting in the config file.',
    fix: 'Pass --url, or --network fuji or mainnet for commands that only read.',
  },
  NO_KEYS: {
    meaning: 'No suitable key is configured.',
    cause:
      'There is neither --key-file nor AVMKIT_KEY nor AVMKIT_MNEMONIC nor an account with keys, and no terminal to ask.',
    fix: 'Pass --key-file FILE or --account NAME.',
  },
  NO_PASSWORD: {
    meaning: 'A password or passphrase is needed, and there is no terminal.',
    cause: 'The key file is encrypted, and the command runs in a script.',
    fix: 'Name a file with it in AVMKIT_PASSWORD_FILE or AVMKIT_PASSPHRASE_FILE.',
  },
  ACCOUNT_UNKNOWN: {
    meaning: 'There is no account with this name.',
    cause: 'It is mistyped, was removed, or was added for another user.',
    fix: '`avmkit accounts list` shows the names.',
  },
  CONFIRMATION_NEEDED: {
    meaning: 'The command would ask for confirmation, and there is no terminal.',
    cause: 'It runs in a script or its input is piped.',
    fix: 'Look at the plan with --plan, then pass --yes. Nothing was done.',
  },
}

/** Texts on the codes of `CliError`. */
export const cliErrors: ErrorTexts<CliErrorCode> = {
  UNKNOWN_OPTION: {
    meaning: 'A file has a setting, column or member that is not known.',
    cause:
      'A name in the config file, a CSV file or a file of sweep rules is mistyped. An ignored column could be the asset or the memo.',
    fix: 'Use the suggested name. Nothing was done.',
  },
  FILE_UNREADABLE: {
    meaning: 'A file cannot be read.',
    cause: 'It does not exist, is a folder, is too large, or permissions are missing.',
    fix: 'Check the name and the permissions.',
  },
  FILE_EXISTS: {
    meaning: 'The output file exists and is not overwritten.',
    cause: 'It may contain a key or another document.',
    fix: 'Choose another name.',
  },
  FILE_UNWRITABLE: {
    meaning: 'A file cannot be written.',
    cause: 'The disk is full, the folder does not exist, or permissions are missing.',
    fix: 'Correct it. Nothing was written.',
  },
  CONFIG_INVALID: {
    meaning: 'The config file cannot be used.',
    cause: 'It is not JSON, or a setting has the wrong kind; keys must not be in it.',
    fix: 'Correct the setting that the message names.',
  },
  CSV_INVALID: {
    meaning: 'A line of a CSV file is invalid.',
    cause:
      'An address, amount or key is missing, malformed or repeated; the message names the lines.',
    fix: 'Correct these lines. Nothing of the file was done.',
  },
  RULES_INVALID: {
    meaning: 'The file of sweep rules cannot be used.',
    cause: 'It is not JSON, or a rule is invalid.',
    fix: 'Correct the rule that the message names; amounts are strings in the smallest unit.',
  },
  ASSET_UNKNOWN: {
    meaning: 'The asset cannot be determined.',
    cause:
      'No asset or several of your assets have the symbol, or the node does not know its creation.',
    fix: 'Pass the asset ID, which `avmkit balance` prints.',
  },
  EVM_ADDRESS: {
    meaning: 'An EVM address has no X-address.',
    cause:
      'Both have 20 bytes, but are derived differently from the public key: converted, nobody could spend from it.',
    fix: 'Ask for the X-address, or move the funds to the C-Chain with `avmkit move`.',
  },
  NETWORK_MISMATCH: {
    meaning: 'The node belongs to another network than the one that was named.',
    cause: 'The values of --url and --network do not fit together.',
    fix: 'Correct one of them. Nothing was sent.',
  },
  PORT_UNAVAILABLE: {
    meaning: 'The development node cannot listen on the port.',
    cause: 'Another program uses it, perhaps another development node.',
    fix: 'Choose another one with --port, or 0 for any.',
  },
  NOT_A_DEVNODE: {
    meaning: 'The server is not a development node.',
    cause: 'The URL is that of a real node, which cannot be controlled.',
    fix: 'Name a node started with `avmkit devnode`.',
  },
  TOO_LARGE_FOR_QR: {
    meaning: 'The text does not fit in a QR code.',
    cause: 'A request with many proofs is too large.',
    fix: 'Use a file, or the page, which shows animated codes.',
  },
  UTXOS_RESERVED: {
    meaning: 'There are too few UTXOs for all transactions at once.',
    cause: 'Each request of a payout needs its own UTXOs, and there are more requests than UTXOs.',
    fix: 'Use a larger --batch or fewer memos, or split the UTXOs first. Nothing was written.',
  },
  NOT_CONFIRMED: {
    meaning: 'You did not confirm.',
    cause: 'The answer was not y or yes.',
    fix: 'Nothing: this was neither signed nor sent.',
  },
  PASSWORD_MISMATCH: {
    meaning: 'The two entries differ.',
    cause: 'One of them has a typo.',
    fix: 'Try again. Nothing was written.',
  },
  PASSWORD_WEAK: {
    meaning: 'The password would be guessed soon.',
    cause:
      'It has fewer than 10 characters, repeats itself, or consists of common words or rows of keys.',
    fix: 'Use four or more random words. --weak accepts it anyway.',
  },
  ACCOUNT_EXISTS: {
    meaning: 'There is already an account with this name.',
    cause: 'It was added before.',
    fix: 'Choose another name, or remove it first; key files are not touched.',
  },
  ACCOUNT_CHANGED: {
    meaning: 'The keys are not those that the account was added with.',
    cause: 'Its key file was replaced, or the passphrase is mistyped, which gives other keys.',
    fix: 'Check both. To accept new keys, remove the account and add it again.',
  },
  VAULT_CHECKSUM: {
    meaning: 'The registration is not that of the vault with the expected checksum.',
    cause: 'The file was exchanged or changed on its way, or the checksum is mistyped.',
    fix: 'Compare the checksum with the co-signer by another way, such as a call.',
  },
  ACCOUNTS_INVALID: {
    meaning: 'The file of the named accounts cannot be used.',
    cause: 'It is not JSON, or was edited.',
    fix: 'Correct or remove it; it contains no keys, only where they are.',
  },
  NOT_ENCRYPTED: {
    meaning: 'The file is not an encrypted key file.',
    cause: 'It contains plain keys, or something else.',
    fix: '`avmkit keys import` encrypts plain keys.',
  },
  INTERRUPTED: {
    meaning: 'The command was interrupted.',
    cause: 'Ctrl-C or a signal ended it at a prompt or while reading.',
    fix: 'Run it again. Payments that were already issued are in the journal: `avmkit journal resume` finishes them.',
  },
}
