import { argument, bulk, type Check, memberOf } from '../core/base/argument.ts'

type ClientOfServers = { readonly servers: () => readonly unknown[] }

const countOf: Check<number> = (value, at) =>
  bulk()((value as ClientOfServers).servers(), memberOf(at, 'servers()')).length

/**
 * The number of servers of the client in the option `path`, which limits the quorum.
 *
 * @throws ArgumentError if the client does not return a list of servers
 */
export function serverCount(call: string, client: ClientOfServers, path: string): number {
  return argument(call, client, countOf, path)
}
