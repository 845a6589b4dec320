import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// Draws the figures of the guides into docs/figures: the saved results of the benchmarks, the layers as the import
// lines of src have them, and a recorded run of `npm start`. `--record` runs it anew. `--check` writes nothing and
// exits with 1 if a figure would change.

const root = fileURLToPath(new URL('..', import.meta.url))
const figures = join(root, 'docs/figures')

const STYLE = `
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

function image(width, height, label, style, ...parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>${style.trim()}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const text = (x, y, content, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`

/** The rows of the saved results. */
function results() {
  const lines = readFileSync(join(root, 'benchmarks/RESULTS.md'), 'utf8').split('\n')
  const when = /on (\d{4}-\d\d-\d\d), (Node [\d.]+)/.exec(lines.join('\n'))
  const rows = lines
    .filter((line) => line.startsWith('| ') && !line.startsWith('| work'))
    .map((line) => line.slice(2).split(' | '))
    .map(([name, unit, ours, rival, rivalName, ratio]) => ({
      name,
      unit,
      ours: Number(ours),
      rival: Number(rival),
      rivalName,
      ratio: Number(ratio),
    }))
  return { rows, note: `${when[2]}, ${when[1]}; benchmarks/RESULTS.md` }
}

/** How many times as fast as avalanchejs, on a logarithmic scale. */
function rivals({ rows, note }) {
  const shown = rows.filter(
    ({ rivalName, ratio, unit, name }) =>
      rivalName.startsWith('avalanchejs') &&
      ratio > 0 &&
      unit !== 'bytes' &&
      !name.includes('made anew'),
  )
  const [left, right, top, row] = [440, 820, 64, 26]
  const most = Math.ceil(Math.log10(Math.max(...shown.map(({ ratio }) => ratio))))
  const x = (ratio) => left + (Math.log10(ratio) / most) * (right - left)
  const height = top + shown.length * row + 36
  const ticks = Array.from({ length: most + 1 }, (_, i) => 10 ** i)
  return image(
    900,
    height,
    'How many times as fast as avalanchejs',
    STYLE,
    text(10, 24, 'How many times as fast as avalanchejs 5.2.0', 'class="title"'),
    ...ticks.flatMap((tick) => [
      `<path class="grid" d="M${x(tick)} ${top - 8}V${height - 32}"/>`,
      text(x(tick), top - 14, `${tick}×`, 'text-anchor="middle" class="quiet"'),
    ]),
    ...shown.flatMap(({ name, ratio }, i) => {
      const y = top + i * row
      const value = ratio >= 100 ? Math.round(ratio) : Number(ratio.toPrecision(2))
      return [
        text(
          left - 8,
          y + 14,
          name.replace(/, (time of its own|against).*$/, ''),
          'text-anchor="end"',
        ),
        `<rect class="ours" x="${left}" y="${y + 2}" width="${(x(ratio) - left).toFixed(1)}" height="16" rx="2"/>`,
        text((x(ratio) + 6).toFixed(1), y + 14, `${value}×`),
      ]
    }),
    text(10, height - 10, note, 'class="quiet"'),
  )
}

/** The cost of one UTXO, for sets of growing size. */
function scaling({ rows, note }) {
  const series = [
    [
      'select 3 inputs out of them',
      'stroke',
      'ours',
      /^select 3 inputs out of (\d+) UTXOs of ours/,
      1,
    ],
    ['decode them in pages', 'other', 'dot', /^codec decode (\d+) UTXOs in pages/, 1000],
  ].map(([label, line, dot, pattern, scale]) => {
    const points = rows.flatMap(({ name, ours, rival, rivalName }) => {
      const found = pattern.exec(name)
      if (found === null) return []
      // The cost for 1,000 stands beside that of larger sets.
      const first = /the same for (\d+)/.exec(rivalName)
      return [
        [Number(found[1]), ours * scale],
        ...(first === null ? [] : [[Number(first[1]), rival * scale]]),
      ]
    })
    return { label, line, dot, points: [...new Map(points)].sort(([a], [b]) => a - b) }
  })
  const [left, right, top, bottom] = [70, 620, 60, 300]
  const x = (size) => left + ((Math.log10(size) - 3) / 3) * (right - left)
  const y = (cost) => bottom - ((Math.log10(cost) - 1) / 2) * (bottom - top)
  return image(
    720,
    370,
    'Cost per UTXO for sets of 1,000 to 1,000,000',
    STYLE,
    text(10, 24, 'Cost per UTXO in nanoseconds, by size of the set', 'class="title"'),
    ...[10, 30, 100, 300, 1000].flatMap((tick) => [
      `<path class="grid" d="M${left} ${y(tick)}H${right}"/>`,
      text(left - 8, y(tick) + 4, String(tick), 'text-anchor="end" class="quiet"'),
    ]),
    ...[1e3, 1e4, 1e5, 1e6].map((size) =>
      text(x(size), bottom + 20, size.toLocaleString('en'), 'text-anchor="middle" class="quiet"'),
    ),
    ...series.flatMap(({ label, line, dot, points }, i) => [
      `<path class="${line}" d="M${points.map(([size, cost]) => `${x(size).toFixed(1)} ${y(cost).toFixed(1)}`).join('L')}"/>`,
      ...points.map(
        ([size, cost]) =>
          `<circle class="${dot}" cx="${x(size).toFixed(1)}" cy="${y(cost).toFixed(1)}" r="4"/>`,
      ),
      `<circle class="${dot}" cx="${left + 10 + i * 260}" cy="${top - 14}" r="4"/>`,
      text(left + 20 + i * 260, top - 10, label),
    ]),
    text(10, 356, note, 'class="quiet"'),
  )
}

