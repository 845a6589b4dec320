import { FileError } from './file-error.ts'

/** The modules of Node, Bun and Deno that are used here. */
type Builtins = {
  readonly 'node:crypto': typeof import('node:crypto')
  readonly 'node:fs': typeof import('node:fs')
  readonly 'node:net': typeof import('node:net')
  readonly 'node:os': typeof import('node:os')
  readonly 'node:path': typeof import('node:path')
  readonly 'node:util': typeof import('node:util')
}

/**
 * A module of the platform, looked up at run time: bundlers for browsers fail on an `import` of one, and
 * `avmkit/store` must be loadable there for the memory store.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const found = process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new FileError('FILE_UNREADABLE', `files need ${name}, which this platform does not have`)
  return found as Builtins[Name]
}
