// Hints for common mistakes, so that every call that meets one of them gives the same advice.

const NETWORKS: { readonly [hrp: string]: string } = {
  avax: 'Mainnet',
  fuji: 'the Fuji test network',
  local: 'a local network',
  custom: 'a custom network',
}

/** The start of a text on one line: characters that are not printable ASCII become question marks. */
export function printable(text: string): string {
  return text.slice(0, 40).replace(/[^ -~]/g, '?')
}

/** The start of a text in quotes, on one line. */
export function quoted(text: string): string {
  return JSON.stringify(printable(text))
}

/** For a text that has no chain prefix, or one that no chain has. */
export function addressHint(text: string): string {
  if (text.startsWith('PrivateKey-'))
    return 'this is a private key: whoever sees it can spend its funds'
  if (text.startsWith('NodeID-')) return 'this is the ID of a node, which cannot own funds'
  if (/^0x[0-9a-f]{40}$/i.test(text))
    return 'this is an EVM address of the C-Chain; addresses of the X-Chain look like X-avax1…'
  return 'addresses look like X-avax1…'
}

/** For an address of another chain. */
export function wrongChainHint(expected: string, found: string): string {
  if (found.toUpperCase() === expected) return `write the prefix in upper case: ${expected}-`
  return `ask the recipient for an address that starts with ${expected}-: the ${quoted(found)} address may belong to someone who cannot use it there`
}

/** For an address of another network. */
export function wrongNetworkHint(expected: string, found: string): string {
  const nameOf = (hrp: string) =>
    Object.hasOwn(NETWORKS, hrp) ? NETWORKS[hrp] : `a network with the prefix ${hrp}`
  return `the address belongs to ${nameOf(found)}, this call is for ${nameOf(expected)}`
}

/** Advice for texts that are not amounts, by their shape; the first match counts. */
const AMOUNT_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^[-\u2212]/, 'an amount cannot be negative'],
  [/^\+/, 'write the number without a sign'],
  [/^0x/i, 'write the amount as a decimal number'],
  // A comma before three digits may separate decimals or thousands, except after a single 0.
  [/^(0,[0-9]+|[0-9]+,(?![0-9]{3}$)[0-9]+)$/, 'write the decimal separator as a point: 1.5'],
  [/^[0-9]+([_' ,.][0-9]{3})+([.,][0-9]*)?$/, 'write the number without separators'],
  [/^[0-9]+[_']/, 'write the number without separators'],
  [/^\.[0-9]+$/, 'write a digit before the point: 0.5'],
  [/^[0-9]+\.$/, 'write a digit after the point, or leave the point out'],
  [/^[0-9.]+e[+-]?[0-9]+$/i, 'write all digits instead of an exponent: 1000000000'],
  [/^[0-9.,]+\s*[A-Z]{1,5}$/i, 'write the number without a unit'],
  [/^[0-9]{21,}/, 'an amount cannot exceed 18446744073709551615 base units'],
]

/** For a text that is not an amount. */
export function amountHint(text: string): string | undefined {
  // Longer texts are no amounts; expressions with repeated groups exhaust the stack for megabytes.
  const start = text.slice(0, 128)
  return AMOUNT_HINTS.find(([shape]) => shape.test(start))?.[1]
}

/** For a private key whose text has this problem. Says nothing about the characters, which are secret. */
export function privateKeyHint(code: string): string {
  return code === 'ENC_BAD_CHECKSUM'
    ? 'the checksum is wrong: a character of the key is missing or mistyped, so copy the key again'
    : 'keys look like PrivateKey- and about 50 letters and digits'
}

/** For a number in the place of a bigint. */
export function bigintHint(value: number): string {
  return Number.isSafeInteger(value)
    ? `write ${value}n: amounts are bigints in the smallest unit`
    : 'amounts are bigints in the smallest unit; parseAmount converts decimal text'
}

/** For a text that is not the URL of a server. Says nothing about its characters, which may include a password. */
export function urlHint(text: string): string {
  return /^[a-z]+:\/\//i.test(text)
    ? 'URLs of servers look like http://127.0.0.1:9650'
    : 'write http:// or https:// in front of it, such as http://127.0.0.1:9650'
}
