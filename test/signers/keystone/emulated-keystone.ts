import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import {
  accountFromMnemonic,
  type HDAccount,
  type HDPosition,
} from '../../../src/core/crypto/hd/index.ts'
import type { AddressPath } from '../../../src/core/sign/signer.ts'
import { decodeSignRequest, encodeSignature } from '../../../src/signers/keystone/avax.ts'
import { encodeUR, URCollector } from '../../../src/signers/keystone/ur.ts'

const WORDS =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'

/** Fingerprint of the master key of these words, as BIP-32 defines it. */
export const FINGERPRINT = 0x73c5da0a

/** A device that reads QR codes as the firmware does: one signature for each path, of account 0 only. */
export class EmulatedKeystone {
  readonly account: HDAccount = accountFromMnemonic(WORDS)
  /** The keys of the C-Chain. */
  readonly evm: HDAccount = accountFromMnemonic(WORDS, { coinType: 60 })
  /** The transactions that it has shown. */
  readonly shown: Uint8Array[] = []

  /** The frames of the answer to frames of a request, of which every second one is missed. */
  answer(frames: readonly string[]): string[] {
    const collector = new URCollector()
    let request: ReturnType<typeof decodeSignRequest> | undefined
    for (const frame of [...frames.filter((_, i) => i % 2 === 1), ...frames]) {
      const ur = collector.add(frame)
      if (ur === undefined) continue
      request = decodeSignRequest(ur)
      break
    }
    if (request === undefined) throw new Error('the device has not read all QR codes')
    const { id, fingerprint, unsignedBytes, paths } = request
    if (fingerprint !== FINGERPRINT) throw new Error('the request is for another device')
    this.shown.push(unsignedBytes)
    const hash = sha256(unsignedBytes)
    const signatures = paths.map((path) => {
      const [, coin, change, index] = /^m\/44'\/(60|9000)'\/0'\/([01])\/(\d+)$/
        .exec(path)!
        .map(Number)
      const position = { change: change as 0 | 1, index: index! }
      const { [coin === 60 ? 'evm' : 'account']: hd } = this
      return hd.keyChain([position]).sign(hd.watch.address(position), hash)
    })
    return encodeUR(encodeSignature({ id, signatures }))
  }

  pathOf(position: HDPosition, { watch }: HDAccount = this.account): AddressPath {
    return { address: watch.address(position), path: watch.path(position) }
  }
}
