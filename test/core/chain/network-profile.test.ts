import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { AvmError } from '../../../src/core/base/errors.ts'
import { parseNetworkProfile } from '../../../src/core/chain/network-profile.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { buildGenesis, networkOfGenesis } from '../../../src/core/chain/x/genesis.ts'
import { codeOf } from '../../helpers/vectors.ts'

const folder = new URL('../../../networks/', import.meta.url)
const files = readdirSync(folder)
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
const flare = JSON.parse(read('flare.json')) as { [name: string]: unknown }
const parse = (changes: object) => parseNetworkProfile(JSON.stringify({ ...flare, ...changes }))

/** The file of a built-in network. */
function fileOf(name: keyof typeof networks): { [name: string]: unknown } {
  const { chainID, assetID, chains, networkID, hrp, txFee, createAssetTxFee } = networks[name]
  return {
    name,
    networkID,
    hrp,
    chainID: formatID(chainID),
    assetID: formatID(assetID),
    txFee: String(txFee),
    createAssetTxFee: String(createAssetTxFee),
    chains: { C: formatID(chains.C!) },
  }
}

function refusal(run: () => unknown): { readonly [name: string]: unknown } | undefined {
  try {
    run()
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    const { code, path, message } = error as AvmError & { readonly path?: string }
    return { code, path, message }
  }
  return undefined
}

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

  it.each(['mainnet', 'fuji', 'local'] as const)('of %s agree with it in all members', (name) => {
    const file = fileOf(name)
    expect(parseNetworkProfile(JSON.stringify(file)).context).toEqual(networks[name])
    const { chains: _, ...withoutC } = file
    expect(parseNetworkProfile(JSON.stringify(withoutC)).context.name).toBe(name)
    for (const [member, value] of Object.entries({
      name: 'flare',
      networkID: 14,
      hrp: 'flare',
      assetID: flare.assetID,
      txFee: '1',
      createAssetTxFee: '1',
      chains: flare.chains,
    }))
      expect(
        refusal(() => parseNetworkProfile(JSON.stringify({ ...file, [member]: value }))),
        member,
      ).toMatchObject({ code: 'ENC_INVALID', path: member === 'chains' ? 'chains.C' : member })
    const more = { ...file, chains: { ...(file.chains as object), D: flare.chainID } }
    expect(refusal(() => parseNetworkProfile(JSON.stringify(more)))).toMatchObject({
      code: 'ENC_INVALID',
      path: 'chains.D',
    })
    const cChain = { ...flare, chainID: (file.chains as { C: string }).C }
    expect(codeOf(() => parseNetworkProfile(JSON.stringify(cChain)))).toBe('ENC_INVALID')
  })

  it.each([
    ['network-1', 1],
    ['network-5', 5],
    ['network-5', 14],
    ['network-014', 14],
    ['network-x', 14],
    ['testnet', 5],
    ['cascade', 14],
    ['denali', 14],
    ['everest', 14],
    ['testing', 14],
    ['custom', 1337],
  ])('with the reserved name %s and network ID %i are refused', (name, networkID) => {
    expect(refusal(() => parse({ name, networkID }))).toMatchObject({
      code: 'ENC_INVALID',
      path: 'name',
    })
  })

  it.each(['cascade', 'denali', 'everest', 'testing'])(
    'with the prefix %s of another network are refused',
    (hrp) => {
      expect(refusal(() => parse({ hrp }))).toMatchObject({ code: 'ENC_INVALID', path: 'hrp' })
    },
  )

  // utils/constants/network_ids.go: the name and prefix that a node of such a network prints.
  it.each([
    ['network-1337', 1337, 'custom'],
    ['mychain', 1337, 'custom'],
    ['cascade', 2, 'cascade'],
    ['testing', 10, 'testing'],
  ])('with the name %s, network ID %i and prefix %s are accepted', (name, networkID, hrp) => {
    expect(parse({ name, networkID, hrp }).context).toMatchObject({ name, networkID, hrp })
  })

  it.each(['', 'С', '__proto__', 'p', 'x', 'avm', 'X', 'P', 'C ', 'C-2', `C${'c'.repeat(32)}`])(
    'with the chain alias %j are refused',
    (alias) => {
      const chains = `{"${alias}":"${formatID(new Uint8Array(32).fill(9))}"}`
      const file = JSON.stringify({ ...flare, chains: 0 }).replace(
        '"chains":0',
        `"chains":${chains}`,
      )
      expect(refusal(() => parseNetworkProfile(file))).toMatchObject({
        code: 'ENC_INVALID',
        path: expect.stringMatching(/^chains\./),
      })
    },
  )

  const zero = formatID(new Uint8Array(32))
  const { C } = flare.chains as { C: string }
  it.each([
    ['a zero chainID', { chainID: zero }, 'chainID'],
    ['a zero assetID', { assetID: zero }, 'assetID'],
    ['the ID of the X-Chain as asset', { assetID: flare.chainID }, 'assetID'],
    ['two aliases of a chain', { chains: { C, D: C } }, 'chains.D'],
    ['an alias of the X-Chain', { chains: { C: flare.chainID } }, 'chains.C'],
    ['an alias of the P-Chain', { chains: { C: zero } }, 'chains.C'],
    ['an asset as chain', { chains: { C: flare.assetID } }, 'chains.C'],
  ])('with %s are refused', (_what, changes, path) => {
    expect(refusal(() => parse(changes))).toMatchObject({ code: 'ENC_INVALID', path })
  })

  it('are refused with the reason', () => {
    const alias = refusal(() => parse({ chains: { 'C\n': flare.chainID } }))
    expect(alias).toMatchObject({ code: 'ENC_INVALID' })
    expect(alias!.message).toMatch(/backslash/)
    expect(alias!.message).not.toMatch(/64 KB/)
    const large = refusal(() => parseNetworkProfile(`${read('flare.json')}${' '.repeat(70_000)}`))
    expect(large!.message).toMatch(/64 KB/)
    expect(large!.message).not.toMatch(/twice/)
  })

  it('can begin with a byte order mark', () => {
    const text = read('flare.json')
    expect(parseNetworkProfile(`\ufeff${text}`)).toEqual(parseNetworkProfile(text))
    expect(codeOf(() => parseNetworkProfile(`\ufeff\ufeff${text}`))).toBe('ENC_BAD_JSON')
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
