import {
  argument,
  type Check,
  integerFrom,
  itemOf,
  list,
  located,
  type Members,
  memberOf,
  object,
  optional,
  text,
} from '../../core/base/argument.ts'
import { compareBytes } from '../../core/base/bytes/compare.ts'
import { parseAddress } from '../../core/base/encoding/address.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { networkIDNumber } from '../../core/chain/networks.ts'
import { digestOfParts } from '../../core/sign/digest.ts'
import { MessageError } from '../message/errors.ts'
import { verifyMessage } from '../message/message.ts'
import { PolicyError } from './errors.ts'
import { expectedHRP, name, readFile } from './read-file.ts'

const FORMAT = 'avmkit-address-book'

/** Limit of the recipients of an address book. */
const MAX_RECIPIENTS = 10_000

/** Someone who may be paid. */
export type Recipient = {
  readonly name: string
  /**
   * One address such as `X-avax1…`, which is allowed on all chains, or an account of the C-Chain, `0x…`; several
   * addresses for owners who sign together.
   */
  readonly to: string | readonly string[]
  /**
   * Number of signatures that the owners need.
   *
   * @defaultValue 1
   */
  readonly threshold?: number | undefined
}

/** Whom a signer may pay. */
export type AddressBook = {
  /** Name of the policy that it is for. A signature for one policy is none for another. */
  readonly policy: string
  readonly networkID: number
  /** Counts up, so that a policy can refuse earlier editions. */
  readonly edition: number
  readonly recipients: readonly Recipient[]
}

const recipient: Check<Recipient> = /* @__PURE__ */ object<Recipient>({
  name,
  to: (value, at) => (Array.isArray(value) ? list(text)(value, at) : text(value, at)),
  threshold: optional(integerFrom(1, 64)),
})

const bookMembers: Members<AddressBook> = {
  policy: name,
  networkID: networkIDNumber,
  edition: integerFrom(1),
  recipients: list(recipient),
}

const bookArgument: Check<AddressBook> = /* @__PURE__ */ object<AddressBook>(bookMembers)

/** An address book whose signature is verified. */
export type OpenAddressBook = AddressBook & {
  readonly checksum: string
  /** Names of the recipients, by the keys of `recipientKey`. */
  readonly byKey: ReadonlyMap<string, string>
}

/** Identifies a recipient: the owners of an output without a lock, or an account. */
export function recipientKey(
  threshold: number,
  addresses: readonly Uint8Array[],
  isAccount: boolean,
): string {
  return `${isAccount ? 'account' : threshold}:${addresses.map(hex.encode).join()}`
}

/** @throws ArgumentError, EncodingError */
function recipientKeys(book: AddressBook, call: string): Map<string, string> {
  const keys = new Map<string, string>()
  const recipients = memberOf({ call, path: '' }, 'recipients')
  if (book.recipients.length > MAX_RECIPIENTS)
    throw new PolicyError('FILE_MALFORMED', `expected at most ${MAX_RECIPIENTS} recipients`, {
      path: 'recipients',
    })
  book.recipients.forEach(({ name: title, to, threshold = 1 }, i) => {
    const at = memberOf(itemOf(recipients, i), 'to')
    const texts = typeof to === 'string' ? [to] : to
    const malformed = (expected: string) =>
      new PolicyError('FILE_MALFORMED', `expected ${expected} in ${at.path}`, { path: at.path })
    if (texts.length === 0 || threshold > texts.length)
      throw malformed(`${threshold} or more addresses`)
    if (texts.some((each) => each.startsWith('0x'))) {
      if (texts.length > 1 || !/^0x[0-9a-fA-F]{40}$/.test(texts[0]!))
        throw malformed('one account 0x… of 20 bytes')
      keys.set(recipientKey(1, [hex.decode(texts[0]!)], true), title)
      return
    }
    const addresses = texts.map(
      (each, k) =>
        located(itemOf(at, k), () => parseAddress(each, expectedHRP(book.networkID))).address,
    )
    keys.set(recipientKey(threshold, addresses.sort(compareBytes), false), title)
  })
  return keys
}

/** Everything that the signature covers, in one form: two files with the same meaning have the same checksum. */
function checksumOf({ policy, networkID, edition, recipients }: AddressBook): string {
  const parts = [FORMAT, policy, `${networkID}`, `${edition}`]
  for (const { name: title, to, threshold = 1 } of recipients)
    parts.push(JSON.stringify([title, threshold, to]))
  return digestOfParts(parts.map((part) => new TextEncoder().encode(part)))
}

/**
 * The message that the owner of the address book signs, with `signMessage`, a Ledger or Core: one readable line with
 * the checksum of the contents.
 *
 * @throws ArgumentError, PolicyError
 */
export function addressBookMessage(given: AddressBook): string {
  return messageOf(checkBook('addressBookMessage', given))
}

function messageOf(book: AddressBook): string {
  const { policy, networkID, edition, recipients } = book
  return `avmkit address book ${edition} for policy "${policy}" on network ${networkID}: ${recipients.length} recipients, checksum ${checksumOf(book)}`
}

function checkBook(call: string, given: AddressBook): AddressBook {
  const book = argument(call, given, bookArgument)
  recipientKeys(book, call)
  return book
}

/**
 * Formats an address book with the signature of its message, 65 bytes in cb58 or hex. The signature is verified when
 * the book is read with a policy.
 *
 * @throws ArgumentError, PolicyError
 */
export function formatAddressBook(given: AddressBook, signature: string): string {
  const book = checkBook('formatAddressBook', given)
  const signed = argument('formatAddressBook', signature, text, 'signature')
  return `${JSON.stringify({ format: FORMAT, version: 1, ...book, signature: signed }, undefined, 2)}\n`
}

/** What a policy demands of an address book. */
export type BookRule = {
  /** Address of the key that signs it. */
  readonly signer: string
  /**
   * The earliest edition that counts.
   *
   * @defaultValue 1
   */
  readonly atLeast?: number | undefined
}

/**
 * Reads the address book of a policy and verifies its signature.
 *
 * @throws PolicyError `BOOK_POLICY`, `BOOK_OUTDATED`, `BOOK_SIGNATURE`, `FILE_MALFORMED`, `FILE_VERSION`; ArgumentError
 */
export function readAddressBook(
  file: string,
  policy: { readonly name: string; readonly networkID: number; readonly rule: BookRule },
): OpenAddressBook {
  const { signature, ...book } = readFile<AddressBook & { readonly signature: string }>(
    file,
    FORMAT,
    { ...bookMembers, signature: text },
  )
  const { signer, atLeast = 1 } = policy.rule
  if (book.policy !== policy.name || book.networkID !== policy.networkID)
    throw new PolicyError(
      'BOOK_POLICY',
      `the address book is for the policy "${book.policy}" on network ${book.networkID}`,
    )
  if (book.edition < atLeast)
    throw new PolicyError(
      'BOOK_OUTDATED',
      `edition ${book.edition} of the address book, the policy requires ${atLeast}`,
    )
  try {
    verifyMessage(messageOf(book), signature, { address: signer })
  } catch (cause) {
    if (!(cause instanceof MessageError)) throw cause
    throw new PolicyError('BOOK_SIGNATURE', `the address book is not signed by ${signer}`, {
      cause,
      path: 'signature',
    })
  }
  return { ...book, checksum: checksumOf(book), byKey: recipientKeys(book, FORMAT) }
}
