import { expect } from 'vitest'
import { formatID } from '../../src/core/base/encoding/ids.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { createNodeClient, type NodeClient, type UpgradeTime } from '../../src/node/index.ts'
import { answering } from '../node/recorded.ts'
import { failureOf, PEERS, requirement, SUBNET, type World } from './world.ts'

const resultOf = (world: World) => JSON.parse(world.last().answer).result
const paramsOf = (world: World) => world.last().body!.params

/** The times of the document, in its order. */
const TIMES: readonly UpgradeTime[] = [
  'apricotPhase1Time',
  'apricotPhase2Time',
  'apricotPhase3Time',
  'apricotPhase4Time',
  'apricotPhase5Time',
  'apricotPhasePre6Time',
  'apricotPhase6Time',
  'apricotPhasePost6Time',
  'banffTime',
  'cortinaTime',
  'durangoTime',
  'etnaTime',
  'fortunaTime',
  'graniteTime',
]

/** A public server that refuses what only the node's owner may ask. */
const publicServer = (): NodeClient =>
  createNodeClient({
    url: 'http://public.test',
    fetch: async () => new Response('Forbidden', { status: 403 }),
    retry: { retries: 0 },
  })

requirement({
  'What the service does': [
    [
      'Node-specific methods and the health API are unavailable on the public server: a typed error',
      async () => {
        const client = publicServer()
        for (const ask of [
          () => client.info.getNodeID(),
          () => client.info.getNodeIP(),
          () => client.info.getVMs(),
          () => client.health.health(),
          () => client.health.readiness(),
          () => client.health.liveness(),
          () => client.healthGet.root(),
          () => client.healthGet.liveness(),
        ])
          expect(await failureOf(ask())).toMatchObject({ code: 'HTTP_STATUS', status: 403 })
      },
    ],
  ],

  'Info resources': [
    [
      'Community proposal preference: weights as uint64, supporters and objectors',
      async (world) =>
        expect(await world.client.info.acps()).toEqual({
          23: {
            supportWeight: 5n,
            objectWeight: 0n,
            abstainWeight: 7n,
            supporters: [PEERS[0]],
            objectors: [],
          },
        }),
    ],
    [
      'Result of info.acps: a map from proposal number',
      async (world) => {
        await world.client.info.acps()
        expect(Object.keys(resultOf(world).acps)).toEqual(['23'])
      },
    ],
    [
      'Node proof: nodeID with prefix, publicKey of 48 bytes, proofOfPossession of 96 bytes',
      async (world) => {
        const { nodeID, nodePOP } = await world.client.info.getNodeID()
        expect(nodeID).toMatch(/^NodeID-/)
        expect(nodePOP.publicKey).toMatch(/^0x[0-9a-f]{96}$/)
        expect(nodePOP.proofOfPossession).toMatch(/^0x[0-9a-f]{192}$/)
      },
    ],
    [
      'Version info: version, databaseVersion, gitCommit, vmVersions, rpcProtocolVersion as text',
      async (world) =>
        expect(await world.client.info.getNodeVersion()).toEqual({
          version: 'avalanchego/1.14.2',
          databaseVersion: 'v1.4.5',
          gitCommit: '',
          vmVersions: { avm: 'avalanchego/1.14.2', evm: 'v1.14.2', platform: 'avalanchego/1.14.2' },
          rpcProtocolVersion: '45',
        }),
    ],
    [
      'Peer: ip, publicIP, nodeID, version, lastSent, lastReceived, benched, observedUptime, trackedSubnets',
      async (world) => {
        const [peer] = (await world.client.info.peers()).peers
        expect(peer).toMatchObject({
          ip: '127.0.0.1:9651',
          publicIP: '127.0.0.1:9651',
          nodeID: PEERS[0],
          version: 'avalanchego/1.14.2',
          lastSent: '2023-11-14T22:13:20Z',
          lastReceived: '2023-11-14T22:13:20Z',
          benched: ['C'],
          observedUptime: 100,
          trackedSubnets: [SUBNET],
        })
      },
    ],
    [
      'Uptime: rewardingStakePercentage and weightedAveragePercentage',
      async (world) => {
        expect(await world.client.info.uptime()).toEqual({
          rewardingStakePercentage: 100,
          weightedAveragePercentage: 100,
        })
        const client = answering(
          '{"rewardingStakePercentage":"99.5","weightedAveragePercentage":"98.0001"}',
        )
        expect((await client.info.uptime()).weightedAveragePercentage).toBe(98.0001)
      },
    ],
    [
      'Full fee record: all nine fees, the unused ones may be absent',
      async (world) => {
        const fees = await world.client.info.getTxFee()
        expect(Object.keys(fees).sort()).toEqual(
          [
            ...['txFee', 'createAssetTxFee', 'createSubnetTxFee', 'transformSubnetTxFee'],
            ...['createBlockchainTxFee', 'addPrimaryNetworkValidatorFee'],
            ...['addPrimaryNetworkDelegatorFee', 'addSubnetValidatorFee', 'addSubnetDelegatorFee'],
          ].sort(),
        )
        for (const fee of Object.values(fees)) expect(fee).toBeTypeOf('bigint')
        const client = answering('{"txFee":"1","createAssetTxFee":"2"}')
        expect(await client.info.getTxFee()).toMatchObject({ txFee: 1n, createAssetTxFee: 2n })
      },
    ],
    [
      'Upgrade schedule: 14 times as text',
      async (world) => {
        const upgrades = await world.client.info.upgrades()
        expect(TIMES).toHaveLength(14)
        for (const name of TIMES) expect(Date.parse(upgrades[name]!)).toBe(1_607_144_400_000)
      },
    ],
    [
      'Upgrade schedule: apricotPhase4MinPChainHeight and cortinaXChainStopVertexID',
      async (world) =>
        expect(await world.client.info.upgrades()).toMatchObject({
          apricotPhase4MinPChainHeight: 0n,
          cortinaXChainStopVertexID: '11111111111111111111111111111111LpoYY',
        }),
    ],
  ],

  'A. Node RPC: info methods': [
    [
      'Path: /ext/info, by POST',
      async (world) => {
        await world.client.info.getNetworkID()
        expect([world.last().verb, world.last().target]).toEqual(['POST', '/ext/info'])
      },
    ],
    [
      'info.acps: an empty object',
      async (world) => {
        await world.client.info.acps()
        expect(paramsOf(world)).toEqual({})
      },
    ],
    [
      'info.isBootstrapped: chain by ID or alias',
      async (world) => {
        expect(await world.client.info.isBootstrapped({ chain: 'X' })).toBe(true)
        expect(paramsOf(world)).toEqual({ chain: 'X' })
        world.node.setBootstrapping('chains')
        expect(await world.client.info.isBootstrapped({ chain: 'X' })).toBe(false)
        world.node.setBootstrapping('done')
      },
    ],
    [
      'info.getBlockchainID: alias',
      async (world) => {
        const id = await world.client.info.getBlockchainID({ alias: 'X' })
        expect(id).toEqual(networks.local.chainID)
        expect(paramsOf(world)).toEqual({ alias: 'X' })
        expect(resultOf(world)).toEqual({ blockchainID: formatID(networks.local.chainID) })
      },
    ],
    [
      'info.getNetworkID: 1 main network, 5 test network, others local',
      async (world) => {
        expect(await world.client.info.getNetworkID()).toBe(12345)
        expect([networks.mainnet.networkID, networks.fuji.networkID]).toEqual([1, 5])
        expect(await answering('{"networkID":"1"}').info.getNetworkID()).toBe(1)
      },
    ],
    [
      'info.getNetworkName',
      async (world) => expect(await world.client.info.getNetworkName()).toBe('local'),
    ],
    [
      'info.getNodeID',
      async (world) => expect(await world.client.info.getNodeID()).toEqual(resultOf(world)),
    ],
    [
      'info.getNodeIP',
      async (world) => expect(await world.client.info.getNodeIP()).toBe('127.0.0.1:9651'),
    ],
    [
      'info.getNodeVersion',
      async (world) => expect(await world.client.info.getNodeVersion()).toEqual(resultOf(world)),
    ],
    [
      'info.getTxFee, deprecated, still answers',
      async (world) =>
        expect(await world.client.info.getTxFee()).toMatchObject(await world.client.avm.getTxFee()),
    ],
    [
      'info.getVMs: a map from VM ID to aliases',
      async (world) => {
        const { vms } = await world.client.info.getVMs()
        expect(vms.jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq).toEqual(['avm'])
      },
    ],
    [
      'info.peers: nodeIDs, optional; numPeers and peers',
      async (world) => {
        const { numPeers, peers } = await world.client.info.peers()
        expect([numPeers, peers.length, paramsOf(world)]).toEqual([2, 2, {}])
      },
    ],
    [
      'info.uptime: subnetID, optional',
      async (world) => {
        await world.client.info.uptime({ subnetID: SUBNET })
        expect(paramsOf(world)).toEqual({ subnetID: SUBNET })
        await world.client.info.uptime()
        expect(paramsOf(world)).toEqual({})
      },
    ],
    [
      'info.upgrades: no parameters',
      async (world) => {
        await world.client.info.upgrades()
        expect(paramsOf(world)).toEqual({})
      },
    ],
  ],

  'info.peers rules': [
    [
      'Without nodeIDs, or with an empty list, all connections are described',
      async (world) =>
        expect(await world.client.info.peers({ nodeIDs: [] })).toEqual(
          await world.client.info.peers(),
        ),
    ],
    [
      'A listed node that is not connected is omitted',
      async (world) => {
        const nodeIDs = [PEERS[1], 'NodeID-LPbcSMGJ4yocxYxvS2kBJ6umWeeFbctYZ']
        const { numPeers, peers } = await world.client.info.peers({ nodeIDs })
        expect([numPeers, peers[0]!.nodeID]).toEqual([1, PEERS[1]])
        expect(paramsOf(world)).toEqual({ nodeIDs })
      },
    ],
  ],

  Limits: [
    [
      'BLS public key size: 48 bytes; proof of possession: 96 bytes',
      async (world) => {
        const { nodeID, nodePOP } = await world.client.info.getNodeID()
        for (const [member, text] of Object.entries(nodePOP)) {
          const damaged = { nodeID, nodePOP: { ...nodePOP, [member]: text.slice(0, -2) } }
          await expect(answering(JSON.stringify(damaged)).info.getNodeID()).rejects.toMatchObject({
            field: `result.nodePOP.${member}`,
          })
        }
      },
    ],
  ],

  Versioning: [
    [
      'Deprecated methods still work: getAllBalances, getBalance, getTxStatus, info.getTxFee, the wallet endpoint',
      async (world) => {
        const { client, txs } = world
        const address = new Uint8Array(20)
        expect(await client.avm.getAllBalances({ address })).toEqual([])
        expect((await client.avm.getBalance({ address, assetID: 'AVAX' })).balance).toBe(0n)
        expect(await client.avm.getTxStatus({ txID: txs.asset })).toBe('Accepted')
        expect((await client.info.getTxFee()).txFee).toBe(1_000_000n)
        expect(client.wallet.issueTx).toBeTypeOf('function')
      },
    ],
    [
      'info.getTxFee serves nodes that do not know avm.getTxFee yet',
      async (world) => {
        const methods: string[] = []
        const client = createNodeClient({
          url: 'http://node.test',
          fetch: async (url, init) => {
            const { id, method } = JSON.parse(String(init.body))
            methods.push(method)
            if (method !== 'avm.getTxFee') return world.node.fetch(url, init)
            const error = { code: -32000, message: 'rpc: can\'t find method "avm.getTxFee"' }
            return new Response(JSON.stringify({ jsonrpc: '2.0', error, id }))
          },
        })
        expect((await client.context()).txFee).toBe(1_000_000n)
        expect(methods).toContain('info.getTxFee')
      },
    ],
  ],
})
