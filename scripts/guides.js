import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The guides in the order of docs/README.md, which lists them by the role of their readers.

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const read = (file) => readFileSync(`${docs}${file}`, 'utf8')

/** The guides of each role, in order: file, title, and whom it is for. */
export function guidesByRole() {
  const roles = new Map()
  let role
  for (const line of read('README.md').split('\n')) {
    role = /^## (.+)$/.exec(line)?.[1] ?? role
    const row = /^\| \[(.+?)\]\((\S+\.md)\) \| (.+) \|$/.exec(line)
    if (row === null) continue
    const [, title, file, reader] = row
    roles.set(role, [...(roles.get(role) ?? []), { title, file, reader }])
  }
  return roles
}

/** The anchor of a heading, as GitHub and typedoc make it. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** All guides in one text. Links between guides lead to their headings in it. */
export function allGuides() {
  const guides = [...guidesByRole().values()].flat()
  const anchors = new Map(guides.map(({ file }) => [file, anchorOf(headingOf(read(file)))]))
  const inOne = (text) =>
    text.replaceAll(/\]\(([\w-]+\.md)(#[\w-]+)?\)/g, (link, file, fragment) =>
      anchors.has(file) ? `](${fragment ?? `#${anchors.get(file)}`})` : link,
    )
  return guides.map(({ file }) => inOne(read(file)).trim()).join('\n\n')
}

function headingOf(text) {
  return /^# (.+)$/m.exec(text)[1]
}

/** The index for language models (llmstxt.org): what the project is, and where each text is. */
export function llmsIndex({ name, description }) {
  const sections = Array.from(guidesByRole(), ([role, guides]) => [
    `## ${role}`,
    '',
    ...guides.map(({ title, file, reader }) => `- [${title}](../${file}): ${reader}`),
    '',
  ])
  return [
    `# ${name}`,
    '',
    `> ${description}`,
    '',
    'The programs of the guides are executed by the tests of the project. All guides in one file: [guides.md](guides.md).',
    '',
    ...sections.flat(),
    '## Reference',
    '',
    '- [Errors](../errors.md): every error code with its meaning',
    '- [Signing requests](../signing-request.schema.json): the JSON schema of the file format',
    '- [Entry points](index.html): the functions and types of each entry point',
    '',
  ].join('\n')
}
