// Counts of a run, by kind of case.

/** Differing cases that are kept for the report. */
const MAX_KEPT = 50

const empty = () => ({ compared: 0, accepted: 0, stricter: 0, unjudged: 0, differing: 0 })

/** What was compared and what differs. */
export class Report {
  kinds = new Map()
  differing = []
  /** Processor time in ms. */
  times = { ours: 0, node: 0 }

  /** Counts a case; `names` are the members that differ. */
  count(item, expected, actual, names) {
    if (!this.kinds.has(item.kind)) this.kinds.set(item.kind, empty())
    const counts = this.kinds.get(item.kind)
    // A crash is one whether or not the case can be judged.
    if (expected.error !== undefined && !names.includes('crash')) {
      counts.unjudged++
      return
    }
    counts.compared++
    if (expected.ok) counts.accepted++
    if (expected.ok && !actual.ok && names.length === 0) counts.stricter++
    if (names.length === 0) return
    counts.differing++
    if (this.differing.length < MAX_KEPT) this.differing.push({ item, expected, actual, names })
  }

  /** Adds the report of another process. */
  add({ kinds, differing, times }) {
    for (const [kind, counts] of kinds) {
      const sums = this.kinds.get(kind) ?? empty()
      for (const name of Object.keys(sums)) sums[name] += counts[name]
      this.kinds.set(kind, sums)
    }
    this.differing = [...this.differing, ...differing].slice(0, MAX_KEPT)
    this.times.ours += times.ours
    this.times.node += times.node
  }

  get compared() {
    return [...this.kinds.values()].reduce((sum, { compared }) => sum + compared, 0)
  }

  get countDiffering() {
    return [...this.kinds.values()].reduce((sum, { differing }) => sum + differing, 0)
  }
}

const grouped = (number) => number.toLocaleString('en')

/** Prints counts by kind, then the first differing cases. */
export function printReport(report, seconds) {
  const columns = ['compared', 'accepted', 'stricter', 'unjudged', 'differing']
  console.log(`${'kind'.padEnd(16)}${columns.map((name) => name.padStart(12)).join('')}`)
  for (const [kind, counts] of [...report.kinds].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(
      kind.padEnd(16) + columns.map((name) => grouped(counts[name]).padStart(12)).join(''),
    )
  const { ours, node } = report.times
  const rate = grouped(Math.round(report.compared / seconds))
  console.log(
    `together ${grouped(report.compared)} compared, ${rate} a second, ${report.countDiffering} differing`,
  )
  if (node > 0)
    console.log(
      `processor time: avalanchego ${(node / 1000).toFixed(1)} s, this library ${(ours / 1000).toFixed(1)} s`,
    )
  for (const { item, expected, actual, names } of report.differing.slice(0, 10))
    console.log(
      `\ndiffers in ${names.join(', ')}: ${JSON.stringify(item)}\n  node ${JSON.stringify(expected)}\n  ours ${JSON.stringify(actual)}`,
    )
}
