import { onTestFinished } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { decodeGenesis } from '../../../src/core/chain/x/genesis.ts'
import { WatchAccount } from '../../../src/core/crypto/hd/index.ts'
import { createDevNode, type DevNode } from '../../../src/devnode/index.ts'
import { ledgerApp } from '../../../src/signers/ledger/index.ts'
import { vectors } from '../../helpers/vectors.ts'
import { EmulatedLedger, type EmulatedOptions } from './emulated-ledger.ts'

export const AVAX = 1_000_000_000n

/** A development node with the chain IDs of Fuji: the app does not know those of the current local C-Chain. */
export async function fujiNode(): Promise<DevNode> {
  const { bytesHex } = vectors<readonly { name: string; bytesHex: string }[]>('genesis.json').find(
    ({ name }) => name.startsWith('fuji'),
  )!
  // One asset of the alias AVAX, and of its transaction what stands between type and credentials.
  const genesis = decodeGenesis(hex.decode(`000000000001000441564158${bytesHex.slice(12, -8)}`))
  const node = await createDevNode({ networkID: 5, genesis, now: 1_700_000_000 })
  onTestFinished(() => node.close())
  return node
}

/** An emulated device and the public part of its first account. */
export async function openedDevice(
  options?: EmulatedOptions,
): Promise<{ readonly device: EmulatedLedger; readonly account: WatchAccount }> {
  const device = new EmulatedLedger(options)
  const account = new WatchAccount(await ledgerApp(device).extendedPublicKey())
  device.exchanges.length = 0
  return { device, account }
}
