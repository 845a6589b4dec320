import { defaultQuorum } from '../../node/view/view.ts'
import { UsageError } from '../errors.ts'

/** The highest quorum that can be given. */
export const MAX_QUORUM = 100

/**
 * How many servers must agree: the first of these that is given, or the default for the number of servers.
 *
 * @param given - value of `--quorum`, AVMKIT_QUORUM, and value in the config file
 * @throws UsageError `BAD_VALUE` if it is not a number, or if there are fewer servers
 */
export function chooseQuorum(
  given: {
    readonly option: number | undefined
    readonly variable: string | undefined
    readonly setting: number | undefined
  },
  servers: number,
): number {
  const quorum =
    given.option ?? parseVariable(given.variable) ?? given.setting ?? defaultQuorum(servers)
  if (quorum <= servers) return quorum
  const configured = servers === 1 ? '1 server is' : `${servers} servers are`
  throw new UsageError(
    'BAD_VALUE',
    `a quorum of ${quorum} is not possible: ${configured} configured`,
    { hint: 'repeat --url for more servers, or pass a lower --quorum' },
  )
}

function parseVariable(text: string | undefined): number | undefined {
  if (!text) return undefined
  const quorum = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0
  if (quorum >= 1 && quorum <= MAX_QUORUM) return quorum
  throw new UsageError('BAD_VALUE', `AVMKIT_QUORUM must be a whole number from 1 to ${MAX_QUORUM}`)
}