/** Which folders of src import from which, without what follows from others. */
function layers() {
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
    // The builders of the other chains stand above what signs; their codecs stand below.
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

/** Runs the tour and notes when it prints what. */
async function record() {
  const child = spawn(process.execPath, [join(root, 'examples/tour.js')], {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const started = performance.now()
  const lines = []
  for await (const line of createInterface({ input: child.stdout }))
    lines.push([Math.round(performance.now() - started), line])
  return lines
}

/** A terminal in which the lines of a recording appear as they did, and scroll. */
function session(recorded) {
  // Nobody wants to watch a program wait.
  let shortened = 0
  const lines = recorded.map(([at, line], i) => {
    shortened += Math.max(0, at - (recorded[i - 1]?.[0] ?? 0) - 500)
    return [at - shortened, line]
  })
  const [rows, high, width] = [26, 17, 880]
  const last = lines.at(-1)[0]
  const whole = last + 6000
  const percent = (at) => ((at / whole) * 100).toFixed(2)
  const steps = lines.flatMap(([at], i) =>
    i < rows ? [] : [`${percent(at)}%{transform:translateY(${-(i - rows + 1) * high}px)}`],
  )
  const style = `
text{font:13px ui-monospace,monospace;fill:#dfe5ec;white-space:pre}
.dim{fill:#8fa0b3}
.good{fill:#6fdd8b}
#screen{animation:scroll ${whole}ms step-end infinite}
@keyframes scroll{0%{transform:translateY(0)}${steps.join('')}}
@keyframes appear{0%{opacity:0}100%{opacity:1}}
.late{animation:appear 1ms both}
@media (prefers-reduced-motion:reduce){#screen{animation:none;transform:translateY(${-Math.max(0, lines.length - rows) * high}px)}.late{animation:none}}`
  const body = lines.map(([at, line], i) => {
    const kind = /accounted for$/.test(line) ? 'good' : line.startsWith('  ') ? 'dim' : ''
    return text(14, 60 + i * high, line, `class="late ${kind}" style="animation-delay:${at}ms"`)
  })
  return image(
    width,
    rows * high + 66,
    'A recorded run of npm start',
    style,
    `<rect width="${width}" height="${rows * high + 66}" rx="8" fill="#12171d"/>`,
    text(14, 26, '$ npm start', 'class="good"'),
    `<clipPath id="view"><rect y="42" width="${width}" height="${rows * high + 14}"/></clipPath>`,
    `<g clip-path="url(#view)"><g id="screen">${body.join('\n')}</g></g>`,
  )
}

const recording = join(figures, 'tour.json')
mkdirSync(figures, { recursive: true })
if (process.argv.includes('--record'))
  writeFileSync(recording, `${JSON.stringify(await record())}\n`)
const drawn = {
  'rivals.svg': rivals(results()),
  'scaling.svg': scaling(results()),
  'layers.svg': layers(),
  'tour.svg': session(JSON.parse(readFileSync(recording, 'utf8'))),
}
for (const [name, content] of Object.entries(drawn)) {
  const path = join(figures, name)
  if (!process.argv.includes('--check')) writeFileSync(path, content)
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`${name} is out of date: run npm run figures`)
    process.exitCode = 1
  }
}
