import { expect } from 'vitest'

/** A call with arguments that are valid, by their names; the name of an object of options is empty. */
export type ArgumentCase = readonly [
  call: string,
  run: (...args: never[]) => unknown,
  args: readonly (readonly [name: string, value: unknown])[],
]

/** Whether a value is a plain object of an argument, and not exempt: bytes, dates, functions, instances. */
function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/**
 * Copies of a value, each with an unknown member in one of its plain objects, and the path of that member.
 *
 * @param path - of the value; empty for an object of options
 * @param skips - whether a value is left as it is, with everything inside
 */
export function* withUnknown(
  value: unknown,
  path = '',
  skips: (value: unknown, path: string) => boolean = () => false,
): Generator<readonly [path: string, copy: unknown]> {
  if (skips(value, path)) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const [at, copy] of withUnknown(item, `${path}[${i}]`, skips))
        yield [at, value.with(i, copy)]
    return
  }
  if (!isPlain(value)) return
  const member = (name: string) => (path === '' ? name : `${path}.${name}`)
  yield [member('unknwon'), { ...value, unknwon: undefined }]
  for (const [name, item] of Object.entries(value))
    for (const [at, copy] of withUnknown(item, member(name), skips))
      yield [at, { ...value, [name]: copy }]
}

/** What a call throws, at once, by rejecting, or when it is iterated; undefined if it succeeds. */
export async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    const result = (await call()) as AsyncGenerator | undefined
    if (typeof result?.next === 'function') await result.next()
    return undefined
  } catch (error) {
    return error ?? 'undefined was thrown'
  }
}

/**
 * Expects that a call refuses an unknown member in every plain object of its arguments, and instances of classes in
 * their place.
 *
 * @param exempt - paths of capabilities and structs of the protocol
 */
export async function expectChecked(
  [call, run, args]: ArgumentCase,
  exempt: RegExp = /^$/,
): Promise<void> {
  for (const [i, [name, value]] of args.entries()) {
    const values = args.map(([, each]) => each)
    const given = (other: unknown) => thrownBy(() => run(...(values.with(i, other) as never[])))
    let places = 0
    for (const [path, copy] of withUnknown(value, name)) {
      if (exempt.test(path)) continue
      places++
      expect(await given(copy), `${call}: ${path}`).toMatchObject({
        name: 'ArgumentError',
        code: 'UNKNOWN_OPTION',
        path,
        message: expect.stringMatching(`^${call.replaceAll('.', '\\.')}: `),
      })
    }
    // A row of the table that is no plain object any more would check nothing.
    if (name === '') expect(places, `${call}: objects of options`).toBeGreaterThan(0)
    class Instance {
      constructor() {
        Object.assign(this, value)
      }
    }
    if (isPlain(value) && !exempt.test(`${name}.`))
      expect(await given(new Instance()), call).toMatchObject({ code: 'ENC_INVALID', path: name })
    // A value of the wrong type in the place of each argument: calls that take no object are checked, too.
    expect(await given(Symbol('wrong')), `${call} ${name}`).toMatchObject({
      name: 'ArgumentError',
      path: name,
    })
  }
}
