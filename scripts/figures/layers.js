import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { image, STYLE, text } from './image.js'

/** Draws which folders of src import from which; imports that a chain of other imports implies are omitted. */
export function layers(root) {
  const src = join(root, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const pages = readdirSync(join(root, 'page'), { recursive: true, encoding: 'utf8' })
  const paths = [
    // An index only names exports.
    ...files
      .filter((name) => name.includes('/') && !name.endsWith('index.ts'))
      .map((name) => join(src, name)),
    ...pages.filter((name) => name.endsWith('.ts')).map((name) => join(root, 'page', name)),
  ]
  const layerOf = (path) => {
    if (!path.startsWith(src)) return relative(root, path).split('/')[0]
    const [folder, inner] = relative(src, path).split('/')
    // The builders of the P- and C-Chain import from `sign`; their codecs are below it.
    return inner === 'build' ? `${folder}/build` : folder
  }
  const imports = new Map()
  for (const path of paths) {
    const own = layerOf(path)
    const set = imports.get(own) ?? new Set()
    imports.set(own, set)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(
      /(?:from|import)\s*\(?\s*'(\.[^']+)'/g,
    )) {
      const other = layerOf(join(path, '..', target))
      if (other !== own && !other.endsWith('.ts')) set.add(other)
    }
  }
  const depths = new Map()
  const depthOf = (name, seen = []) => {
    if (seen.includes(name))
      throw new Error(`layers import each other: ${[...seen, name].join(' → ')}`)
    if (!depths.has(name)) {
      const below = [...(imports.get(name) ?? [])].map((other) => depthOf(other, [...seen, name]))
      depths.set(name, below.length === 0 ? 0 : Math.max(...below) + 1)
    }
    return depths.get(name)
  }
  for (const name of imports.keys()) depthOf(name)
  const reaches = (from, to) =>
    [...imports.get(from)].some((next) => next === to || reaches(next, to))
  const arrows = [...imports].flatMap(([name, set]) =>
    [...set]
      .filter((other) => ![...set].some((next) => next !== other && reaches(next, other)))
      .map((other) => [other, name]),
  )
  const names = [...depths.keys()].sort()
  const columns = Array.from({ length: Math.max(...depths.values()) + 1 }, (_, depth) =>
    names.filter((name) => depths.get(name) === depth),
  )
  const [wide, high, boxWidth, boxHeight] = [108, 62, 88, 32]
  const tallest = Math.max(...columns.map((column) => column.length))
  const width = columns.length * wide + 10
  const height = tallest * high + 60
  const places = new Map(
    columns.flatMap((column, depth) =>
      column.map((name, i) => [
        name,
        {
          x: 10 + depth * wide,
          y: 40 + ((tallest - column.length) * high) / 2 + i * high + (depth % 2) * 14,
        },
      ]),
    ),
  )
  return image(
    width,
    height,
    'Layers of the library: imports flow from left to right',
    `${STYLE}\n.arrow{stroke:#8a93a0;fill:none}`,
    text(
      10,
      22,
      'Folders of src, and the offline page; each uses those at its left',
      'class="title"',
    ),
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" fill="#8a93a0"/></marker></defs>',
    ...arrows.map(([from, to]) => {
      const [a, b] = [places.get(from), places.get(to)]
      const [x1, y1, x2, y2] = [a.x + boxWidth, a.y + boxHeight / 2, b.x, b.y + boxHeight / 2]
      const bend = (x1 + x2) / 2
      return `<path class="arrow" marker-end="url(#head)" d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2 - 1} ${y2}"/>`
    }),
    ...[...places].flatMap(([name, { x, y }]) => [
      `<rect class="box" x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="4"/>`,
      text(x + boxWidth / 2, y + 21, name, 'text-anchor="middle"'),
    ]),
  )
}
