import { argument, type Check, capability, iterable, memberOf } from '../base/argument.ts'
import { hex } from '../base/encoding/hex.ts'
import type { BackendOption } from '../crypto/backend.ts'
import { backendOptions, keysArgument } from './arguments.ts'
import type { HDKeys, Keys, Signer } from './signer.ts'

function hdKeys<Position>(): Check<HDKeys<Position>> {
  return (value, at) => {
    const account = capability<HDKeys<Position>>('an HDAccount', 'keyChain')(value, at)
    capability('a WatchAccount', 'address', 'path')(account.watch, memberOf(at, 'watch'))
    return account
  }
}

/** A position on the paths of an account. `account.watch` checks it. */
function position<Position>(): Check<Position> {
  return (value) => value as Position
}

/** Makes a signer from keys in memory. */
export function keyChainSigner(given: Keys, options: BackendOption = {}): Signer {
  const keys = argument('keyChainSigner', given, keysArgument, 'keys')
  const { backend } = argument('keyChainSigner', options, backendOptions)
  return {
    addresses: keys.addresses,
    sign: ({ address, hash, extraEntropy }) =>
      keys.has(address) ? keys.sign(address, hash, extraEntropy, backend) : undefined,
  }
}

/**
 * Makes a signer from an HD account. Each private key exists in memory only while it signs.
 *
 * @example
 * const signer = hdSigner(accountFromMnemonic(words), [{ change: 0, index: 0 }])
 */
export function hdSigner<Position>(
  given: HDKeys<Position>,
  positions: Iterable<Position>,
  options: BackendOption = {},
): Signer {
  const account = argument('hdSigner', given, hdKeys<Position>(), 'account')
  const { backend } = argument('hdSigner', options, backendOptions)
  const known = argument('hdSigner', positions, iterable(position<Position>()), 'positions').map(
    (position) => ({
      position,
      address: account.watch.address(position),
      path: account.watch.path(position),
    }),
  )
  const byAddress = new Map(known.map(({ position, address }) => [hex.encode(address), position]))
  return {
    addresses: known.map(({ address }) => address),
    paths: known.map(({ address, path }) => ({ address, path })),
    sign({ address, hash, extraEntropy }) {
      const position = byAddress.get(hex.encode(address))
      if (position === undefined) return undefined
      const keys = account.keyChain([position])
      try {
        return keys.sign(address, hash, extraEntropy, backend)
      } finally {
        keys.wipe()
      }
    },
  }
}
