import { describe, expect, it } from 'vitest'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { customNetwork, hrpOf, networkName, networks } from '../../../src/core/chain/networks.ts'

// avalanchego: utils/constants/network_ids.go, genesis/genesis_test.go, genesis/params.go.
describe('networks', () => {
  it('have the IDs and fees that their nodes return', () => {
    const details = Object.values(networks).map((network) => [
      network.name,
      network.networkID,
      network.hrp,
      formatID(network.chainID),
      formatID(network.chains.C!),
      formatID(network.assetID),
      network.txFee,
      network.createAssetTxFee,
    ])
    expect(details).toEqual([
      [
        'mainnet',
        1,
        'avax',
        '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM',
        '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5',
        'FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z',
        1_000_000n,
        10_000_000n,
      ],
      [
        'fuji',
        5,
        'fuji',
        '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm',
        'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp',
        'U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK',
        1_000_000n,
        10_000_000n,
      ],
      [
        'local',
        12345,
        'local',
        '2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed',
        '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC',
        '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
        1_000_000n,
        1_000_000n,
      ],
    ])
    for (const { chains } of Object.values(networks))
      expect(formatID(chains.P!)).toBe('11111111111111111111111111111111LpoYY')
  })

  it('without a name use the same address prefix', () => {
    expect([1, 2, 3, 4, 5, 10, 12345, 1337].map(hrpOf)).toEqual([
      'avax',
      'cascade',
      'denali',
      'everest',
      'fuji',
      'testing',
      'local',
      'custom',
    ])
    expect(networkName(1337)).toBe('network-1337')
  })

  it('can be created from the known parameters', () => {
    const { chainID, assetID } = networks.local
    const custom = customNetwork({ networkID: 7, chainID, assetID, txFee: 5n, hrp: undefined })
    expect(custom).toMatchObject({ name: 'network-7', hrp: 'custom', txFee: 5n, chainAlias: 'X' })
    expect(Object.keys(custom.chains)).toEqual(['P'])
  })
})
