import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import { sha256 } from '../../../core/base/hash/sha256.ts'
import { txToJSON as cTxToJSON } from '../../../core/chain/c/json.ts'
import * as cChain from '../../../core/chain/c/tx.ts'
import type { ChainAlias } from '../../../core/chain/chain-types.ts'
import { txToJSON as pTxToJSON, utxoToJSON as pUTXOToJSON } from '../../../core/chain/p/json.ts'
import * as pChain from '../../../core/chain/p/tx.ts'
import { encodeUTXO as encodePUTXO } from '../../../core/chain/p/utxo.ts'
import { genesisTx } from '../../../core/chain/x/genesis.ts'
import { blockID, blockTxIDs, txID, utxoID } from '../../../core/chain/x/ids.ts'
import { blockToJSON, txToJSON, utxoToJSON } from '../../../core/chain/x/json.ts'
import { encodeTx, encodeUnsignedTx } from '../../../core/chain/x/tx.ts'
import { encodeUTXO } from '../../../core/chain/x/utxo.ts'
import type { Json } from '../../../core/codec/json.ts'
import type { Detected } from '../../../inspect/detect.ts'
import { type DetectedTx, explainDetected, unsignedTxOf } from '../../../inspect/explain.ts'
import { type NamedNetwork, networkOfTx } from '../../../inspect/networks.ts'
import { addressText, nameOfID } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { jsonText } from '../../terminal/plain.ts'
import { details, table, timeText } from '../../terminal/print.ts'

/** The bytes and JSON of a transaction, and its chain. */
type ShownTx = {
  readonly chain: ChainAlias
  readonly type: string
  readonly bytes: Uint8Array
  readonly json: Json
}

/** Shows a transaction of any chain, signed or not. */
export function showTx(found: DetectedTx, network: NamedNetwork, paint: Paint): Result {
  const { kind, form } = found
  const { context, hrp, name } = networkOfTx(unsignedTxOf(found), network)
  const { chain, type, bytes, json } = shownTx(found, hrp)
  const isSigned = 'unsignedTx' in found.tx
  const hash = sha256(bytes)
  const rows = isSigned
    ? ([['txID', formatID(hash)]] as const)
    : ([['hash', hex.encode(hash)]] as const)
  const head = details(
    [
      ['kind', `${isSigned ? '' : 'unsigned '}transaction of the ${chain}-Chain, ${type}`],
      ['network', name],
      ...rows,
      ['form', form],
      ['size', isSigned ? `${bytes.length} bytes` : undefined],
    ],
    paint,
  )
  const shown = isSigned ? json : (json as { readonly unsignedTx: Json }).unsignedTx
  const body =
    context === undefined
      ? jsonText(shown)
      : explanationText(explainDetected(found, { context }), paint)
  return {
    json: isSigned
      ? { kind, form, txID: formatID(hash), size: bytes.length, tx: shown }
      : { kind, form, hash: hex.encode(hash), unsignedTx: shown },
    text: `${head}\n\n${body}`,
  }
}

function shownTx(found: DetectedTx, hrp: string): ShownTx {
  switch (found.kind) {
    case 'tx': {
      const json = txToJSON(found.tx, { hrp, chainAlias: 'X' })
      return { chain: 'X', type: found.tx.unsignedTx.type, bytes: encodeTx(found.tx), json }
    }
    case 'unsignedTx': {
      const json = txToJSON({ unsignedTx: found.tx, credentials: [] }, { hrp, chainAlias: 'X' })
      return { chain: 'X', type: found.tx.type, bytes: encodeUnsignedTx(found.tx), json }
    }
    case 'pTx': {
      const json = pTxToJSON(found.tx, { hrp })
      return { chain: 'P', type: found.tx.unsignedTx.type, bytes: pChain.encodeTx(found.tx), json }
    }
    case 'pUnsignedTx': {
      const json = pTxToJSON({ unsignedTx: found.tx, credentials: [] }, { hrp })
      return { chain: 'P', type: found.tx.type, bytes: pChain.encodeUnsignedTx(found.tx), json }
    }
    case 'cTx': {
      const json = cTxToJSON(found.tx, { hrp })
      return { chain: 'C', type: found.tx.unsignedTx.type, bytes: cChain.encodeTx(found.tx), json }
    }
    case 'cUnsignedTx': {
      const json = cTxToJSON({ unsignedTx: found.tx, credentials: [] }, { hrp })
      return { chain: 'C', type: found.tx.type, bytes: cChain.encodeUnsignedTx(found.tx), json }
    }
  }
}

