// Cases that others are made of.

/** Cases of one kind that are kept; a further one replaces another. */
const MAX_CASES = 4000

/** How often a kind is drawn. Signatures take a hundred times as long as texts. */
const WEIGHTS = {
  tx: 16,
  block: 6,
  utxo: 8,
  'genesis-bytes': 3,
  'genesis-tx': 1,
  syntactic: 12,
  semantic: 3,
  'utxos-of-tx': 4,
  size: 3,
  order: 3,
  recover: 1,
  sign: 1,
  text: 14,
  'p-tx': 10,
  'p-utxo': 5,
  'p-spend': 2,
  'c-tx': 8,
  'c-spend': 2,
  'p-fee': 2,
  'c-fee': 2,
}

const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) => new Array(weight).fill(kind))

/** Cases by kind. */
export class Pool {
  #random
  #cases = new Map(Object.keys(WEIGHTS).map((kind) => [kind, []]))

  constructor(random) {
    this.#random = random
  }

  add(item) {
    const list = this.#cases.get(item.kind)
    if (list === undefined) return
    if (list.length < MAX_CASES) list.push(item)
    else list[this.#random.below(MAX_CASES)] = item
  }

  /** Forgets the cases of a kind. */
  clear(kind) {
    this.#cases.set(kind, [])
  }

  /** Two cases of the same kind. */
  pair() {
    const list = this.#cases.get(this.#random.pick(KINDS))
    return list.length === 0 ? this.pair() : [this.#random.pick(list), this.#random.pick(list)]
  }
}
