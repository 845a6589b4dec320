import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadErrorTexts } from './error-texts.js'

// The error pages of the site: one per code, whose path is the `docs` of the error, and an index. They work from a disk.

const style = `:root { color-scheme: light dark; --accent: light-dark(#4d68ff, #82aaff); --line: light-dark(#ccc, #444) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem }
a { color: var(--accent) }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; border-top: 1px solid var(--line); padding-top: 1rem }
dt { font-weight: 600; margin-top: 0.75rem }
dd { margin: 0 }
li { overflow-wrap: anywhere }
code { font-family: ui-monospace, monospace }`

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Text with code in backticks. */
const prose = (text) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

function page(title, body) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · avmkit</title>
<style>${style}</style>
<nav><a href="../index.html">avmkit</a> · <a href="index.html">Error codes</a></nav>
<main>
${body}
</main>
</html>
`
}

function section(name, { meaning, cause, fix }) {
  return `<h2>${name}</h2>
<p>${prose(meaning)}</p>
<dl>
<dt>Cause</dt><dd>${prose(cause)}</dd>
<dt>What to do</dt><dd>${prose(fix)}</dd>
</dl>`
}

/** The pages by file name. */
export function errorPages(texts) {
  const byCode = new Map()
  for (const [name, codes] of Object.entries(texts))
    for (const [code, text] of Object.entries(codes))
      byCode.set(code, [...(byCode.get(code) ?? []), [name, text]])
  const pages = new Map(
    [...byCode].map(([code, found]) => [
      `${code}.html`,
      page(
        code,
        `<h1><code>${code}</code></h1>\n${found.map(([name, text]) => section(name, text)).join('\n')}\n<p>On the command line: <code>avmkit error ${code}</code></p>`,
      ),
    ]),
  )
  const items = [...byCode]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, [[, { meaning }]]]) =>
        `<li><a href="${code}.html"><code>${code}</code></a> ${prose(meaning)}</li>`,
    )
  pages.set(
    'index.html',
    page('Error codes', `<h1>Error codes</h1>\n<ul>\n${items.join('\n')}\n</ul>`),
  )
  return pages
}

/** Writes the pages to a new folder `errors` of the site. */
export async function writeErrorPages(site) {
  const folder = `${site}errors/`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [name, html] of errorPages(await loadErrorTexts()))
    writeFileSync(`${folder}${name}`, html)
}
