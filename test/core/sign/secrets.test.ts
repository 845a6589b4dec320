import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { formatPrivateKey } from '../../../src/core/base/encoding/ids.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { accountFromMnemonic } from '../../../src/core/crypto/hd/index.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import * as sign from '../../../src/index.ts'
import { coins, owners, proven, transfer, trusting } from './fixtures.ts'

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const position = { change: 0, index: 4 }
const account = accountFromMnemonic(mnemonic)
const secret = account.privateKey(position)
const keys = account.keyChain([position])
const { accept } = { accept: ['UNUSED_KEY', 'KEY_NOT_A_SIGNER'] as const }

/** The encodings in which the key or the mnemonic could appear. */
const needles = [
  hex.encode(secret),
  formatPrivateKey(secret).slice('PrivateKey-'.length),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  BigInt(`0x${hex.encode(secret)}`).toString(),
  secret.join(','),
  secret.join(', '),
  [...secret].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
  'sausage',
].map((text) => text.toLowerCase())

const seen: unknown[] = []
const record = (...values: readonly unknown[]) => {
  seen.push(...values)
  return true
}

function findings(values: readonly unknown[]): string[] {
  const text = values
    .flatMap((value) => [
      typeof value === 'string' ? value : '',
      inspect(value, { depth: 20, showHidden: true, maxArrayLength: null, breakLength: Infinity }),
      value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : '',
    ])
    .join('\n')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
  return needles.filter((needle) => text.includes(needle))
}

/** Records what a call returns or throws. */
async function watch(run: () => unknown): Promise<void> {
  try {
    record(await run())
  } catch (error) {
    record(error)
  }
}

describe('signing', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    seen.length = 0
  })

  it('is caught by this test if it shows a key', () => {
    expect(findings([{ nested: { secret } }])).not.toEqual([])
    expect(findings([new Error(`bad key ${hex.encode(secret)}`)])).not.toEqual([])
    expect(findings([new Error('x', { cause: { secret } })])).not.toEqual([])
    expect(findings([mnemonic])).toEqual(['sausage'])
  })

  it('prints nothing, and returns and throws no secret', async () => {
    const printed = [
      vi.spyOn(process.stdout, 'write').mockImplementation(record),
      vi.spyOn(process.stderr, 'write').mockImplementation(record),
      ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
        vi.spyOn(console, name).mockImplementation(record),
      ),
    ]
    const own = { locktime: 0n, threshold: 1, addresses: [keys.addresses[0]!] }
    const draft = transfer(coins(own))
    const shared = transfer(coins(own, owners(2, 0, 1)))
    const burning = transfer(coins(own), { outputs: [] })
    const signer = sign.hdSigner(account, [position])
    const request = proven(shared)
    const wiped = account.keyChain([position])
    wiped.wipe()
    const wrong = new KeyChain([secret])
    const runs: (() => unknown)[] = [
      () => sign.signDraft(draft, keys),
      () => sign.signDraft(shared, keys),
      () => sign.requireSigned(sign.signDraft(shared, keys)),
      () => sign.signDraft(burning, keys),
      () => sign.signDraft(draft, wiped),
      () => sign.signDraft(transfer(coins(owners(1, 0))), wrong),
      () => sign.signDraft(transfer(coins(owners(1, 0))), wrong, { accept }),
      () => sign.signDraft(draft, keys, { network: networks.fuji }),
      // A key where a signature, an address or a text belongs.
      () => sign.signDraft(draft, keys, { signatures: [{ ...keysAs(secret) }] }),
      () => sign.signDraft(draft, keys, { signatures: [{ ...keysAs(secret, own.addresses[0]!) }] }),
      () => sign.signDraftWith(draft, [signer]),
      () => sign.signDraftWith(draft, [sign.keyChainSigner(wiped)]),
      () => sign.signDraftWith(draft, [{ sign: () => secret }]),
      () => sign.signRequest(request, keys, { accept: trusting }),
      () => sign.formatRequest(sign.signRequest(request, keys, { accept: trusting })),
      () => sign.finishRequest(sign.signRequest(request, keys, { accept: trusting })),
      () => sign.addSignature(request, keysAs(secret, own.addresses[0]!)),
      () => sign.parseRequest(formatPrivateKey(secret)),
      () => sign.parseRequest(JSON.stringify({ [formatPrivateKey(secret)]: mnemonic })),
      () => sign.parseRequest(JSON.stringify(mnemonic)),
      () => sign.parseRequest(mnemonic),
      () =>
        sign.parseRequest(
          sign.formatRequest(request).replace(/"0x[0-9a-f]+"/, `"0x${hex.encode(secret)}"`),
        ),
      () => sign.formatExplanation(sign.explainDraft(draft, { ours: keys })),
      () =>
        sign.explainRequest(sign.signRequest(request, keys, { accept: trusting }), { ours: keys }),
      () => [keys, wiped, account, signer.addresses, sign.keyChainSigner(keys)],
    ]
    for (const run of runs) await watch(run)
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
    expect(seen).toHaveLength(runs.length)
    expect(seen.filter((value) => value instanceof Error).length).toBeGreaterThan(10)
    expect(findings(seen)).toEqual([])
  })
})

function keysAs(signature: Uint8Array, address: Uint8Array = signature.subarray(0, 20)) {
  return { address, signature }
}
