import { readFileSync } from 'node:fs'
import { image, STYLE, text } from './image.js'

/** The rows of the saved results. */
export function results() {
  const lines = readFileSync(new URL('../../benchmarks/RESULTS.md', import.meta.url), 'utf8').split(
    '\n',
  )
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
export function rivals({ rows, note }) {
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
export function scaling({ rows, note }) {
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
      // A row of a larger set also has the cost for the smallest one.
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
