import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Shorter passwords can be searched completely, whatever they contain. */
const MIN_PASSWORD_LENGTH = 10

/** Words that lists of leaked passwords are full of, beside the common English words of BIP-39. */
const COMMON_WORDS =
  'admin administrator account avalanche avax baseball batman bitcoin blockchain changeme charlie chocolate coin computer correct crypto daniel default dragon ethereum facebook flower football freedom google guest hello hockey horse iloveyou jennifer jessica jordan killer ledger letmein liverpool login love lovely master matrix michael michelle minecraft monkey mustang myspace naruto nicole ninja passphrase password passwort password pepper pokemon princess private qwerty root samsung satoshi secret shadow starwars staple battery summer sunshine superman system temp test tester testing tigger trustno unknown user wallet welcome whatever winter autumn spring january february march april june july august september october november december monday friday sunday zxcvbn asdf'.split(
    ' ',
  )

/** Rows of keyboards and of the alphabet, in both directions. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
]

const DICTIONARY: ReadonlySet<string> = new Set([...wordlist, ...COMMON_WORDS])

/** Digits and signs that people write for letters. */
const LETTERS: { readonly [sign: string]: string } = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Words and rows of keys that a password may consist of, beside digits and signs, and still be guessed early. */
const MAX_GUESSED_PARTS = 2

/**
 * Why a password is weak: shorter than ten characters, few different ones, a repetition, or made of at most two common
 * words or rows of keys with digits around them. Undefined if none of this applies, which is no proof of strength.
 */
export function weaknessOf(password: string): string | undefined {
  if ([...password].length < MIN_PASSWORD_LENGTH)
    return `it has fewer than ${MIN_PASSWORD_LENGTH} characters`
  if (new Set(password.toLowerCase()).size < 5) return 'it has fewer than 5 different characters'
  if (/^(.+?)\1+$/.test(password)) return 'it repeats one part'
  const plain = password.toLowerCase()
  const spelled = [...plain].map((sign) => LETTERS[sign] ?? sign).join('')
  return countParts(plain, spelled) <= MAX_GUESSED_PARTS
    ? 'it consists of common words or rows of keys'
    : undefined
}

/**
 * The smallest number of common words and rows of keys that make up a text, as it is or as it is spelled; digits and
 * signs between them are free.
 */
function countParts(text: string, spelled: string): number {
  const best = [0]
  for (let end = 1; end <= text.length; end++) {
    const isFree = !/\p{L}/u.test(text[end - 1]!)
    let least = isFree ? best[end - 1]! : Number.POSITIVE_INFINITY
    for (let start = Math.max(0, end - 26); start <= end - 3; start++)
      if (isGuessed(text.slice(start, end)) || isGuessed(spelled.slice(start, end)))
        least = Math.min(least, best[start]! + 1)
    best.push(least)
  }
  return best[text.length]!
}

function isGuessed(part: string): boolean {
  return (
    DICTIONARY.has(part) || ROWS.some((row) => row.includes(part) || row.includes(reversed(part)))
  )
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}
