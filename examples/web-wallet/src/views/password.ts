import { AvmError } from 'avmkit'
import { el, field } from '../dom.ts'

/** Shorter passwords are guessed in minutes by whoever copies the encrypted file. */
const MIN_LENGTH = 10

/** Two fields for a new password. `value` throws if it is too short, or not the same twice. */
export function passwordFields(): {
  readonly elements: readonly HTMLElement[]
  readonly value: () => string
} {
  const make = () => el('input', { type: 'password', autocomplete: 'new-password' })
  const [first, second] = [make(), make()]
  return {
    elements: [
      field(
        'Password',
        first,
        `At least ${MIN_LENGTH} characters. It encrypts the recovery phrase in this browser and cannot be reset.`,
      ),
      field('The same password again', second),
    ],
    value: () => {
      if (first.value.length < MIN_LENGTH)
        throw new AvmError(
          'PASSWORD_TOO_SHORT',
          `the password has fewer than ${MIN_LENGTH} characters`,
        )
      if (first.value !== second.value)
        throw new AvmError('PASSWORD_MISMATCH', 'the two passwords are not the same')
      return first.value
    },
  }
}
