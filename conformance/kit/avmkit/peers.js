import { encodeUTXO, hex, networks, P_CHAIN_ID, parseJSON, stringifyJSON, utxoID } from 'avmkit'
import * as cChain from 'avmkit/c-chain'
import * as pChain from 'avmkit/p-chain'
import { verifyCTx } from '../../../dist/devnode/c-chain/rules.js'
import { recoverKey, Signers } from '../../../dist/devnode/ledger/signers.js'
import { verifyPTx } from '../../../dist/devnode/p-chain/rules.js'
import { idText, isSame, orNull } from './bytes.js'
import { backend } from './signatures.js'

// Transactions, UTXOs and fees of the P- and C-Chain. Numbers are decimal text.

const TYPES = { BaseTx: 'base', ImportTx: 'import', ExportTx: 'export' }
const weights = pChain.DEFAULT_GAS_WEIGHTS

/** Runs a check; an error carries the stage and what was found out before. */
function judged(stage, facts, run) {
  try {
    run()
  } catch (error) {
    error.stage = stage
    error.facts = facts
    throw error
  }
}

function decoded(decode, text) {
  try {
    return decode(hex.decode(text))
  } catch (error) {
    error.stage = 'decode'
    throw error
  }
}

/** What the chains answer in the same way. */
function described(chain, signed, tx) {
  const unsigned = chain.encodeUnsignedTx(tx.unsignedTx)
  if (!isSame(chain.encodeTx(tx), hex.decode(signed))) return { reencode: false }
  return {
    type: TYPES[tx.unsignedTx.type],
    unsigned: hex.encode(unsigned),
    txID: idText(chain.txID(tx)),
    hashToSign: hex.encode(chain.hashToSign(tx.unsignedTx)),
    size: String(signed.length / 2),
  }
}

const exported = (encode) => (utxo) => ({
  traits: (utxo.output.output ?? utxo.output).addresses.map(hex.encode),
  utxo: hex.encode(encode(utxo)),
  utxoID: idText(utxoID(utxo.txID, utxo.outputIndex)),
})

function pGas(unsignedTx) {
  const complexity = Object.entries(pChain.complexityOf(unsignedTx))
  return {
    complexity: Object.fromEntries(complexity.map(([name, used]) => [name, String(used)])),
    gas: String(pChain.gasOf(unsignedTx, weights)),
  }
}

/** The stage at which the node checks the memo. */
const pStage = (error) => (error.code === 'MEMO_TOO_LARGE' ? 'memo' : 'syntactic')

function pVerified(tx, network, facts) {
  try {
    pChain.verifyTx(tx, networks[network])
  } catch (error) {
    error.stage = pStage(error)
    error.facts = facts
    throw error
  }
}

function pTx({ network, signed, prices = [] }) {
  const tx = decoded(pChain.decodeTx, signed)
  const { unsignedTx } = tx
  const facts = {
    ok: true,
    ...described(pChain, signed, tx),
    ...pGas(unsignedTx),
    fees: prices.map((price) => ({
      fee: String(pChain.feeOf(unsignedTx, { weights, price: BigInt(price) })),
      price,
    })),
    produces: orNull(
      pChain.createdUTXOs(tx).map((utxo) => ({
        utxo: hex.encode(pChain.encodeUTXO(utxo)),
        utxoID: idText(utxoID(utxo.txID, utxo.outputIndex)),
      })),
    ),
    exports: orNull(pChain.exportedUTXOs(tx).map(exported(pChain.encodeUTXO))),
  }
  pVerified(tx, network, facts)
  const jsonText = stringifyJSON(pChain.txToJSON(tx, networks[network]))
  const back = pChain.encodeTx(pChain.txFromJSON(parseJSON(jsonText), networks[network]))
  return { ...facts, jsonText: isSame(back, hex.decode(signed)) ? jsonText : 'read back otherwise' }
}

function pUTXO({ utxo: text }) {
  const utxo = decoded(pChain.decodeUTXO, text)
  const { output } = utxo
  const isLocked = output.type === 'stakeable.LockOut'
  const inner = isLocked ? output.output : output
  if (!isSame(pChain.encodeUTXO(utxo), hex.decode(text))) return { ok: true, reencode: false }
  return {
    ok: true,
    txID: idText(utxo.txID),
    outputIndex: String(utxo.outputIndex),
    assetID: idText(utxo.assetID),
    utxoID: idText(utxoID(utxo.txID, utxo.outputIndex)),
    type: isLocked ? '22' : '7',
    ...(isLocked && { stakeableLocktime: String(output.locktime) }),
    amount: String(inner.amount),
    locktime: String(inner.locktime),
    threshold: String(inner.threshold),
    addresses: inner.addresses.map(hex.encode),
  }
}