/** Shows a UTXO of the X- or P-Chain. */
export function showUTXO(
  found: Extract<Detected, { kind: 'utxo' | 'pUTXO' }>,
  network: NamedNetwork,
  paint: Paint,
): Result {
  const { kind, form, utxo } = found
  const chain = kind === 'utxo' ? 'X' : 'P'
  const json =
    kind === 'utxo'
      ? utxoToJSON(found.utxo, { hrp: network.hrp, chainAlias: 'X' })
      : pUTXOToJSON(found.utxo, { hrp: network.hrp })
  const size = kind === 'utxo' ? encodeUTXO(found.utxo) : encodePUTXO(found.utxo)
  const name = formatUTXOID(utxo)
  const id = formatID(utxoID(utxo.txID, utxo.outputIndex))
  const { output: created } = utxo
  const { type } = created
  const isLocked = created.type === 'stakeable.LockOut'
  const output = isLocked ? created.output : created
  const owner = (address: Uint8Array) => addressText(address, { ...network, chainAlias: chain })
  const text = details(
    [
      ['kind', `UTXO of the ${chain}-Chain, ${type}`],
      ['name', name],
      ['utxoID', id],
      ['asset', nameOfID(utxo.assetID)],
      ['amount', 'amount' in output ? `${output.amount} units` : undefined],
      ['group', 'groupID' in output ? output.groupID : undefined],
      ['payload', 'payload' in output ? `0x${hex.encode(output.payload)}` : undefined],
      ['owners', `${output.threshold} of ${output.addresses.map(owner).join(', ')}`],
      ['locked', output.locktime === 0n ? undefined : `until ${timeText(output.locktime)}`],
      ['stakeable only', isLocked ? `until ${timeText(created.locktime)}` : undefined],
      ['form', form],
      ['size', `${size.length} bytes`],
    ],
    paint,
  )
  return { json: { kind, form, name, utxoID: id, type, utxo: json }, text }
}

/** Shows a block. */
export function showBlock(
  { form, block }: Detected & { kind: 'block' },
  network: NamedNetwork,
  paint: Paint,
): Result {
  const id = formatID(blockID(block))
  const [first] = block.txs
  const { hrp } = first === undefined ? network : networkOfTx(first.unsignedTx, network)
  const txIDs = blockTxIDs(block).map(formatID)
  const head = details(
    [
      ['kind', 'block'],
      ['blockID', id],
      ['parentID', formatID(block.parentID)],
      ['height', block.height],
      ['time', timeText(block.time)],
      ['form', form],
      ['transactions', block.txs.length],
    ],
    paint,
  )
  const rows = block.txs.map((tx, i) => [txIDs[i]!, tx.unsignedTx.type])
  const list = table([{ title: 'txID' }, { title: 'type' }], rows, paint)
  return {
    json: {
      kind: 'block',
      form,
      blockID: id,
      txIDs,
      block: blockToJSON(block, { hrp, chainAlias: 'X' }),
    },
    text: rows.length === 0 ? head : `${head}\n\n${list}`,
  }
}

/** Shows the genesis data of a chain. */
export function showGenesis(
  { form, genesis }: Detected & { kind: 'genesis' },
  paint: Paint,
): Result {
  const assets = genesis.assets.map((asset) => ({
    assetID: formatID(txID(genesisTx(asset))),
    alias: asset.alias,
    name: asset.tx.name,
    symbol: asset.tx.symbol,
    denomination: asset.tx.denomination,
  }))
  const head = details(
    [
      ['kind', 'genesis data'],
      ['form', form],
      ['assets', assets.length],
    ],
    paint,
  )
  const rows = assets.map((asset) => [asset.assetID, asset.alias, asset.name, asset.symbol])
  const titles = ['assetID', 'alias', 'name', 'symbol'].map((title) => ({ title }))
  return {
    json: { kind: 'genesis', form, assets },
    text: `${head}\n\n${table(titles, rows, paint)}`,
  }
}
