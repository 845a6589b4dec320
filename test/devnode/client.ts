import type { DevNode } from '../../src/devnode/index.ts'

/** The result of a call, or the error object the node answered with. */
export type Reply<T> = {
  readonly result?: T
  readonly error?: { readonly code: number; readonly message: string }
}

/** Calls a method of the X-Chain without a socket. */
export async function call<T>(
  node: DevNode,
  method: string,
  params: object = {},
  path = '/ext/bc/X',
): Promise<Reply<T>> {
  const response = await node.fetch(`http://node${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Reply<T>
}

/** The same for calls that must succeed. */
export async function ask<T>(node: DevNode, method: string, params: object = {}): Promise<T> {
  const { result, error } = await call<T>(node, method, params)
  if (result === undefined) throw new Error(`${method}: ${error?.message}`)
  return result
}
