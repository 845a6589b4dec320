import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { parseNetworkProfile } from '../../src/core/chain/network-profile.ts'
import { KeyChain } from '../../src/core/crypto/keychain.ts'
import {
  buildTransfer,
  createRequest,
  explainDraft,
  formatRequest,
  signDraft,
} from '../../src/index.ts'
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
})

describe('a transaction of a network with the network ID of Fuji', () => {
  it('carries a danger that must be accepted', () => {
    const draft = draftOn('songbird')
    const codes = explainDraft(draft).warnings.map(({ code }) => code)
    expect(codes).toContain('WRONG_CHAIN')
    expect(explainDraft(draftOn('flare')).warnings.map(({ code }) => code)).not.toContain(
      'WRONG_CHAIN',
    )
    expect(() => signDraft(draft, keys)).toThrow(/which is not the X-Chain/)
    expect(signDraft(draft, keys, { accept: ['WRONG_CHAIN'] }).complete).toBe(true)
  })
})
