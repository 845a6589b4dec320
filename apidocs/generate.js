import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  DocumentReflection,
  KindRouter,
  ReflectionKind,
} from 'typedoc'
import { errorIndex, errorPages } from '../scripts/error-pages.js'
import { loadErrorTexts } from '../scripts/error-texts.js'
import { guidesByRole } from '../scripts/guides.js'

// Generates the site in docs/api: the guides by role, the reference of every entry point and a page per error code, with a
// search in all of them. Fails if a link in a comment is broken, an export has no comment, or a signature uses a type that
// is not in the reference.

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The names that entry points are imported by, by the source file each is compiled from. */
const entries = new Map(
  Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([entry, { default: built }]) => [
      built.replace('./dist/', '').replace(/\.js$/, '.ts'),
      entry.replace('.', manifest.name),
    ]),
)

/** The heading of a name in the reference, by the file that declares it: the first that fits. */
const headings = [
  [/(^|\/)(errors|error-codes|faults|warnings)\.ts$/, 'Errors and warnings'],
  [/^core\/base\//, 'Encodings'],
  [/^core\/codec\//, 'JSON'],
  [/^core\/crypto\/hd\//, 'HD accounts'],
  [/^core\/crypto\/keyfile\//, 'Key files'],
  [/^signers\/ledger\//, 'Ledger'],
  [/^signers\/core\//, 'Core'],
  [/^signers\/keystone\//, 'Keystone'],
  [/^signers\/services\//, 'Key services'],
  [/^signers\/policy\//, 'Policies and vaults'],
  [/^signers\/message\//, 'Messages'],
  [/^core\/crypto\//, 'Keys and signatures'],
  [/^core\/chain\/(networks|view)\.ts$/, 'Networks'],
  [/^core\/chain\/[xpc]\/(gas|price)\.ts$/, 'Gas and fees'],
  [/^core\/chain\//, 'Transactions and UTXOs'],
  [/^core\/coins\//, 'Coin selection'],
  [/^core\/draft\//, 'Builders'],
  [/^core\/sign\/.*request/, 'Signing requests'],
  [/^core\/sign\/.*explain/, 'Explanations'],
  [/^core\/sign\//, 'Signing'],
  [/^node\/blocks\//, 'Blocks'],
  [/^node\/issue\//, 'Issuing and waiting'],
  [/^node\/methods\//, 'Methods and replies'],
  [/^node\/services\//, 'Metrics and data APIs'],
  [/^node\//, 'Clients'],
  [/^wallet\/batches\//, 'Batches'],
  [/^wallet\/discovery\//, 'Discovery'],
  [/^wallet\/moves\//, 'Moves'],
  [/^wallet\/store\//, 'Stores'],
  [/^wallet\//, 'Wallet'],
  [
    /^custody\/(control|deposits|payouts|sweeps|operations|database)\//,
    (name) => capitalized(name),
  ],
  [/^custody\/service\//, 'Service'],
  [/^custody\//, 'Custody'],
  [/^devnode\//, 'Development node'],
  [/^page\/elements\//, 'Elements'],
]

function capitalized(word) {
  return word[0].toUpperCase() + word.slice(1)
}

function headingOf(file) {
  for (const [pattern, heading] of headings) {
    const match = pattern.exec(file)
    if (match !== null) return typeof heading === 'string' ? heading : heading(match[1])
  }
}

const ERRORS = 'Error codes'

/** Error pages are where `AvmError.docs` says. */
class SiteRouter extends KindRouter {
  getIdealBaseName(reflection) {
    if (reflection.isDocument() && reflection.name === ERRORS) return 'errors/index'
    if (reflection.isDocument() && reflection.parent?.name === ERRORS)
      return `errors/${reflection.name}`
    return super.getIdealBaseName(reflection)
  }
}

/** The roles of docs/README.md, by the name of the guide. */
const roles = new Map(
  [...guidesByRole()].flatMap(([role, guides]) =>
    guides.map(({ file }) => [file.replace(/\.md$/, ''), role]),
  ),
)

function setCategory(reflection, text) {
  reflection.comment ??= new Comment()
  reflection.comment.blockTags.push(new CommentTag('@category', [{ kind: 'text', text }]))
}

function addDocument(project, parent, name, text) {
  const document = new DocumentReflection(name, parent, [{ kind: 'text', text }], {})
  parent.addChild(document)
  project.registerReflection(document, undefined, undefined)
  return document
}

const errorTexts = await loadErrorTexts()

const app = await Application.bootstrap({
  name: manifest.name,
  includeVersion: true,
  readme: `${root}README.md`,
  projectDocuments: [`${root}docs/*.md`],
  // Those of README and guides.
  highlightLanguages: ['bash', 'html', 'javascript', 'json', 'sh', 'sql', 'ts', 'typescript'],
  searchInDocuments: true,
  searchInComments: true,
  entryPoints: [...entries.keys()].map((file) => `${root}src/${file}`),
  tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)),
  out: `${root}docs/api`,
  sortEntryPoints: false,
  sort: ['source-order'],
  disableSources: true,
  categorizeByGroup: false,
  navigation: { includeCategories: true },
  categoryOrder: ['Start', ...new Set(roles.values()), 'Reference', 'Errors', '*'],
  customCss: fileURLToPath(new URL('site.css', import.meta.url)),
  // The texts have their own first headings.
  headings: { readme: false, document: false },
  excludeInternal: true,
  hideGenerator: true,
  // An interface that avoids an import cycle (callers use UTXOSet), and how methods of clients are described.
  intentionallyNotExported: ['HoldingsSource', 'Exchange', 'Check'],
  validation: { notExported: true, invalidLink: true, rewrittenLink: true },
})
app.renderer.defineRouter('site', SiteRouter)
app.options.setValue('router', 'site')
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const guide of project.documents ?? [])
    setCategory(guide, guide.name === 'errors' ? 'Errors' : (roles.get(guide.name) ?? 'Start'))
  const errors = addDocument(project, project, ERRORS, errorIndex(errorTexts))
  setCategory(errors, 'Errors')
  for (const [code, text] of errorPages(errorTexts)) addDocument(project, errors, code, text)
  for (const module of project.getReflectionsByKind(ReflectionKind.Module))
    setCategory(module, 'Reference')
  for (const module of project.getReflectionsByKind(ReflectionKind.Module))
    for (const item of module.children ?? []) {
      const declared = item.kindOf(ReflectionKind.Reference)
        ? item.tryGetTargetReflectionDeep()
        : item
      const path = project.getSymbolIdFromReflection(declared)?.fileName.replaceAll('\\', '/')
      const heading = headingOf(path?.split('/src/').pop())
      if (heading === undefined) app.logger.warn(`${module.name}: ${item.name} has no heading`)
      const commented = [item, ...(item.signatures ?? [])].find(({ comment }) => comment) ?? item
      setCategory(commented, heading ?? '')
    }
})
const project = await app.convert()
if (project === undefined) process.exit(1)
// typedoc names a module after its file, and one called index after the folder it is in.
const names = new Map(
  [...entries].map(([file, name]) => [file.replace(/(\/index)?\.ts$/, ''), name]),
)
// typedoc names a guide after its file; its first heading says more.
for (const guide of project.documents ?? [])
  guide.name = /^# (.+)$/m.exec(guide.content.map(({ text }) => text).join(''))?.[1] ?? guide.name
for (const module of project.children) {
  module.name = names.get(module.name)
  // typedoc's own check also wants every method and every field that holds a function to be described.
  // References are exports of another entry point, which are checked there.
  const own = module.children.filter((item) => !item.kindOf(ReflectionKind.Reference))
  for (const item of own)
    if (![item, ...(item.signatures ?? [])].some((part) => part.hasComment()))
      app.logger.warn(`${module.name}: ${item.name} has no comment`)
}
app.validate(project)
await app.generateOutputs(project)
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1)
