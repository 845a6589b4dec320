import { afterEach, describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { sha256 } from '../../../src/core/base/hash/sha256.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { asciiID } from '../../../src/core/chain/x/fx.ts'
import { createDevNode, type DevNode, type DevNodeOptions } from '../../../src/devnode/index.ts'
import { call } from '../client.ts'

/** A time of the genesis that begins on 2026-10-03, on which the recorded values depend. */
const NOW = 1_794_964_320
const P = '11111111111111111111111111111111LpoYY'
const X = cb58.encode(networks.local.chainID)
const C = cb58.encode(networks.local.chains.C!)
const UNKNOWN = cb58.encode(new Uint8Array(32).fill(5))
/** A validator's transaction on avalanchego 1.14.2, network local. */
const VALIDATOR_TX = 'LDV9xafRo1d8ENJnxgTuA1BV2z27a4bwDs8sxgQejW8eBwHtR'
const BAD_ARGUMENTS =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls"

let node: DevNode
const start = async (options: DevNodeOptions = {}) => {
  node = await createDevNode({ now: NOW, ...options })
}
afterEach(() => node.close())

/** The result of a method, or the text of its error. */
const ask = async (method: string, params: object = {}): Promise<unknown> => {
  const { result, error } = await call<unknown>(node, `platform.${method}`, params, '/ext/bc/P')
  return error === undefined ? result : error.message
}

describe('the transactions of the P-Chain genesis', () => {
  it.each([X, C, VALIDATOR_TX])('%s is committed, and its bytes have this ID', async (txID) => {
    await start()
    expect(await ask('getTxStatus', { txID })).toEqual({ status: 'Committed' })
    const { tx } = (await ask('getTx', { txID })) as { tx: string }
    expect(cb58.encode(sha256(checkedHex.decode(tx)))).toBe(txID)
  })

  // Recorded on avalanchego 1.14.2, network local.
  it('have the JSON of the node', async () => {
    await start()
    const text = async (txID: string) =>
      JSON.stringify(await ask('getTx', { txID, encoding: 'json' }))
    expect(await text(VALIDATOR_TX)).toBe(
      '{"tx":{"unsignedTx":{"networkID":12345,"blockchainID":"11111111111111111111111111111111LpoYY","outputs":[],"inputs":[],"memo":"0x","validator":{"nodeID":"NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5","start":1791000000,"end":1822514400,"weight":2000000000000000},"subnetID":"11111111111111111111111111111111LpoYY","signer":{"publicKey":"0x8048109c3da13de0700f9f3590c3270bfc42277417f6d0cc84282947e1a1f8b4980fd3e3fe223acf0f56a5838890814a","proofOfPossession":"0xb034e0d0ec808b7ec456a6d88bdad7b32854794605a11139d70430d81fb93834a3f81d8969042952daff335fec51018016a7ecb19d38597c5743a4eb3fb945ebe28a4250dd7bcb7a192c98d2fcaf15320a9bee239c66ddf61bb24f87c6e91971"},"stake":[{"assetID":"2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe","fxID":"spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ","output":{"addresses":["P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2"],"amount":2000000000000000,"locktime":0,"threshold":1}}],"validationRewardsOwner":{"addresses":["P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"locktime":0,"threshold":1},"delegationRewardsOwner":{"addresses":["P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],"locktime":0,"threshold":1},"shares":62500},"credentials":[],"id":"LDV9xafRo1d8ENJnxgTuA1BV2z27a4bwDs8sxgQejW8eBwHtR"},"encoding":"json"}',
    )
    expect(await text(X)).toBe(
      '{"tx":{"unsignedTx":{"networkID":12345,"blockchainID":"11111111111111111111111111111111LpoYY","outputs":[],"inputs":[],"memo":"0x","subnetID":"11111111111111111111111111111111LpoYY","chainName":"X-Chain","vmID":"jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq","fxIDs":["spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ","qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT","rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy"],"genesisData":"AAAAAAABAARBVkFYAAAwOQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAos9grE2fTYt6Zq1mmWBZa/1IMvU2z2CsTZ9Ni3pmrWaZYFlr/Ugy9TQAJQXZhbGFuY2hlAARBVkFYCQAAAAEAAAAAAAAAAgAAAAcAI4byb8EAAAAAAAAAAAAAAAAAAQAAAAHgz+jK4ign0DKAXe1ITjk85Ry+2wAAAAcEKdBpGJ4AAAAAAAAAAAAAAAAAAQAAAAE8t9OELozuag69CfH+iE9oYeGynA==","subnetAuthorization":{"signatureIndices":[]}},"credentials":[],"id":"2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed"},"encoding":"json"}',
    )
    expect(await text(C)).toMatch(/"fxIDs":\[\],"genesisData":"eyJjb25maWciOns.*MDAwMCJ9"/)
  })

  it('depend on the time of the genesis', async () => {
    await start()
    const validators = async () =>
      ((await ask('getCurrentValidators')) as { validators: { txID: string; startTime: string }[] })
        .validators
    const recorded = (await validators()).map(({ txID }) => txID)
    expect(recorded[0]).toBe(VALIDATOR_TX)
    expect(recorded[4]).toBe('2P6ke9Z1MnX3b4zEpGWYapykioqq8bRGSEY6sDewGpRq6NunRe')
    const { block } = (await ask('getBlockByHeight', { height: 0, encoding: 'json' })) as {
      block: { parentID: string }
    }
    expect(block.parentID).toBe('u1NtdJoguoeGEz5ZHqAECaCPvfnqijuwfBdjpomnGge4Je8Lq')
    await node.close()
    await start({ now: 1_790_000_000 })
    for (const { txID, startTime } of await validators()) {
      expect(recorded).not.toContain(txID)
      const { tx } = (await ask('getTx', { txID, encoding: 'json' })) as {
        tx: { id: string; unsignedTx: { validator: { start: number } } }
      }
      expect([tx.id, String(tx.unsignedTx.validator.start)]).toEqual([txID, startTime])
    }
  })

  it('without known bytes are committed, but cannot be read', async () => {
    await start({ networkID: 5 })
    const txID = cb58.encode(networks.fuji.chains.C!)
    expect(await ask('getTxStatus', { txID })).toEqual({ status: 'Committed' })
    expect(await ask('getTx', { txID })).toMatch(/^platform\.getTx is not available: /)
  })
})

describe('methods of subnets and blockchains', () => {
  it.each([X, C, VALIDATOR_TX])('refuse %s, which is no subnet', async (id) => {
    await start()
    const message = `"${id}" is not a subnet`
    expect(await ask('getSubnet', { subnetID: id })).toBe(message)
    expect(await ask('getSubnets', { ids: [P, id] })).toBe(message)
    expect(await ask('validates', { subnetID: id })).toBe(message)
  })

  it('refuse transactions that are no chain', async () => {
    await start()
    const blockchainID = VALIDATOR_TX
    expect(await ask('validatedBy', { blockchainID })).toBe(`"${blockchainID}" is not a blockchain`)
    expect(await ask('getBlockchainStatus', { blockchainID })).toEqual({ status: 'Unknown' })
  })

  it('leave out unknown subnets, and list each known one once', async () => {
    await start()
    expect(await ask('getSubnet', { subnetID: UNKNOWN })).toBe('not found')
    expect(await ask('getSubnets', { ids: [UNKNOWN] })).toEqual({ subnets: null })
    expect(await ask('getSubnets', { ids: [P, UNKNOWN, P] })).toEqual({
      subnets: [{ id: P, controlKeys: [], threshold: '0' }],
    })
  })

  it('tell of chains that were made known without a genesis', async () => {
    await start()
    const [id, subnetID] = [6, 7].map((byte) => cb58.encode(new Uint8Array(32).fill(byte)))
    node.addChain(new Uint8Array(32).fill(6), new Uint8Array(32).fill(7))
    expect(await ask('validatedBy', { blockchainID: id })).toEqual({ subnetID })
    expect(await ask('getBlockchainStatus', { blockchainID: id })).toEqual({ status: 'Created' })
    expect(await ask('validates', { subnetID })).toEqual({ blockchainIDs: [id] })
    const { blockchains } = (await ask('getBlockchains')) as { blockchains: object[] }
    expect(blockchains[0]).toEqual({ id, name: '', subnetID, vmID: P })
    expect(blockchains[1]).toMatchObject({ name: 'C-Chain', vmID: cb58.encode(asciiID('evm')) })
  })
})

describe('arguments of platform methods', () => {
  it('are decoded before a block is looked up', async () => {
    await start()
    expect(await ask('getBlock', { blockID: UNKNOWN, encoding: 'cb58' })).toBe(BAD_ARGUMENTS)
    expect(await ask('getBlockByHeight', { height: 1, encoding: 'cb58' })).toBe(BAD_ARGUMENTS)
  })

  it('of getStake are all decoded, and limited to 256 addresses', async () => {
    await start()
    expect(await ask('getStake', { validatorsOnly: 'x' })).toBe(BAD_ARGUMENTS)
    const addresses = new Array<string>(257).fill('P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2')
    expect(await ask('getStake', { addresses })).toBe(
      '257 addresses provided but this method can take at most 256',
    )
    expect(
      await ask('getStake', { addresses: addresses.slice(1), validatorsOnly: true }),
    ).toMatchObject({ staked: '10000000000000000' })
  })
})

describe('staking methods', () => {
  it.each([
    [12345, '2000000000000', '25000000000'],
    [1, '2000000000000', '25000000000'],
    [5, '1000000000', '1000000000'],
  ])('have the minimum stakes of network %s', async (networkID, validator, delegator) => {
    await start({ networkID })
    expect(await ask('getMinStake')).toEqual({
      minValidatorStake: validator,
      minDelegatorStake: delegator,
    })
  })

  it.each(['getPendingValidators', 'getMaxStakeAmount', 'getCurrentValidatorsAt'])(
    '%s does not exist',
    async (method) => {
      await start()
      const name = `${method[0]!.toUpperCase()}${method.slice(1)}`
      expect(await ask(method)).toBe(`rpc: can't find method "platform.${name}"`)
    },
  )
})
