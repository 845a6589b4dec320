/**
 * Makes Node's `util.inspect`, and so `console.log`, print instances of a class by their `toString`. Used by classes
 * that hold secrets, whose `toString` contains only public data. The symbol comes from the global registry, so
 * no Node module is imported.
 */
export function inspectAsText(prototype: object): void {
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: object): string {
      return String(this)
    },
  })
}
