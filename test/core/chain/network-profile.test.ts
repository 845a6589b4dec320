import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { parseNetworkProfile } from '../../../src/core/chain/network-profile.ts'
import { buildGenesis, networkOfGenesis } from '../../../src/core/chain/x/genesis.ts'
import { codeOf } from '../../helpers/vectors.ts'

const folder = new URL('../../../networks/', import.meta.url)
const files = readdirSync(folder)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
const flare = JSON.parse(read('flare.json')) as { [name: string]: unknown }
const parse = (changes: object) => parseNetworkProfile(JSON.stringify({ ...flare, ...changes }))

describe('network profiles', () => {
  it('are shipped for Flare and its test networks', () => {
    expect(files).toEqual(['coston.json', 'coston2.json', 'flare.json', 'songbird.json'])
  })

  // avalanchego/genesis/genesis_test.go of flare-foundation/go-flare, commit 53f8b033.
  it.each([
    [
      'flare.json',
      'fK5e6T3EniMqagBkxXjAug9EbhFDZbEzPPr4f22uwMoP5i2cJ',
      'umkbhSrjVw5nUvy1eo25AdrjRkPBdtzAMewuxA2rqEx4YMo4c',
      '2MxKSeEWXViLdYyDhW1SQ46AECZEbE2bnVRZptv42JrxqyUX5k',
    ],
    [
      'songbird.json',
      '7xKYhEvYuUekwDxozgEiMPufzJ3jJPypKbGE8ny6KL84z4RKB',
      'erCt5pSo5d4bM8fMrsB2dRM54PGssDAVqRg1jHedQzr6ayLiq',
      '1S3PSi4VsVpD8iK2vdykuajxVeuCV2xhjPSkQ4K88mqWGozMP',
    ],
    [
      'coston2.json',
      'FJuSwZuP85eyBpuBrKECnpPedGyXoDy2hP9q4JD8qBTZGxYbJ',
      'vE8M98mEQH6wk56sStD1ML8HApTgSqfJZLk9gQ3Fsd4i6m3Bi',
      undefined,
    ],
  ])('%s has the IDs that the tests of the network expect', (file, x, c, asset) => {
    const { context } = parseNetworkProfile(read(file))
    expect([formatID(context.chainID), formatID(context.chains.C!)]).toEqual([x, c])
    if (asset !== undefined) expect(formatID(context.assetID)).toBe(asset)
  })

  // None of them has allocations on the X-Chain, so its genesis is known completely.
  it.each(files)('%s has the IDs of its genesis', (file) => {
    const { context, publicURLs } = parseNetworkProfile(read(file))
    const asset = { alias: 'AVAX', name: 'Avalanche', symbol: 'AVAX', denomination: 9, holders: [] }
    const genesis = buildGenesis(context.networkID, [asset])
    const { chainID, assetID } = networkOfGenesis(context.networkID, genesis)
    expect(context).toMatchObject({ chainID, assetID, chainAlias: 'X' })
    expect(publicURLs).toHaveLength(1)
  })

  it.each([
    ['an unknown member', { fee: '1' }, 'UNKNOWN_OPTION'],
    ['a number as fee', { txFee: 1_000_000 }, 'ENC_INVALID'],
    ['a fee above 64 bits', { txFee: '18446744073709551616' }, 'ENC_INVALID'],
    ['a negative fee', { txFee: '-1' }, 'ENC_INVALID'],
    [
      'a wrong checksum',
      { chainID: 'fK5e6T3EniMqagBkxXjAug9EbhFDZbEzPPr4f22uwMoP5i2cK' },
      'ENC_BAD_CHECKSUM',
    ],
    ['a name in upper case', { name: 'Flare' }, 'ENC_INVALID'],
    ['a prefix of two words', { hrp: 'fl are' }, 'ENC_INVALID'],
    ['the name of Mainnet', { name: 'mainnet' }, 'ENC_INVALID'],
    ['the prefix of Mainnet', { hrp: 'avax' }, 'ENC_INVALID'],
    ['a P-Chain', { chains: { P: flare.chainID } }, 'ENC_INVALID'],
    ['a second X-Chain', { chains: { X: flare.chainID } }, 'ENC_INVALID'],
    ['a file URL', { publicURLs: ['file:///etc/passwd'] }, 'ENC_INVALID'],
    ['a network ID above 32 bits', { networkID: 2 ** 32 }, 'ENC_INVALID'],
  ])('with %s are refused', (_what, changes, code) => {
    expect(codeOf(() => parse(changes))).toBe(code)
  })

  it('with a member twice, without JSON, or too large are refused', () => {
    const twice = read('flare.json').replace('{', '{ "networkID": 1,')
    expect(codeOf(() => parseNetworkProfile(twice))).toBe('ENC_INVALID')
    expect(codeOf(() => parseNetworkProfile('{'))).toBe('ENC_BAD_JSON')
    expect(codeOf(() => parseNetworkProfile('[]'))).toBe('ENC_INVALID')
    expect(codeOf(() => parseNetworkProfile(`${read('flare.json')}${' '.repeat(70_000)}`))).toBe(
      'ENC_INVALID',
    )
  })
})
