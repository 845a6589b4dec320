import { UsageError } from './errors.ts'

/** Arguments and options of a command, checked against the table. */
export class Values {
  /** Positional arguments. */
  readonly args: readonly string[]
  private readonly given: ReadonlyMap<string, readonly string[]>

  constructor(args: readonly string[], given: ReadonlyMap<string, readonly string[]>) {
    this.args = args
    this.given = given
  }

  /** Whether a switch or an option was given at all. */
  has(name: string): boolean {
    return this.given.has(name)
  }

  /** The value of an option, the last one if it is repeated. */
  text(name: string): string | undefined {
    return this.given.get(name)?.at(-1)
  }

  /** The value of a required option. */
  required(name: string, hint?: string): string {
    const text = this.text(name)
    if (text !== undefined) return text
    throw new UsageError('MISSING_OPTION', `the option --${name} is required`, { hint })
  }

  /** All values of an option that may be repeated. */
  list(name: string): readonly string[] {
    return this.given.get(name) ?? []
  }

  /** A whole number within limits. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new UsageError('BAD_VALUE', `--${name} must be a whole number from ${min} to ${max}`)
  }
}
