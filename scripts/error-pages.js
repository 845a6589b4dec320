// The error pages of the site: one per code, whose path is the `docs` of the error, and an index, in Markdown. typedoc renders
// them, so that they are in the navigation and in the search.

function section(name, { meaning, cause, fix }) {
  return `## ${name}\n\n${meaning}\n\n**Cause.** ${cause}\n\n**What to do.** ${fix}\n`
}

/** The texts of each code, by the class of the error. */
function textsByCode(texts) {
  const byCode = new Map()
  for (const [name, codes] of Object.entries(texts))
    for (const [code, text] of Object.entries(codes))
      byCode.set(code, [...(byCode.get(code) ?? []), [name, text]])
  return new Map([...byCode].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The pages by code. */
export function errorPages(texts) {
  return new Map(
    Array.from(textsByCode(texts), ([code, found]) => [
      code,
      `# ${code}\n\n${found.map(([name, text]) => section(name, text)).join('\n')}\nOn the command line: \`avmkit error ${code}\`\n`,
    ]),
  )
}

/** The page that lists all codes. */
export function errorIndex(texts) {
  const items = Array.from(
    textsByCode(texts),
    ([code, [[, { meaning }]]]) => `- [\`${code}\`](${code}.html) ${meaning}`,
  )
  return `# Error codes\n\n${items.join('\n')}\n`
}
