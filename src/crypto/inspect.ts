/**
 * Makes Node's `util.inspect`, and with it `console.log`, print instances of a class by their `toString`.
 * For holders of secrets, whose `toString` tells only what is public. The symbol is the registered one,
 * so that nothing of Node is imported.
 */
export function inspectAsText(prototype: object): void {
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: object): string {
      return String(this)
    },
  })
}
