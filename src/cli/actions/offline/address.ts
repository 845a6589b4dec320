import { formatAddress } from '../../../core/base/encoding/address.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { WatchAccount } from '../../../core/crypto/hd/index.ts'
import { addressOf } from '../../../core/crypto/secp256k1.ts'
import { detect } from '../../../inspect/detect.ts'
import { InspectError } from '../../../inspect/errors.ts'
import { positionsOf } from '../../../inspect/key-text.ts'
import type { Result } from '../../command.ts'
import { CliError, UsageError } from '../../errors.ts'
import { argumentText } from '../../files/input.ts'
import type { Invocation } from '../../invocation.ts'
import { table } from '../../terminal/print.ts'
import { qrCodes } from '../../terminal/qr.ts'

/** Converts addresses and public keys to addresses of a chain and network. */
export async function convertAddress(invocation: Invocation): Promise<Result> {
  return showAddresses(await argumentText(invocation), invocation)
}

/** The addresses of a text. */
export async function showAddresses(text: string, invocation: Invocation): Promise<Result> {
  const { values, paint } = invocation
  const named = await invocation.namedNetwork()
  const found = detect(text, { network: named })
  if (found.kind === 'shortID' && found.isEVM) throw evmAddress()
  const chain = values.text('chain') ?? (found.kind === 'address' ? found.chain : 'X')
  const hrp = named?.hrp ?? (found.kind === 'address' ? found.hrp : 'avax')
  if (values.has('count') && found.kind !== 'extendedPublicKey')
    throw new UsageError('BAD_VALUE', 'only an xpub… has more than one address for --count')
  const rows = detectedAddresses(found, values.integer('count', 1, 10_000) ?? 1).map((item) => ({
    address: formatAddress({ chain, hrp, address: item.bytes }),
    hex: hex.encode(item.bytes),
    path: item.path,
  }))
  const columns = [{ title: 'address' }, { title: 'hex' }, { title: 'path' }]
  const cells = rows.map((row) => [row.address, row.hex, row.path ?? ''])
  const codes = await qrCodes(
    rows.map((row) => row.address),
    invocation,
  )
  return { json: { addresses: rows }, text: [table(columns, cells, paint), ...codes].join('\n\n') }
}

function detectedAddresses(
  found: ReturnType<typeof detect>,
  count: number,
): { readonly bytes: Uint8Array; readonly path?: string }[] {
  if (found.kind === 'address') return [{ bytes: found.address }]
  if (found.kind === 'shortID') return [{ bytes: found.bytes }]
  if (found.kind === 'publicKey') return [{ bytes: addressOf(found.publicKey) }]
  if (found.kind === 'extendedPublicKey') {
    const account = new WatchAccount(found.text)
    return positionsOf(count).map((position) => ({
      bytes: account.address(position),
      path: account.path(position),
    }))
  }
  throw new InspectError(
    'NOT_RECOGNIZED',
    `expected an address or a public key, found ${found.kind}`,
    {
      hint: 'avmkit keys show gives the addresses of private keys',
    },
  )
}

/** EVM addresses are derived from public keys with another hash: as an X-address, nobody could spend from them. */
function evmAddress(): CliError {
  return new CliError('EVM_ADDRESS', '0x and 20 bytes are an EVM address, which has no X-address', {
    hint: 'pass the 20 bytes of an X-address without 0x',
  })
}
