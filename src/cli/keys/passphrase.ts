import type { NamedAccount } from '../connections/accounts.ts'
import { CliError, UsageError } from '../errors.ts'
import { readSecretLine } from '../files/secret-file.ts'
import type { Invocation } from '../invocation.ts'
import { isInteractive } from '../surroundings.ts'
import { ask } from '../terminal/prompt.ts'

/** Errors and warnings do not quote the name of the file: it may be the passphrase itself. */
const FILE_NAME = 'the file with the passphrase'

/**
 * The BIP-39 passphrase of the user's mnemonic: from `--passphrase-file`, from a prompt for `--passphrase`, or as the
 * named account says. Undefined if there is none. Every passphrase is valid and gives other keys, so commands that
 * print new addresses ask twice.
 *
 * @throws UsageError `NO_PASSWORD` if there is no terminal; `BAD_VALUE` if it is empty
 * @throws CliError `PASSWORD_MISMATCH`
 */
export async function readPassphrase(
  invocation: Invocation,
  named: NamedAccount | undefined,
): Promise<string | undefined> {
  const { values, io, command } = invocation
  const asked = values.has('passphrase')
  const given = values.text('passphrase-file')
  if (asked && given !== undefined)
    throw new UsageError('BAD_VALUE', '--passphrase and --passphrase-file exclude each other')
  const path = given ?? (asked ? undefined : (named?.passphraseFile ?? fromEnvironment(invocation)))
  if (path !== undefined)
    return nonEmpty(await readSecretLine(path, 'PASSWORD_FILE_OPEN', invocation, FILE_NAME))
  if (!asked && named?.passphrase !== true) return undefined
  if (!isInteractive(io))
    throw new UsageError('NO_PASSWORD', 'the passphrase is needed, and there is no terminal', {
      hint: 'pass --passphrase-file FILE or set AVMKIT_PASSPHRASE_FILE',
    })
  const passphrase = nonEmpty(await ask(io, 'passphrase of the mnemonic (hidden): ', true))
  const showsAddresses = named === undefined && /^(keys|accounts) /.test(command.name)
  if (!showsAddresses) return passphrase
  if ((await ask(io, 'repeat the passphrase (hidden): ', true)) === passphrase) return passphrase
  throw new CliError('PASSWORD_MISMATCH', 'the passphrases differ; nothing was written')
}

/** An empty passphrase would silently give the keys of the mnemonic without one. */
function nonEmpty(passphrase: string): string {
  if (passphrase !== '') return passphrase
  throw new UsageError('BAD_VALUE', 'the passphrase is empty', {
    hint: 'a mnemonic without a passphrase needs no --passphrase and no file of one',
  })
}

/** Only commands that read keys have a passphrase. */
function fromEnvironment({ io, command }: Invocation): string | undefined {
  return command.options['passphrase-file'] === undefined
    ? undefined
    : io.env.AVMKIT_PASSPHRASE_FILE || undefined
}
