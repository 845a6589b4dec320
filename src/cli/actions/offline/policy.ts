import { existsSync } from 'node:fs'
import { parseJSON } from '../../../core/codec/json-text.ts'
import { signMessage } from '../../../signers/message/message.ts'
import { addressBookMessage, formatAddressBook } from '../../../signers/policy/address-book.ts'
import {
  formatPolicy,
  type ParsedPolicy,
  parsePolicy,
  vaultNamed,
} from '../../../signers/policy/policy.ts'
import { formatVault, indicesOf, parseVault } from '../../../signers/policy/vault.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import { readText } from '../../files/files.ts'
import { readPolicy } from '../../files/policy-file.ts'
import { writeText } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'
import { ownKeys } from '../../keys/own-keys.ts'
import { confirmText } from '../../terminal/confirm.ts'
import { table } from '../../terminal/print.ts'

/** Shows the checksum, the sums and the vaults of a policy. */
export async function showPolicy(invocation: Invocation): Promise<Result> {
  const { paint } = invocation
  const policy = parsePolicy(await readText(invocation.values.args[0]!, invocation.io))
  const { name, checksum, registered, rules } = policy
  const columns = [{ title: 'vault' }, { title: 'owners' }, { title: 'checksum' }]
  const vaults = registered.map((vault) => ({
    name: vault.name,
    threshold: vault.threshold,
    members: vault.members,
    checksum: vault.checksum,
  }))
  const cells = vaults.map((vault) => [
    vault.name,
    `${vault.threshold} of ${vault.members.length}`,
    vault.checksum,
  ])
  const { sums = [] } = rules
  const limits = sums.map(
    ({ assetID, amount, seconds }) => `at most ${amount} units of ${assetID} within ${seconds} s`,
  )
  return {
    json: { name, networkID: rules.networkID, checksum, vaults, sums },
    text: [
      `policy "${name}" of network ${rules.networkID}: ${checksum}`,
      ...(limits.length === 0 ? [] : [limits.join('\n')]),
      ...(cells.length === 0 ? [] : [table(columns, cells, paint)]),
    ].join('\n\n'),
  }
}

/** Writes the registration of a vault for co-signers. */
export async function exportVault(invocation: Invocation): Promise<Result> {
  const vault = vaultNamed(await requiredPolicy(invocation), invocation.values.args[0]!)
  const file = formatVault(vault)
  const out = invocation.values.text('out')
  if (out !== undefined) writeText(out, file)
  return {
    json: { name: vault.name, checksum: vault.checksum, file: out },
    text: out === undefined ? file.trimEnd() : `${vault.checksum} written to ${out}`,
  }
}

/** Adds the registration of a co-signer to a policy, in a new file. */
export async function importVault(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const out = values.required('out', 'the policy with the vault is written to a new file')
  const vault = parseVault(await readText(values.args[0]!, io))
  const expected = values.required(
    'checksum',
    'the checksum that a co-signer told you by another way',
  )
  if (expected !== vault.checksum)
    throw new CliError('VAULT_CHECKSUM', `the vault has the checksum ${vault.checksum}`, {
      hint: 'it is not the vault that the co-signer means',
    })
  const policy = await requiredPolicy(invocation)
  if (policy.rules.networkID !== vault.networkID)
    throw new CliError('NETWORK_MISMATCH', 'the vault and the policy are of different networks')
  const { name, threshold, members, checksum } = vault
  const added = { name, threshold, members, checksum, ...indicesOf(vault) }
  const text = formatPolicy({ ...policy.rules, vaults: [...(policy.rules.vaults ?? []), added] })
  if (existsSync(out)) throw new CliError('FILE_EXISTS', `${out} exists already`)
  writeText(out, text)
  const changed = parsePolicy(text)
  return {
    json: { file: out, vault: checksum, checksum: changed.checksum },
    text: `vault "${name}" added; the policy in ${out} has the checksum ${changed.checksum}`,
  }
}

/** Signs an address book with the user's key. */
export async function signBook(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const book = parseJSON(await readText(values.args[0]!, io)) as never
  const message = addressBookMessage(book)
  const { keys } = await ownKeys(invocation)
  await confirmText(invocation, message, 'Sign this address book?')
  const text = formatAddressBook(book, signMessage(message, keys))
  const out = values.text('out')
  if (out !== undefined) writeText(out, text)
  return {
    json: { message, file: out },
    text: out === undefined ? text.trimEnd() : `${message}\nwritten to ${out}`,
  }
}

/** @throws UsageError `MISSING_OPTION` */
export async function requiredPolicy(invocation: Invocation): Promise<ParsedPolicy> {
  const policy = await readPolicy(invocation)
  if (policy !== undefined) return policy
  throw new UsageError('MISSING_OPTION', 'the option --policy is required')
}
