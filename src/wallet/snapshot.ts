import { copyBytes } from '../core/base/bytes/copy.ts'
import { EncodingError } from '../core/base/errors.ts'
import { isBytes, requireFields, requireFunction, requireKnown } from '../core/base/require.ts'

/**
 * Copies options: lists, plain objects and bytes, so that an object that the caller reuses for the next call does not
 * change this one. Instances of classes, such as an AbortSignal, are not copied. `null` is treated as `undefined`.
 */
export function copyPlain<T>(value: T): T {
  return copied(value ?? undefined, false) as T
}

/** Members of the options of all calls. */
const CALL_OPTIONS =
  'key keys accept confirm wait signal fromHeight inFlight onProgress confirmPlan signers paths signatures getAtomicParent'.split(
    ' ',
  )

/**
 * Copies the options of a call. Rejects a text and unknown members: if a misspelled `key` were ignored, a retry would
 * pay again.
 *
 * @param also - members that only this call has
 */
export function optionsOf<T>(options: T | undefined, also: readonly string[] = []): T | undefined {
  const copy = copyPlain(options)
  if (copy === undefined) return copy
  requireFields(copy, 'options', [])
  requireKnown(copy as object, 'options', [...CALL_OPTIONS, ...also])
  for (const name of ['confirm', 'onProgress', 'confirmPlan', 'getAtomicParent'])
    requireFunction((copy as { readonly [name: string]: unknown })[name], name)
  return copy
}

/** Copies data in the same way, and instances of classes, such as an output, by their own properties. */
export function copyData<T>(value: T): T {
  return copied(value, true) as T
}

/** Copies the data of a call, which must be an object. */
export function copyOf<T>(argument: T): T {
  requireFields(argument, 'argument', [])
  return copyData(argument)
}

function copied(
  value: unknown,
  withInstances: boolean,
  ancestors: readonly unknown[] = [],
): unknown {
  if (isBytes(value)) return copyBytes(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return new Date(value)
  if (!withInstances && !Array.isArray(value) && !isPlain(value)) return value
  if (ancestors.includes(value))
    throw new EncodingError('ENC_INVALID', 'an argument must not contain itself')
  const path = [...ancestors, value]
  const copyMember = (member: unknown) => copied(member, withInstances, path)
  if (Array.isArray(value)) return value.map(copyMember)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, copyMember(member)]),
  )
}

/** Not compared with this realm's Object.prototype: objects of another window or context are plain, too. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
