/**
 * Whether an object in a JSON text has a member twice, or a member whose name is written with escapes, which allow other
 * spellings of a name. JSON parsers disagree on which of two members counts. Invalid JSON is left to the parser.
 */
export function hasRepeatedMembers(text: string): boolean {
  /** The names seen in each open object; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '{') {
      open.push(new Set())
      isName = true
    } else if (letter === '[') open.push(undefined)
    else if (letter === '}' || letter === ']') open.pop()
    else if (letter === ',') isName = open.at(-1) !== undefined
    else if (letter === ':') isName = false
    else if (letter === '"') {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (isName && names !== undefined) {
        const name = text.slice(at + 1, end)
        if (names.has(name) || name.includes('\\')) return true
        names.add(name)
      }
      at = end
    }
  }
  return false
}

/** The position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = text.indexOf('"', end)
    if (end === -1) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
}
