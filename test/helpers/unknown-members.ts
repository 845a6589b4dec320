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

/** Copies of a value, each with an unknown member in one of its plain objects, and the path of that member. */
function* withUnknown(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const [at, copy] of withUnknown(item, `${path}[${i}]`)) yield [at, value.with(i, copy)]
    return
  }
  if (!isPlain(value)) return
  const member = (name: string) => (path === '' ? name : `${path}.${name}`)
  yield [member('unknwon'), { ...value, unknwon: undefined }]
  for (const [name, item] of Object.entries(value))
    for (const [at, copy] of withUnknown(item, member(name))) yield [at, { ...value, [name]: copy }]
}

/** What a call throws, at once, by rejecting, or when it is iterated. */
async function thrownBy(run: ArgumentCase[1], args: readonly unknown[]): Promise<unknown> {
  try {
    const result = (await run(...(args as never[]))) as AsyncGenerator | undefined
    if (typeof result?.next === 'function') await result.next()
    return undefined
  } catch (error) {
    return error
  }
}

/**
 * Expects that a call refuses an unknown member in every plain object of its arguments, and instances of classes in
 * their place. Returns the number of places.
 *
 * @param exempt - paths of capabilities and structs of the protocol
 */
export async function expectChecked(
  [call, run, args]: ArgumentCase,
  exempt: RegExp = /^$/,
): Promise<number> {
  let places = 0
  for (const [i, [name, value]] of args.entries()) {
    const values = args.map(([, each]) => each)
    for (const [path, copy] of withUnknown(value, name)) {
      if (exempt.test(path)) continue
      places++
      expect(await thrownBy(run, values.with(i, copy)), `${call}: ${path}`).toMatchObject({
        name: 'ArgumentError',
        code: 'UNKNOWN_OPTION',
        path,
        message: expect.stringMatching(`^${call.replaceAll('.', '\\.')}: `),
      })
    }
    class Instance {
      constructor() {
        Object.assign(this, value)
      }
    }
    if (isPlain(value) && !exempt.test(`${name}.`))
      expect(await thrownBy(run, values.with(i, new Instance())), call).toMatchObject({
        code: 'ENC_INVALID',
        path: name,
      })
    // A value of the wrong type in the place of each argument: calls that take no object are checked, too.
    expect(await thrownBy(run, values.with(i, Symbol('wrong'))), `${call} ${name}`).toMatchObject({
      name: 'ArgumentError',
      path: name,
    })
  }
  return places
}
