import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Generates docs/errors.md from the sources: every error class with its codes and, for each code, its meaning from the
// comment of the type, or else the message with which it is thrown. `--check` exits with 1 if the file is out of date.

const root = fileURLToPath(new URL('..', import.meta.url))

/** The folders in the order of the layers. */
const layers =
  'core/base core/codec core/crypto core/chain core/coins core/draft core/sign signers node storage wallet custody devnode inspect cli'.split(
    ' ',
  )
const rank = (file) => layers.findIndex((layer) => file.startsWith(`${layer}/`))

const isOther = (file) => Number(!file.endsWith('errors.ts'))

const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('page/'))
  // A subclass follows its parent, which is in errors.ts.
  .sort((a, b) => rank(a) - rank(b) || isOther(a) - isOther(b) || (a < b ? -1 : 1))
const sources = new Map(files.map((file) => [file, readFileSync(`${root}src/${file}`, 'utf8')]))

/** The members of every union of codes and its doc comment, by name of the type. */
const unions = new Map()
for (const text of sources.values())
  for (const [, comment = '', name, members] of text.matchAll(
    /(\/\*\*(?:(?!\*\/).)*\*\/)?\nexport type (\w+Code) =\n?((?:\s*\|?\s*(?:\/\/[^\n]*\n\s*)?\|?\s*(?:'\w+'|\w+Code)\s*)+)$/gms,
  ))
    unions.set(name, { comment, members: members.match(/'\w+'|\w+Code/g) })

const plain = (comment) => comment.replace(/^\s*\/?\*+\/?/gm, '').replace(/\*\/$/, '')

/** First sentence of a doc comment. */
function sentence(comment) {
  const text = plain(comment).replace(/\s+/g, ' ').split(' @')[0].trim()
  return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, '.')
}

/** What the comment of a union says about each code: the text between its name and the next one. */
function meaningsIn({ comment, members }) {
  const codes = members.filter((member) => member.startsWith("'")).map((m) => m.slice(1, -1))
  const meanings = new Map()
  for (const paragraph of plain(comment).split(/\n\s*\n/)) {
    const parts = paragraph.replace(/\s+/g, ' ').split(/`(\w+)`/)
    // Texts at even places, names in backticks at odd places; names that are not codes belong to the text.
    let code
    for (const [i, part] of parts.entries())
      if (i % 2 === 1 && codes.includes(part)) code = part
      else if (code !== undefined)
        meanings.set(code, (meanings.get(code) ?? '') + (i % 2 === 1 ? `\`${part}\`` : part))
  }
  return new Map(
    [...meanings]
      .map(([code, text]) => [code, text.trim().replace(/[;,.]$/, '')])
      .filter(([, text]) => text !== ''),
  )
}

