import { formatAddress } from '../../../core/base/encoding/address.ts'
import { cb58 } from '../../../core/base/encoding/cb58.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { formatID, formatNodeID } from '../../../core/base/encoding/ids.ts'
import { utxoID } from '../../../core/chain/x/ids.ts'
import type { Detected } from '../../../inspect/detect.ts'
import type { NamedNetwork } from '../../../inspect/networks.ts'
import { addressText, knownNames } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import type { Paint } from '../../terminal/paint.ts'
import { details } from '../../terminal/print.ts'

type Name = Extract<Detected, { kind: 'id' | 'shortID' | 'nodeID' | 'utxoName' | 'address' }>

/** Shows an ID, an address or a name. */
export function showName(found: Name, network: NamedNetwork, paint: Paint): Result {
  switch (found.kind) {
    case 'id': {
      const id = formatID(found.id)
      const knownAs = knownNames(found.id)
      const rows = [
        ['kind', 'ID'],
        ['cb58', id],
        ['hex', hex.encode(found.id)],
        ['known as', knownAs.length === 0 ? undefined : knownAs.join(', ')],
      ] as const
      return {
        json: { kind: 'id', id, hex: hex.encode(found.id), knownAs },
        text: details(rows, paint),
      }
    }
    case 'utxoName': {
      const id = formatID(utxoID(found.txID, found.outputIndex))
      const { txID, outputIndex, path } = found
      const parts = { txID: formatID(txID), outputIndex, utxoID: id, ...(path && { path }) }
      const rows = [['kind', 'name of a UTXO'], ...Object.entries(parts)] as const
      return { json: { kind: 'utxoName', ...parts }, text: details(rows, paint) }
    }
    case 'nodeID': {
      const parts = { nodeID: formatNodeID(found.nodeID), hex: hex.encode(found.nodeID) }
      const rows = [['kind', 'node ID'], ...Object.entries(parts)] as const
      return { json: { kind: 'nodeID', ...parts }, text: details(rows, paint) }
    }
    case 'shortID': {
      const parts = {
        cb58: cb58.encode(found.bytes),
        hex: hex.encode(found.bytes),
        // Nobody could spend from the X-address with the 20 bytes of an EVM address.
        ...(found.isEVM ? {} : { address: addressText(found.bytes, network) }),
        nodeID: formatNodeID(found.bytes),
      }
      const rows = [
        [
          'kind',
          found.isEVM
            ? '20 bytes with 0x: an EVM address, which has no X-address, or a node ID'
            : '20 bytes: an address or a node ID',
        ],
        ...Object.entries(parts),
      ] as const
      return { json: { kind: 'shortID', ...parts }, text: details(rows, paint) }
    }
    case 'address': {
      const { chain, hrp, address } = found
      const parts = {
        address: formatAddress({ chain, hrp, address }),
        chain,
        hrp,
        hex: hex.encode(address),
      }
      const rows = [['kind', 'address'], ...Object.entries(parts)] as const
      return { json: { kind: 'address', ...parts }, text: details(rows, paint) }
    }
  }
}
