import { ArgumentError, type ArgumentErrorCode } from '../errors.ts'

/**
 * The error for a character that an encoding does not have. `what` names the kind of character.
 *
 * @param offset - characters before the text, which the position in the message includes
 */
export function badCharacter(
  code: ArgumentErrorCode,
  what: string,
  text: string,
  at: number,
  offset = 0,
): ArgumentError {
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))
  return new ArgumentError(code, `invalid ${what} ${found} at position ${offset + at}`)
}
