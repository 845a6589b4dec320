import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatUTXOID } from '../../../core/base/encoding/ids.ts'
import { sha256 } from '../../../core/base/hash/sha256.ts'
import { txToJSON as cTxToJSON } from '../../../core/chain/c/json.ts'
import * as cChain from '../../../core/chain/c/tx.ts'
import { txToJSON as pTxToJSON, utxoToJSON } from '../../../core/chain/p/json.ts'
import * as pChain from '../../../core/chain/p/tx.ts'
import { encodeUTXO } from '../../../core/chain/p/utxo.ts'
import { utxoID } from '../../../core/chain/x/ids.ts'
import type { Detected } from '../../../inspect/detect.ts'
import { type NamedNetwork, networkByID } from '../../../inspect/networks.ts'
import { addressText, nameOfID } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import type { Paint } from '../../terminal/paint.ts'
import { jsonText } from '../../terminal/plain.ts'
import { details, timeText } from '../../terminal/print.ts'

/** A transaction or UTXO of the P- or C-Chain. */
export type OtherChainData = Extract<
  Detected,
  { kind: 'pTx' | 'pUnsignedTx' | 'pUTXO' | 'cTx' | 'cUnsignedTx' }
>

/** Shows a transaction or UTXO of the P- or C-Chain. */
export function showOtherChainData(
  found: OtherChainData,
  network: NamedNetwork,
  paint: Paint,
): Result {
  switch (found.kind) {
    case 'pUTXO':
      return showUTXO(found, network, paint)
    case 'pTx':
      return showTx(
        found,
        'P',
        pChain.encodeTx(found.tx),
        pTxToJSON(found.tx, networkOfTx(found.tx)),
        paint,
      )
    case 'cTx':
      return showTx(
        found,
        'C',
        cChain.encodeTx(found.tx),
        cTxToJSON(found.tx, networkOfTx(found.tx)),
        paint,
      )
    case 'pUnsignedTx': {
      const tx = { unsignedTx: found.tx, credentials: [] }
      const bytes = pChain.encodeUnsignedTx(found.tx)
      return showUnsigned(found, 'P', bytes, pTxToJSON(tx, networkOfTx(tx)), paint)
    }
    case 'cUnsignedTx': {
      const tx = { unsignedTx: found.tx, credentials: [] }
      const bytes = cChain.encodeUnsignedTx(found.tx)
      return showUnsigned(found, 'C', bytes, cTxToJSON(tx, networkOfTx(tx)), paint)
    }
  }
}

function networkOfTx(tx: pChain.SignedTx | cChain.SignedTx): NamedNetwork {
  return networkByID(tx.unsignedTx.networkID)
}

function showTx(
  { kind, form, tx }: Extract<OtherChainData, { kind: 'pTx' | 'cTx' }>,
  chain: 'P' | 'C',
  bytes: Uint8Array,
  json: unknown,
  paint: Paint,
): Result {
  const txID = formatID(sha256(bytes))
  const head = details(
    [
      ['kind', `transaction of the ${chain}-Chain, ${tx.unsignedTx.type}`],
      ['network', networkOfTx(tx).name],
      ['txID', txID],
      ['form', form],
      ['size', `${bytes.length} bytes`],
    ],
    paint,
  )
  return {
    json: { kind, form, txID, size: bytes.length, tx: json },
    text: `${head}\n\n${jsonText(json)}`,
  }
}

function showUnsigned(
  { kind, form, tx }: Extract<OtherChainData, { kind: 'pUnsignedTx' | 'cUnsignedTx' }>,
  chain: 'P' | 'C',
  bytes: Uint8Array,
  json: unknown,
  paint: Paint,
): Result {
  const { unsignedTx } = json as { readonly unsignedTx: unknown }
  const hash = hex.encode(sha256(bytes))
  const head = details(
    [
      ['kind', `unsigned transaction of the ${chain}-Chain, ${tx.type}`],
      ['network', networkByID(tx.networkID).name],
      ['hash', hash],
      ['form', form],
    ],
    paint,
  )
  return {
    json: { kind, form, hash, unsignedTx },
    text: `${head}\n\n${jsonText(unsignedTx)}`,
  }
}

function showUTXO(
  { kind, form, utxo }: Extract<OtherChainData, { kind: 'pUTXO' }>,
  network: NamedNetwork,
  paint: Paint,
): Result {
  const name = formatUTXOID(utxo)
  const id = formatID(utxoID(utxo.txID, utxo.outputIndex))
  const { output } = utxo
  const inner = output.type === 'stakeable.LockOut' ? output.output : output
  const owner = (address: Uint8Array) => addressText(address, { ...network, chainAlias: 'P' })
  const text = details(
    [
      ['kind', `UTXO of the P-Chain, ${output.type}`],
      ['name', name],
      ['utxoID', id],
      ['asset', nameOfID(utxo.assetID)],
      ['amount', `${inner.amount} units`],
      ['owners', `${inner.threshold} of ${inner.addresses.map(owner).join(', ')}`],
      ['locked', inner.locktime === 0n ? undefined : `until ${timeText(inner.locktime)}`],
      [
        'stakeable only',
        output.type === 'stakeable.LockOut' ? `until ${timeText(output.locktime)}` : undefined,
      ],
      ['form', form],
      ['size', `${encodeUTXO(utxo).length} bytes`],
    ],
    paint,
  )
  const json = utxoToJSON(utxo, network)
  return { json: { kind, form, name, utxoID: id, type: output.type, utxo: json }, text }
}
