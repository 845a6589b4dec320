import { DevNodeError } from './errors.ts'

/** Platform modules used by the development node. */
type Builtins = {
  readonly 'node:crypto': typeof import('node:crypto')
  readonly 'node:fs': typeof import('node:fs')
  readonly 'node:http': typeof import('node:http')
  readonly 'node:path': typeof import('node:path')
}

/**
 * Returns a module of the platform at run time: browser bundlers fail on an `import` of one, even if it is never
 * executed.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const found = process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new DevNodeError('BAD_OPTION', `folders and sockets need ${name}, which is not available`)
  return found as Builtins[Name]
}
