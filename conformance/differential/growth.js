// Which blocks of the node's code were reached, by kind of case.

/** Parts of the time whose growth is printed. */
const PARTS = 5

/** Counts blocks by kind and part of the time. Part 0 are the cases that were known before. */
export class Growth {
  kinds = new Map()

  /** Counts the blocks that a case was the first of its kind to reach, when this share of the time had passed. */
  add(kind, passed, count) {
    if (!this.kinds.has(kind)) this.kinds.set(kind, { cases: 0, last: 0, blocks: [] })
    const entry = this.kinds.get(kind)
    const part = passed === undefined ? 0 : Math.min(PARTS, 1 + Math.floor(passed * PARTS))
    entry.cases++
    if (count > 0) entry.last = entry.cases
    entry.blocks[part] = (entry.blocks[part] ?? 0) + count
  }
}

/** Prints how many blocks were known, and how many each part of the time added. */
export function printGrowth({ kinds }) {
  const parts = Array.from({ length: PARTS }, (_, i) => `+ ${i + 1}/${PARTS}`)
  const row = (cells) =>
    cells.map((cell, i) => (i ? String(cell).padStart(11) : cell.padEnd(16))).join('')
  console.log(row(['kind', 'known', ...parts, 'cases', 'last at']))
  for (const [kind, { cases, last, blocks }] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(
      row([kind, ...Array.from({ length: PARTS + 1 }, (_, i) => blocks[i] ?? 0), cases, last]),
    )
}
