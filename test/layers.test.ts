import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The folders from the lowest to the highest: what each owns, and which of those before it each may import. */
const folders: readonly (readonly [folder: string, owns: string, imports: string])[] = [
  ['core/base', 'errors, bytes, hashes, encodings, checks of arguments', ''],
  ['core/codec', 'reader and writer of bytes and JSON, for no chain in particular', 'core'],
  ['core/crypto', 'keys, key chains, HD accounts, key files, signature backends', 'core'],
  ['core/chain', 'X, P and C: structs, IDs, stateless rules, gas; networks', 'core'],
  ['core/coins', 'UTXO sets, coin selection, packing', 'core'],
  ['core/draft', 'X, P and C: unsigned transactions, plans, fees', 'core'],
  ['core/sign', 'explanations, signatures, signing requests', 'core'],
  ['signers', 'devices, key services, policies of signers, messages', 'core'],
  ['node', 'clients of nodes and services: transport, methods, blocks, pages', 'core'],
  ['storage', 'what files share: lock, log, frames', 'core'],
  [
    'wallet',
    'store, payments, batches, moves between chains, discovery',
    'core signers node storage',
  ],
  ['custody', 'database, deposits, payouts, sweeps, audit', 'core signers node wallet'],
  ['custody/service', 'custody over HTTP: routes, tokens, webhooks', 'core node wallet custody'],
  [
    'devnode',
    'the development node: state, rules, blocks, interfaces',
    'core/base core/codec core/crypto core/chain storage',
  ],
  ['inspect', 'reading documents of unknown kind and key texts, offline', 'core signers'],
  ['page/elements', 'elements for web pages: explanations, addresses, errors', 'core'],
  ['cli', 'the command line', 'core signers node wallet custody devnode inspect'],
  ['page', 'the offline page', 'core signers inspect page/elements'],
]

/** Only these files may import Node's modules, so that all others run in a browser. */
const mayUseNode =
  /^(cli\/|custody\/service\/|storage\/builtin\.ts|node\/transport\/send-node\.ts|core\/crypto\/keyfile\/scrypt-node\.ts|devnode\/(http|saved\/storage)\.ts|custody\/operations\/http\.ts)/

const MAX_FILES = 20

const root = new URL('..', import.meta.url)
const src = fileURLToPath(new URL('src', root))
const entries = readdirSync(src, { recursive: true, withFileTypes: true })
const allFiles = entries
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(src, join(parentPath, name)))
const files = allFiles.filter((file) => file.endsWith('.ts'))

/** All import targets of a file, including types and dynamic imports. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g)
  return [...found].map((match) => match[1]!)
}

const imports = new Map(
  files.map((file) => [
    file,
    importsOf(file)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(src, join(src, file, '..', target))),
  ]),
)

/** The folder of the list that a file is in. Files directly in `core` are entry points above its folders. */
function folderOf(file: string): string {
  const path = file.split('/').slice(0, -1)
  const known = path.map((_, depth) => path.slice(0, depth + 1).join('/'))
  return known.findLast((folder) => folders.some(([name]) => name === folder)) ?? path.join('/')
}

function mayImport(file: string, target: string): boolean {
  const [from, to] = [folderOf(file), folderOf(target)]
  // Entry points at the root only name exports of all folders; nothing imports them.
  if (from === to || from === '') return true
  if (from === 'core') return to.startsWith('core/')
  const place = folders.findIndex(([name]) => name === from)
  const isLower =
    to === 'core'
      ? !from.startsWith('core/')
      : folders.slice(0, place).some(([name]) => name === to)
  const allowed = folders[place]![2].split(' ')
  return isLower && (allowed.includes(to) || allowed.includes(to.split('/')[0]!))
}

/** A path of imports that leads from a file back to itself, if there is one. */
function cycleFrom(start: string): string[] {
  const reachedFrom = new Map<string, string>()
  const queue = [start]
  for (const file of queue)
    for (const target of imports.get(file) ?? []) {
      if (target === start) {
        const cycle = [start]
        for (let at = file; at !== start; at = reachedFrom.get(at)!) cycle.unshift(at)
        return [[start, ...cycle].join(' → ')]
      }
      if (reachedFrom.has(target)) continue
      reachedFrom.set(target, file)
      queue.push(target)
    }
  return []
}

describe('the sources', () => {
  it('import one way', () => {
    expect(files.flatMap(cycleFrom)).toEqual([])
    const upward = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} imports ${target}`),
    )
    expect(upward).toEqual([])
    const nodeOnly = files.filter((file) => importsOf(file).some((t) => t.startsWith('node:')))
    expect(nodeOnly.filter((file) => !mayUseNode.test(file))).toEqual([])
  })

  it('are in the folders that README and docs show', () => {
    const found = new Set(files.map(folderOf).filter((folder) => !['', 'core'].includes(folder)))
    expect(found).toEqual(new Set(folders.map(([folder]) => folder)))
    const list = folders.map(([folder, owns]) => `${folder.padEnd(17)}${owns}\n`).join('')
    for (const path of ['README.md', 'docs/README.md'])
      expect(readFileSync(new URL(path, root), 'utf8')).toContain(list)
    const counts = new Map<string, number>()
    for (const file of allFiles) {
      const folder = join(file, '..')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([])
  })
})
