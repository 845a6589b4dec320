import { DevNodeError } from './errors.ts'

/** The modules of Node, Bun and Deno that are used here. */
type Builtins = {
  readonly 'node:fs': typeof import('node:fs')
  readonly 'node:http': typeof import('node:http')
  readonly 'node:path': typeof import('node:path')
}

/**
 * A module of the platform. Asked for at run time: bundlers for browsers stop at an `import` of one, even
 * where it would never be reached.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const found = process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new DevNodeError('BAD_OPTION', `folders and sockets need ${name}, which is not there`)
  return found as Builtins[Name]
}
