import type { AvmError } from '../core/base/errors.ts'
import { FileError } from './file-error.ts'

/** The platform modules of Node, Bun and Deno that the library uses. */
type Builtins = {
  readonly 'node:crypto': typeof import('node:crypto')
  readonly 'node:fs': typeof import('node:fs')
  readonly 'node:http': typeof import('node:http')
  readonly 'node:net': typeof import('node:net')
  readonly 'node:os': typeof import('node:os')
  readonly 'node:path': typeof import('node:path')
  readonly 'node:util': typeof import('node:util')
}

/**
 * Returns a module of the platform at run time. Browser bundlers fail on an `import` of one, even if it is never
 * executed, and the entry points that use files must be loadable in browsers.
 *
 * @param unavailable - creates the error if the platform does not have the module; by default a `FileError`
 */
export function builtin<Name extends keyof Builtins>(
  name: Name,
  unavailable: (message: string) => AvmError = (message) =>
    new FileError('FILE_UNREADABLE', message),
): Builtins[Name] {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const found = process?.getBuiltinModule?.(name)
  if (found === undefined) throw unavailable(`this platform does not have the module ${name}`)
  return found as Builtins[Name]
}
