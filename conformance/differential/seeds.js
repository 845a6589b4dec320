import { readdirSync, readFileSync } from 'node:fs'

// Cases to begin with: those of the vectors.

const vectors = new URL('../../test-vectors/', import.meta.url)
const read = (path) => JSON.parse(readFileSync(new URL(path, vectors), 'utf8'))

/** Kinds with damaged values are of the kind of the value. */
const kindOf = (kind) => kind.replace('-mutated', '')

/** Removes the answers that could be mistaken for inputs. */
export function inputOf({ kind, ...item }) {
  for (const name of ['json', 'err', 'errName', 'code', 'ok', 'lenient', 'mutation', 'made'])
    delete item[name]
  return { kind: kindOf(kind), ...item }
}

function generatedCases() {
  return readdirSync(new URL('generated/', vectors))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => read(`generated/${name}`))
}

/** The genesis bytes of definitions are inputs of the reader. */
const genesisBytes = (cases) =>
  cases
    .filter(({ kind }) => kind === 'genesis')
    .map(({ bytes }) => ({ kind: 'genesis-bytes', bytes }))

export function peerCases() {
  return read('cross-chain.json').vectors.flatMap((vector) => {
    const { kind, network = 'local', signed, utxo, spends, now, price, baseFee, fees = [] } = vector
    switch (kind) {
      case 'p-tx':
        return { kind, network, signed, prices: fees.map((fee) => fee.price) }
      case 'c-tx':
        return { kind, network, signed, prices: fees.map((fee) => fee.baseFee) }
      case 'p-utxo':
        return { kind, utxo }
      case 'p-spend':
      case 'c-spend':
        return { kind, network, signed, spends, now, price: price ?? baseFee }
      default:
        return []
    }
  })
}

/** All cases of the vectors. */
export function vectorCases() {
  const cases = generatedCases()
  return [
    ...cases.map(inputOf),
    ...genesisBytes(cases),
    ...peerCases(),
    {
      kind: 'p-fee',
      minPrice: '1',
      conversion: '2164043',
      capacity: '1000000',
      excess: '0',
      seconds: '1',
      gas: '100000',
    },
    { kind: 'c-fee', gas: '11230', baseFee: '25000000000' },
  ]
}
