import { AvmError } from 'avmkit'
import { block as blockCodec } from '../../../dist/core/chain/x/block.js'
import { signedTx } from '../../../dist/core/chain/x/tx.js'
import { utxo as utxoCodec } from '../../../dist/core/chain/x/utxo.js'
import { goDecodeError } from '../../../dist/devnode/go/decode.js'
import { bytesOf } from './bytes.js'
import { codecAnswers } from './codec.js'
import { genesisAnswers } from './genesis.js'
import { orderAnswers } from './order.js'
import { peerAnswers } from './peers.js'
import { ruleAnswers } from './rules.js'
import { signatureAnswers } from './signatures.js'
import { textAnswers } from './text.js'

// How this library answers a case, with the names and values of the node's answers.

const answers = {
  ...codecAnswers,
  ...genesisAnswers,
  ...orderAnswers,
  ...peerAnswers,
  ...ruleAnswers,
  ...signatureAnswers,
  ...textAnswers,
}

/** Kinds whose bytes are decoded first, with the error text of the node. */
const decoded = {
  tx: signedTx,
  'tx-mutated': signedTx,
  syntactic: signedTx,
  semantic: signedTx,
  'utxos-of-tx': signedTx,
  utxo: utxoCodec,
  'utxo-mutated': utxoCodec,
  block: blockCodec,
  'block-mutated': blockCodec,
}

/** The verdict about an error: only errors of this library are refusals. */
function refusal(item, error) {
  if (!(error instanceof AvmError)) throw error
  const { code, stage, facts, reason } = error
  const codec = decoded[item.kind]
  const err =
    facts === undefined && codec !== undefined && code.startsWith('CODEC_')
      ? goDecodeError(codec, bytesOf(item))
      : (error.text ?? reason)
  return { ...facts, ok: false, code, err, stage }
}

/** Answers a case. Kinds without an answer are unsupported. */
export function answer(item) {
  const run = answers[item.kind]
  if (run === undefined) return { unsupported: true }
  try {
    return run(item)
  } catch (error) {
    return refusal(item, error)
  }
}
