/** Style of all figures but the terminal, in light and dark. */
export const STYLE = `
text{font:13px system-ui,sans-serif;fill:#1b1f24}
.title{font-weight:600;font-size:15px}
.quiet{fill:#57606a}
.line{stroke:#8a93a0;fill:none}
.grid{stroke:#d5dae1}
.ours{fill:#a11d2b}
.stroke{stroke:#a11d2b;fill:none;stroke-width:2}
.other{stroke:#3d6cb3;fill:none;stroke-width:2}
.dot{fill:#3d6cb3}
.box{fill:#f5f6f8;stroke:#8a93a0}
@media (prefers-color-scheme:dark){text{fill:#e6e9ee}.quiet{fill:#a4adb8}.grid{stroke:#39414b}.ours{fill:#ff8f98}.stroke{stroke:#ff8f98}.other{stroke:#8fb4f0}.dot{fill:#8fb4f0}.box{fill:#1a2027}}`

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** An SVG image with a label for screen readers. */
export function image(width, height, label, style, ...parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>${style.trim()}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

/** A text at a place; `more` holds further attributes. */
export const text = (x, y, content, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`