/** The classes of errors. */
const classes = files
  .flatMap((file) =>
    [
      ...sources
        .get(file)
        .matchAll(
          /(\/\*\*(?:(?!\*\/).)*\*\/)\nexport class (\w+Error) extends \w+Error \{(.*?)\n\}/gs,
        ),
    ].map(([, comment, name, body]) => ({ file, comment, name, body })),
  )
  // FileError is internal: stores translate it.
  .filter(({ name }) => name !== 'FileError')
  .filter(({ body }) => /code/.test(body) || /super\(\s*'/.test(body))

/** The union of codes that a class declares. */
const typeOf = ({ body }) => /declare readonly code: (\w+Code)/.exec(body)?.[1]

const classOfType = new Map(classes.map((errorClass) => [typeOf(errorClass), errorClass.name]))

/** The codes of a union with their meanings, and the classes whose codes it contains, too. */
function contentsOf(type, isOwn = true) {
  const found = { codes: new Map(), classes: [] }
  if (!isOwn && classOfType.has(type)) return { ...found, classes: [classOfType.get(type)] }
  const union = unions.get(type)
  const meanings = meaningsIn(union)
  for (const member of union.members)
    if (member.startsWith("'")) {
      const code = member.slice(1, -1)
      found.codes.set(code, meanings.get(code))
    } else {
      const { codes, classes: more } = contentsOf(member, false)
      for (const [code, meaning] of codes) found.codes.set(code, meaning)
      found.classes.push(...more)
    }
  return found
}

/** Entry points by folder; the longest that fits counts. */
const entries = {
  core: '`avmkit`',
  'core/crypto/keyfile': '`avmkit/keyfile`',
  node: '`avmkit/client`',
  wallet: '`avmkit/wallet`',
  'wallet/moves': '`avmkit/moves`',
  'wallet/store': '`avmkit/store`',
  'signers/ledger': '`avmkit/ledger`',
  'signers/services': '`avmkit/kms`, `avmkit/pkcs11`',
  'wallet/discovery': '`avmkit/discovery`',
  devnode: '`avmkit/devnode`',
  custody: '`avmkit/custody`',
  inspect: 'the command line',
  cli: 'the command line',
}

const entryOf = (file) =>
  entries[Object.keys(entries).findLast((name) => file.startsWith(`${name}/`))]

/** Reads the string literal at a position; `…` stands for values. Undefined if it is only a part of the argument. */
function literalAt(text, start) {
  const quote = text[start]
  let message = ''
  let at = start + 1
  while (text[at] !== quote)
    if (text[at] === '\\') {
      message += text[at + 1]
      at += 2
    } else if (quote === '`' && text.startsWith('${', at)) {
      at = endOfValue(text, at + 2)
      message += '…'
    } else message += text[at++]
  return /^\s*[,)]/.test(text.slice(at + 1)) ? message : undefined
}

/** The position after a value in a template, which may contain braces and other literals. */
function endOfValue(text, start) {
  let at = start
  for (let depth = 1; depth > 0; at++)
    if (text[at] === '{') depth++
    else if (text[at] === '}') depth--
    else if (text[at] === '`') {
      at++
      while (text[at] !== '`') at = text.startsWith('${', at) ? endOfValue(text, at + 2) : at + 1
    }
  return at
}

/** The first message in the sources with which a class is thrown for a code. */
function messageOf(name, code) {
  for (const text of sources.values())
    for (const match of text.matchAll(
      new RegExp(`(?:new ${name}|super)\\(\\s*'${code}',\\s*(?=['"\`])`, 'g'),
    )) {
      const message = literalAt(text, match.index + match[0].length)?.replace(/…[\s…]*…/g, '…')
      // A message without a word of its own says nothing here.
      if (message !== undefined && /[a-z]{3}/.test(message)) return message
    }
  return ''
}

function section(errorClass) {
  const { file, comment, name, body } = errorClass
  const type = typeOf(errorClass)
  const fixed = /super\(\s*'(\w+)'/.exec(body)?.[1]
  const parent = /extends (\w+Error)/.exec(sources.get(file).match(`class ${name} .*`)[0])[1]
  const { codes, classes: others } =
    type !== undefined
      ? contentsOf(type)
      : fixed !== undefined
        ? { codes: new Map([[fixed, undefined]]), classes: [] }
        : { codes: new Map(), classes: [parent] }
  const rows = [...codes].map(([code, meaning]) => {
    const text = (meaning ?? messageOf(name, code)).replace(/\s+/g, ' ').replaceAll('|', '\\|')
    return `| \`${code}\` | ${text} |`
  })
  const kind = parent === 'AvmError' ? '' : ` A \`${parent}\`.`
  const also = others.map((other) => `\`${other}\``).join(', ')
  return [
    `## ${name}`,
    '',
    `${sentence(comment)}${kind} From ${entryOf(file)}.`,
    '',
    ...(rows.length === 0 ? [] : ['| code | meaning or message |', '|---|---|', ...rows, '']),
    ...(also === '' ? [] : [`${rows.length === 0 ? 'The' : 'Also the'} codes of ${also}.`, '']),
  ].join('\n')
}

const head = `# Errors

Every error that this library throws for a foreseeable failure is an \`AvmError\` with a stable \`code\`, a \`message\` of one line,
and where possible a \`hint\`. Branch on \`code\`; messages may change. The type \`ErrorCode\` is the union of all codes except those
of the command line. The tables tell what a code means or show a message, in which \`…\` stands for values.

This file is generated by \`npm run docs:errors\`.

`
const generated = head + classes.map(section).join('\n')
const path = `${root}docs/errors.md`
if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== generated) {
    console.error('docs/errors.md is not up to date: run npm run docs:errors')
    process.exitCode = 1
  }
} else writeFileSync(path, generated)
