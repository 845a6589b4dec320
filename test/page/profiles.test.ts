import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { parseNetworkProfile } from '../../src/core/chain/network-profile.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import {
  buildTransfer,
  createRequest,
  explainDraft,
  formatRequest,
  signDraft,
} from '../../src/index.ts'
import { loadedNetworks } from '../../src/page/loaded/profiles.ts'
import { loadText } from '../../src/page/read.ts'

const profileText = (name: string) =>
  readFileSync(new URL(`../../networks/${name}.json`, import.meta.url), 'utf8')

const keys = new KeyChain([new Uint8Array(32).fill(7)])
const [owner] = keys.addresses

/** A transfer on a network, from a UTXO that does not exist. */
function draftOn(name: string) {
  const { context } = parseNetworkProfile(profileText(name))
  const owners = { locktime: 0n, threshold: 1, addresses: [owner!] }
  const utxo = {
    txID: new Uint8Array(32).fill(1),
    outputIndex: 0,
    assetID: context.assetID,
    output: { type: 'secp256k1fx.TransferOutput' as const, amount: 5_000_000_000n, ...owners },
  }
  const to = formatAddress({ chain: 'X', hrp: context.hrp, address: owner! })
  return buildTransfer({
    context,
    funds: { utxos: [utxo], owners: [owner!], now: 1_800_000_000n },
    outputs: [{ to, amount: 1_000_000_000n }],
    changeTo: owner!,
  })
}

describe('network profiles in the page', () => {
  it('let it read requests of their network', () => {
    const request = formatRequest(createRequest(draftOn('flare')))
    expect(loadText(request).error).toMatchObject({ code: 'REQUEST_NETWORK' })
    expect(loadText(profileText('flare')).found).toMatchObject({
      kind: 'networkProfile',
      profile: { context: { name: 'flare', networkID: 14 } },
    })
    const { found } = loadText(request)
    expect(found?.kind === 'request' && found.request.context.hrp).toBe('flare')
    const coston = formatRequest(createRequest(draftOn('coston')))
    expect(loadText(coston).error).toMatchObject({ code: 'REQUEST_NETWORK' })
  })

  it('that are invalid are refused', () => {
    const text = profileText('coston2').replace('"costwo"', '"mainnet"')
    expect(loadText(text).error).toMatchObject({ code: 'ENC_INVALID' })
  })

  it.each(['name', 'networkID', 'hrp', 'chainID', 'assetID', 'txFee', 'createAssetTxFee'])(
    'without %s are refused with its name',
    (member) => {
      const { [member]: _, ...rest } = JSON.parse(profileText('coston'))
      expect(loadText(JSON.stringify(rest)).error).toMatchObject({
        code: 'MISSING_OPTION',
        path: member,
      })
    },
  )

  it('are refused if a loaded one has the same name or prefix and another X-Chain', () => {
    const other = {
      ...JSON.parse(profileText('coston2')),
      chainID: formatID(new Uint8Array(32).fill(9)),
    }
    const load = (changes: object) => loadText(JSON.stringify({ ...other, ...changes }))
    expect(loadText(profileText('coston2')).error).toBeUndefined()
    expect(load({ name: 'other' }).error).toMatchObject({ code: 'ENC_INVALID' })
    expect(load({ hrp: 'other' }).error).toMatchObject({ code: 'ENC_INVALID' })
    expect(load({ hrp: 'other', name: 'other' }).error).toBeUndefined()
    // The same X-Chain replaces its profile, but not by the name of another one.
    expect(loadText(profileText('coston2')).error).toBeUndefined()
    expect(load({ name: 'other', hrp: 'costwo' }).error).toMatchObject({ code: 'ENC_INVALID' })
    expect(loadedNetworks().filter(({ hrp }) => hrp === 'costwo')).toHaveLength(1)
  })

  it('can share the prefix custom, which all networks without a name have', () => {
    const load = (networkID: number) =>
      loadText(
        JSON.stringify({
          ...JSON.parse(profileText('coston2')),
          name: `network-${networkID}`,
          networkID,
          hrp: 'custom',
          chainID: formatID(new Uint8Array(32).fill(networkID % 256)),
        }),
      )
    expect(load(1337).error).toBeUndefined()
    expect(load(1338).error).toBeUndefined()
  })
})

describe('a transaction of a network with the network ID of Fuji', () => {
  it('is signed like that of any other network', () => {
    const draft = draftOn('songbird')
    const codes = explainDraft(draft).warnings.map(({ code }) => code)
    expect(codes).toEqual(explainDraft(draftOn('flare')).warnings.map(({ code }) => code))
    expect(signDraft(draft, keys).complete).toBe(true)
  })
})
