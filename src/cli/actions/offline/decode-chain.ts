import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import { genesisTx } from '../../../core/chain/x/genesis.ts'
import { blockID, blockTxIDs, hashToSign, txID, utxoID } from '../../../core/chain/x/ids.ts'
import { blockToJSON, txToJSON, utxoToJSON } from '../../../core/chain/x/json.ts'
import { encodeTx } from '../../../core/chain/x/tx.ts'
import { encodeUTXO } from '../../../core/chain/x/utxo.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import type { Detected } from '../../../inspect/detect.ts'
import { type NamedNetwork, networkByID } from '../../../inspect/networks.ts'
import { addressText, nameOfID } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import { explanationText } from '../../terminal/explanation-text.ts'
import type { Paint } from '../../terminal/paint.ts'
import { jsonText } from '../../terminal/plain.ts'
import { details, table, timeText } from '../../terminal/print.ts'

/** Shows a signed transaction. */
export function showTx({ form, tx }: Detected & { kind: 'tx' }, paint: Paint): Result {
  const bytes = encodeTx(tx)
  const id = formatID(txID(bytes))
  const { context, ...known } = networkByID(tx.unsignedTx.networkID)
  const json = txToJSON(tx, { ...known, chainAlias: 'X' })
  const head = details(
    [
      ['kind', `transaction, ${tx.unsignedTx.type}`],
      ['txID', id],
      ['form', form],
      ['size', `${bytes.length} bytes`],
    ],
    paint,
  )
  const body =
    context === undefined ? jsonText(json) : explanationText(explainTx(tx, { context }), paint)
  return {
    json: { kind: 'tx', form, txID: id, size: bytes.length, tx: json },
    text: `${head}\n\n${body}`,
  }
}

/** Shows an unsigned transaction. */
export function showUnsigned(
  { form, tx }: Detected & { kind: 'unsignedTx' },
  paint: Paint,
): Result {
  const { context, ...known } = networkByID(tx.networkID)
  const shown = txToJSON({ unsignedTx: tx, credentials: [] }, { ...known, chainAlias: 'X' })
  const { unsignedTx } = shown as { readonly unsignedTx: unknown }
  const hash = hex.encode(hashToSign(tx))
  const head = details(
    [
      ['kind', `unsigned transaction, ${tx.type}`],
      ['hash', hash],
      ['form', form],
    ],
    paint,
  )
  const body =
    context === undefined
      ? jsonText(unsignedTx)
      : explanationText(explainTx({ unsignedTx: tx, credentials: [] }, { context }), paint)
  return { json: { kind: 'unsignedTx', form, hash, unsignedTx }, text: `${head}\n\n${body}` }
}

/** Shows a UTXO. */
export function showUTXO(
  { form, utxo }: Detected & { kind: 'utxo' },
  network: NamedNetwork,
  paint: Paint,
): Result {
  const name = formatUTXOID(utxo)
  const id = formatID(utxoID(utxo.txID, utxo.outputIndex))
  const { output } = utxo
  const json = utxoToJSON(utxo, { hrp: network.hrp, chainAlias: 'X' })
  const text = details(
    [
      ['kind', `UTXO, ${output.type}`],
      ['name', name],
      ['utxoID', id],
      ['asset', nameOfID(utxo.assetID)],
      ['amount', 'amount' in output ? `${output.amount} units` : undefined],
      ['group', 'groupID' in output ? output.groupID : undefined],
      ['payload', 'payload' in output ? `0x${hex.encode(output.payload)}` : undefined],
      [
        'owners',
        `${output.threshold} of ${output.addresses.map((a) => addressText(a, network)).join(', ')}`,
      ],
      ['locked', output.locktime === 0n ? undefined : `until ${timeText(output.locktime)}`],
      ['form', form],
      ['size', `${encodeUTXO(utxo).length} bytes`],
    ],
    paint,
  )
  return { json: { kind: 'utxo', form, name, utxoID: id, type: output.type, utxo: json }, text }
}

/** Shows a block. */
export function showBlock(
  { form, block }: Detected & { kind: 'block' },
  network: NamedNetwork,
  paint: Paint,
): Result {
  const id = formatID(blockID(block))
  const [first] = block.txs
  const { hrp } = first === undefined ? network : networkByID(first.unsignedTx.networkID)
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