/** UTXO bytes by ID; the ID stands in front of what the chains encode differently. */
function stored(utxos = []) {
  const entries = utxos.flatMap((text) => {
    const bytes = Buffer.from(text, 'hex')
    // Bytes that are too short for an ID are in no state.
    if (bytes.length < 38) return []
    return [[hex.encode(utxoID(bytes.subarray(2, 34), bytes.readUInt32BE(34))), bytes]]
  })
  const map = new Map(entries)
  return (id) => map.get(hex.encode(id))
}

function pSpend({ network, signed, spends, now, price }) {
  const tx = decoded(pChain.decodeTx, signed)
  const facts = {
    ok: true,
    type: TYPES[tx.unsignedTx.type],
    txID: idText(pChain.txID(tx)),
  }
  pVerified(tx, network, facts)
  Object.assign(facts, pGas(tx.unsignedTx), {
    fee: String(pChain.feeOf(tx.unsignedTx, { weights, price: BigInt(price) })),
  })
  const utxo = stored(spends)
  const state = {
    subnetOf: () => P_CHAIN_ID,
    utxo,
    atomic: (_, id) => utxo(id),
    weights,
    price: BigInt(price),
  }
  const signerOf = new Signers(backend).of(pChain.encodeUnsignedTx(tx.unsignedTx))
  judged('spend', facts, () => {
    try {
      verifyPTx(tx, state, networks[network], { now: BigInt(now), signerOf })
    } catch (error) {
      error.text = error.reason?.replace('failed verifySpend: ', '')
      throw error
    }
  })
  return facts
}

function cTx({ network, signed, prices = [] }) {
  const tx = decoded(cChain.decodeTx, signed)
  const { unsignedTx } = tx
  const gas = cChain.gasOf(unsignedTx)
  const facts = {
    ok: true,
    ...described(cChain, signed, tx),
    gas: String(gas),
    fees: prices.map((baseFee) => ({
      baseFee,
      fee: String(cChain.feeOf(unsignedTx, BigInt(baseFee))),
    })),
    ...(unsignedTx.type === 'ExportTx' && {
      exports: orNull(cChain.exportedUTXOs(tx).map(exported(encodeUTXO))),
    }),
  }
  judged('verify', facts, () => cChain.verifyTx(tx, networks[network]))
  return facts
}

function cSpend({ network, signed, spends, now, price }) {
  const tx = decoded(cChain.decodeTx, signed)
  const bytes = cChain.encodeUnsignedTx(tx.unsignedTx)
  const hash = cChain.hashToSign(bytes)
  const baseFee = BigInt(price)
  const facts = {
    ok: true,
    type: TYPES[tx.unsignedTx.type],
    txID: idText(cChain.txID(tx)),
    gas: String(cChain.gasOf(tx.unsignedTx)),
    fee: String(cChain.feeOf(tx.unsignedTx, baseFee)),
  }
  const utxo = stored(spends)
  const state = {
    atomic: (_, id) => utxo(id),
    account: () => ({ nonce: 0n, balance: 0n }),
    baseFee,
  }
  const environment = {
    now: BigInt(now),
    signerOf: new Signers(backend).of(bytes),
    keyOf: (signature, path) => recoverKey(backend, hash, signature, path),
  }
  judged('spend', facts, () => verifyCTx(tx, state, networks[network], environment))
  return facts
}

const feeState = ({ capacity, excess }) => ({
  capacity: String(capacity),
  excess: String(excess),
  price: String(pChain.gasPrice(excess, pChain.DEFAULT_PRICE_CONFIG)),
})

function pFee({ minPrice, conversion, capacity, excess, seconds, gas }) {
  const curve = { minPrice: BigInt(minPrice), excessConversionConstant: BigInt(conversion) }
  const state = { capacity: BigInt(capacity), excess: BigInt(excess) }
  const after = pChain.advanceFeeState(state, BigInt(seconds), pChain.DEFAULT_PRICE_CONFIG)
  const consumed = pChain.consumeGas(after, BigInt(gas))
  return {
    ok: true,
    price: String(pChain.gasPrice(BigInt(excess), curve)),
    after: feeState(after),
    ...(consumed !== undefined && { consumed: feeState(consumed) }),
  }
}

function cFee({ gas, baseFee }) {
  return { ok: true, fee: String(cChain.feeOfGas(BigInt(gas), BigInt(baseFee))) }
}

export const peerAnswers = {
  'p-tx': pTx,
  'p-utxo': pUTXO,
  'p-spend': pSpend,
  'p-fee': pFee,
  'c-tx': cTx,
  'c-spend': cSpend,
  'c-fee': cFee,
}
