import { hex } from 'avmkit'
import {
  compareInitialStates,
  compareInputs,
  compareOperations,
  compareOutputs,
  compareStateOutputs,
} from 'avmkit/codec'
import { compareBytes } from '../../../dist/core/base/bytes/compare.js'
import { address } from '../../../dist/core/chain/owners.js'
import { output } from '../../../dist/core/chain/x/fx.js'
import { isSorted, isSortedUnique } from '../../../dist/core/chain/x/order.js'
import {
  initialState,
  operation,
  transferableInput,
  transferableOutput,
  utxoIDCodec,
} from '../../../dist/core/chain/x/transferables.js'
import { decode } from '../../../dist/core/codec/codec.js'

// Orders that the chain prescribes.

const orders = {
  outputs: { codec: transferableOutput, compare: compareOutputs, accepts: isSorted },
  inputs: { codec: transferableInput, compare: compareInputs, accepts: isSortedUnique },
  operations: { codec: operation, compare: compareOperations, accepts: isSortedUnique },
  initialStates: { codec: initialState, compare: compareInitialStates, accepts: isSortedUnique },
  stateOutputs: { codec: output, compare: compareStateOutputs, accepts: isSorted },
  addresses: { codec: address, compare: compareBytes, accepts: isSortedUnique },
  utxoIDs: { codec: utxoIDCodec, compare: compareInputs, accepts: isSortedUnique },
}

function order({ what, elements }) {
  const { codec, compare, accepts } = orders[what]
  const values = elements.map((text) => decode(codec, hex.decode(`0000${text}`)))
  const sorted = values.map((_, i) => i).sort((a, b) => compare(values[a], values[b]))
  return { ok: true, accepted: accepts(values, compare), sorted }
}

export const orderAnswers = { order }
