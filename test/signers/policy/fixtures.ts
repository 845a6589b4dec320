import { writeAddress } from '../../../src/core/base/encoding/address.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import type { OutputOwners } from '../../../src/core/chain/owners.ts'
import { signMessage } from '../../../src/signers/message/index.ts'
import {
  type AddressBook,
  addressBookMessage,
  formatAddressBook,
  formatPolicy,
  type ParsedPolicy,
  type PolicyRules,
  parsePolicy,
  type Recipient,
} from '../../../src/signers/policy/index.ts'
import { keysOf, owners, people } from '../../core/sign/fixtures.ts'

export const local: typeof networks.local = networks.local
export const AVAX: string = formatID(local.assetID)

/** The address of a person as text. */
export function addressText(i: number, chain = 'X'): string {
  return writeAddress(chain, local.hrp, people[i]!.address)
}

/** Two of persons 0, 1 and 2. */
export const vaultOwners: OutputOwners = owners(2, 0, 1, 2)

/** The vault as a policy registers it. */
export const vault: NonNullable<PolicyRules['vaults']>[number] = {
  name: 'Treasury',
  threshold: 2,
  members: [0, 1, 2].map((i) => addressText(i)),
}

export const base: PolicyRules = { name: 'Cold', networkID: local.networkID }

/** A policy with these rules, in addition to name and network. */
export function policyOf(
  rules: Partial<PolicyRules>,
  options?: Parameters<typeof parsePolicy>[1],
): ParsedPolicy {
  return parsePolicy(formatPolicy({ ...base, ...rules }), options)
}

/** An address book, which person 4 signs unless told otherwise. */
export function bookOf(
  recipients: readonly Recipient[],
  changes: Partial<AddressBook> = {},
  signer = 4,
): string {
  const book: AddressBook = {
    policy: base.name,
    networkID: base.networkID,
    edition: 3,
    recipients,
    ...changes,
  }
  return formatAddressBook(book, signMessage(addressBookMessage(book), keysOf(signer)))
}

/** The rule that names person 4 as the owner of the address book. */
export const bookRule: PolicyRules['addressBook'] = { signer: addressText(4) }
