import { hex } from '../../../core/base/encoding/hex.ts'
import { WatchAccount } from '../../../core/crypto/hd/index.ts'
import { addressOf, publicKeyOf } from '../../../core/crypto/secp256k1.ts'
import type { Detected } from '../../../inspect/detect.ts'
import type { NamedNetwork } from '../../../inspect/networks.ts'
import { addressText } from '../../../inspect/texts.ts'
import type { Result } from '../../command.ts'
import type { Paint } from '../../terminal/paint.ts'
import { details } from '../../terminal/print.ts'

type DetectedKey = Extract<Detected, { kind: 'publicKey' | 'privateKey' | 'extendedPublicKey' }>

const TITLES: { readonly [Kind in DetectedKey['kind']]: string } = {
  publicKey: 'public key',
  privateKey: 'private key',
  extendedPublicKey: 'extended public key',
}

/** Shows the public key and the address of a key; of an extended public key, the first ones. */
export function showKey(found: DetectedKey, network: NamedNetwork, paint: Paint): Result {
  const { publicKey, path } = publicPart(found)
  const parts = {
    publicKey: hex.encode(publicKey),
    address: addressText(addressOf(publicKey), network),
    path,
  }
  return {
    json: { kind: found.kind, ...parts },
    text: details([['kind', TITLES[found.kind]], ...Object.entries(parts)], paint),
  }
}

function publicPart(found: DetectedKey): { publicKey: Uint8Array; path?: string } {
  if (found.kind === 'publicKey') return { publicKey: found.publicKey }
  if (found.kind === 'privateKey') return { publicKey: publicKeyOf(found.privateKey) }
  const account = new WatchAccount(found.text)
  const first = { change: 0, index: 0 }
  return { publicKey: account.publicKey(first), path: account.path(first) }
}
