import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answersOf } from '../differential/judge.js'
import { linesOf, withPrograms } from '../differential/programs.js'
import { inputOf, peerCases } from '../differential/seeds.js'

// Writes the cases of the kit with the node's answers.

/** Other cases than those of test-vectors. */
const SEED = 20261118

/** Cases per kind, text or question; half of them are refused if there are enough. */
const MAX_CASES = 60

/** Longer cases are left out: what they ask is in shorter ones, too. */
const MAX_LENGTH = 6000

const AREAS = {
  tx: 'X-Chain transactions',
  utxo: 'X-Chain UTXOs',
  block: 'X-Chain blocks',
  'genesis-tx': 'X-Chain genesis',
  genesis: 'X-Chain genesis',
  'genesis-bytes': 'X-Chain genesis',
  syntactic: 'X-Chain rules without state',
  semantic: 'X-Chain rules with state',
  'utxos-of-tx': 'X-Chain created and spent UTXOs',
  size: 'X-Chain sizes and orders',
  order: 'X-Chain sizes and orders',
  sign: 'signatures',
  recover: 'signatures',
  text: 'IDs, hex and keys as text',
  'p-tx': 'P-Chain transactions',
  'p-utxo': 'P-Chain UTXOs',
  'p-spend': 'P-Chain rules with state',
  'p-fee': 'fees',
  'c-tx': 'C-Chain atomic transactions',
  'c-spend': 'C-Chain rules with state',
  'c-fee': 'fees',
}

const ADDRESSES = ['address', 'localAddress', 'serviceAddress', 'bech32']

const areaOf = ({ kind, as }) => (ADDRESSES.includes(as) ? 'addresses' : AREAS[kind])

/** Numbers at which the fees of both chains are asked. */
const NUMBERS = [
  '0',
  '1',
  '1000',
  '250000',
  '1500002',
  '1500003',
  '100000000',
  '18446744073709551615',
]

function feeCases() {
  return NUMBERS.flatMap((excess) =>
    NUMBERS.slice(0, 6).flatMap((gas, i) => [
      {
        kind: 'p-fee',
        minPrice: '1',
        conversion: '2164043',
        capacity: NUMBERS[i],
        excess,
        seconds: String(i),
        gas,
      },
      { kind: 'c-fee', gas, baseFee: excess },
    ]),
  )
}

const keyOf = ({ input }) => `${input.kind} ${input.as ?? input.what ?? ''}`

/** At most so many cases of each kind, with as many refused as accepted ones where there are enough. */
function chosen(cases) {
  const groups = new Map()
  for (const item of cases) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups.values()].flatMap((group) => {
    const accepted = group.filter(({ answer }) => answer.ok)
    const refused = group.filter(({ answer }) => !answer.ok)
    const half = MAX_CASES / 2
    const kept = refused.slice(0, Math.max(half, MAX_CASES - accepted.length))
    return [...accepted.slice(0, MAX_CASES - kept.length), ...kept]
  })
}

/** Inputs of all areas; the context of semantic cases comes before them. */
function inputsOf(drawn) {
  const isAsked = ({ kind, parts, what }) =>
    areaOf({ kind: kind.replace('-mutated', '') }) !== undefined &&
    parts === undefined &&
    what !== 'partial'
  const genesis = drawn
    .filter(({ kind, bytes }) => kind === 'genesis' && bytes !== undefined)
    .map(({ bytes }) => ({ kind: 'genesis-bytes', bytes }))
  return [...drawn, ...genesis, ...peerCases(), ...feeCases()].filter(isAsked).map(inputOf)
}

/** Asks the node's packages and writes the cases with their answers, one per line. */
export function writeKit(path) {
  return withPrograms(['judge', 'cases'], async (folder) => {
    const drawn = linesOf(join(folder, 'cases'), '-seed', String(SEED))
    const inputs = inputsOf(drawn).filter(
      (input) => JSON.stringify(input).length < MAX_LENGTH || input.what === 'context',
    )
    const answers = await answersOf(folder, inputs)
    const cases = inputs.map((input, i) => ({ area: areaOf(input), input, answer: answers[i] }))
    const lines = chosen(cases).map((item, i) =>
      JSON.stringify({ ...item, input: { ...item.input, id: `${item.input.kind}-${i}` } }),
    )
    writeFileSync(path, `${lines.join('\n')}\n`)
    console.log(`${lines.length} cases of the kit`)
    return true
  })
}
