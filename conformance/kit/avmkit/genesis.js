import { encodeTx, hex, txID } from 'avmkit'
import { buildGenesis, decodeGenesis, encodeGenesis, genesisTx } from 'avmkit/codec'
import { decodeBech32 } from '../../../dist/core/base/encoding/bech32.js'
import { bytesOf, idText, isSame } from './bytes.js'

// The genesis of a chain: made from a definition, and read from bytes.

const addressBytes = (text) => decodeBech32(text).bytes

function assetsOf({ assets }) {
  return assets.map((asset) => ({
    // JSON has no bytes that are not UTF-8: the node prints a replacement character for each.
    alias: asset.alias.toWellFormed(),
    assetID: idText(txID(genesisTx(asset))),
    txBytes: hex.encode(encodeTx(genesisTx(asset))),
  }))
}

function genesis({ network, definition }) {
  const built = buildGenesis(
    network,
    definition.map(({ fixedCap, variableCap, memo, ...rest }) => ({
      ...rest,
      memo: hex.decode(memo),
      holders: (fixedCap ?? []).map(({ amount, address }) => ({
        amount: BigInt(amount),
        address: addressBytes(address),
      })),
      minters: (variableCap ?? []).map(({ minters }) => minters.map(addressBytes)),
    })),
  )
  return { ok: true, bytes: hex.encode(encodeGenesis(built)), assets: assetsOf(built) }
}

function genesisBytes(item) {
  const bytes = bytesOf(item)
  const decoded = decodeGenesis(bytes)
  return { ok: true, assets: assetsOf(decoded), reencode: isSame(encodeGenesis(decoded), bytes) }
}

export const genesisAnswers = { genesis, 'genesis-bytes': genesisBytes }
