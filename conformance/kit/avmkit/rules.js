import { decodeTx, decodeUTXO, hex, networks, parseID, txID, utxoID, verifyTx } from 'avmkit'
import { verifyAgainstState } from '../../../dist/devnode/x-chain/semantic.js'
import { bytesOf, idText } from './bytes.js'
import { backend } from './signatures.js'

// Rules of the X-Chain: without state, then with it.

const context = { ...networks.local, backend }

/** Runs a rule and tells at which stage a transaction is refused. */
function staged(stage, run) {
  try {
    return run()
  } catch (error) {
    error.stage = stage
    throw error
  }
}

function described(tx, bytes) {
  return { ok: true, txType: tx.unsignedTx.type, txID: idText(txID(bytes)) }
}

function syntactic(item) {
  const bytes = bytesOf(item)
  const tx = decodeTx(bytes)
  const answer = described(tx, bytes)
  try {
    verifyTx(tx, networks.local)
  } catch (error) {
    error.facts = answer
    throw error
  }
  return answer
}

/** What all cases of a file share: the first case of each stream of semantic cases holds it. */
let shared

function share({ accepted, subnets }) {
  shared = {
    accepted: new Map(
      accepted.map((text) => {
        const bytes = hex.decode(text)
        return [hex.encode(txID(bytes)), decodeTx(bytes)]
      }),
    ),
    subnets: new Map(
      subnets.map(({ chain, subnet }) => [hex.encode(parseID(chain)), parseID(subnet)]),
    ),
  }
  return { ok: true }
}

function stateOf({ now, utxos = [], atomic = [] }) {
  const { accepted, subnets } = shared
  const unspent = new Map(
    utxos.map((text) => {
      const utxo = decodeUTXO(hex.decode(text))
      return [hex.encode(utxoID(utxo.txID, utxo.outputIndex)), utxo]
    }),
  )
  const memory = new Map(
    atomic.map(({ chain, key, value }) => [
      `${hex.encode(parseID(chain))}:${key}`,
      hex.decode(value),
    ]),
  )
  return {
    now: BigInt(now ?? 0),
    utxo: (id) => unspent.get(hex.encode(id)),
    atomic: (chain, key) => memory.get(`${hex.encode(chain)}:${hex.encode(key)}`),
    tx: (id) => accepted.get(hex.encode(id)),
    subnetOf: (chain) => subnets.get(hex.encode(chain)),
  }
}

function semantic(item) {
  if (item.what === 'context') return share(item)
  const bytes = bytesOf(item)
  const state = stateOf(item)
  const tx = staged('decode', () => decodeTx(bytes))
  const answer = described(tx, bytes)
  try {
    staged('syntactic', () => verifyTx(tx, networks.local))
    staged('semantic', () => verifyAgainstState(tx, state, context))
  } catch (error) {
    error.facts = answer
    throw error
  }
  return answer
}

export const ruleAnswers = { syntactic, semantic }
