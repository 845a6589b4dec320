import { describe, expect, it } from 'vitest'
import { networks, P_CHAIN_ID } from '../../src/core/chain/networks.ts'
import { localGenesis } from '../../src/core/chain/x/genesis.ts'
import { createDevNode, testAccounts, verifyAgainstState } from '../../src/devnode/index.ts'
import { type ArgumentCase, expectChecked } from '../helpers/unknown-members.ts'
import { ewoq } from './txs.ts'

const node = await createDevNode({ blocks: 'manual' })
const address = ewoq.text
const recipient = { address: [address], amount: 1n, asset: 'AVAX', locktime: 0n, threshold: 1 }
const chainID = new Uint8Array(32)
const evm = new Uint8Array(20)
const method = <Name extends keyof typeof node>(name: Name) =>
  ((...args: unknown[]) =>
    (node[name] as (...args: unknown[]) => unknown).call(node, ...args)) as ArgumentCase[1]

const cases: ArgumentCase[] = [
  [
    'createDevNode',
    createDevNode,
    [
      [
        '',
        {
          networkID: 12345,
          allocations: [{ address, amount: 1n }],
          genesis: localGenesis(12345),
          fees: { txFee: 1n, createAssetTxFee: 1n },
          now: 1,
          blocks: 'manual',
          httpAPIs: { apiKeys: ['a'], expiredTokens: 'refuse' },
        },
      ],
    ],
  ],
  ['testAccounts', testAccounts, [['', { hrp: 'local', count: 1, seed: 'x' }]]],
  ['listen', method('listen'), [['', { port: 0 }]]],
  ['setTime', method('setTime'), [['unixSeconds', 1]]],
  ['produceBlock', method('produceBlock'), [['', { time: 1, txIDs: [chainID] }]]],
  ['acceptBlock', method('acceptBlock'), [['bytes', new Uint8Array(1)]]],
  [
    'addAtomicUTXOs',
    method('addAtomicUTXOs'),
    [
      ['sourceChainID', chainID],
      ['utxos', []],
    ],
  ],
  [
    'takeExportedUTXOs',
    method('takeExportedUTXOs'),
    [
      ['chainID', chainID],
      ['utxoIDs', []],
    ],
  ],
  ['exportedUTXOs', method('exportedUTXOs'), [['chainID', chainID]]],
  [
    'addChain',
    method('addChain'),
    [
      ['chainID', chainID],
      ['subnetID', P_CHAIN_ID],
    ],
  ],
  [
    'fund',
    method('fund'),
    [
      ['address', address],
      ['amount', 1n],
      ['asset', 'AVAX'],
    ],
  ],
  [
    'exportFrom',
    method('exportFrom'),
    [
      ['chain', 'P'],
      ['recipients[0]', recipient],
    ],
  ],
  ['restore', method('restore'), [['snapshot', node.snapshot()]]],
  ['injectFault', method('injectFault'), [['', { kind: 'latency', message: ['x'], status: 500 }]]],
  ['setBootstrapping', method('setBootstrapping'), [['stage', 'done']]],
  [
    'setHealthCheck',
    method('setHealthCheck'),
    [
      ['name', 'X'],
      ['error', undefined],
    ],
  ],
  [
    'setPeers',
    method('setPeers'),
    [['peers', [{ nodeID: 'NodeID-111111111111111111116DBWJs', trackedSubnets: [] }]]],
  ],
  ['setProposals', method('setProposals'), [['proposals', { 1: { supportWeight: 1n } }]]],
  ['setServiceHealth', method('setServiceHealth'), [['health', 'ok']]],
  ['pChain.fund', node.pChain.fund, [['', { ...recipient, stakeableLocktime: 0n }]]],
  ['pChain.setFeeState', node.pChain.setFeeState, [['', { capacity: 1n, excess: 0n }]]],
  [
    'cChain.fund',
    node.cChain.fund,
    [
      ['address', evm],
      ['amount', 1n],
    ],
  ],
  ['cChain.setBaseFee', node.cChain.setBaseFee, [['wei', 1n]]],
  ['cChain.account', node.cChain.account, [['address', evm]]],
  [
    'cChain.setAccount',
    node.cChain.setAccount,
    [
      ['address', evm],
      ['account', { nonce: 0n, balance: 0n }],
    ],
  ],
]

describe('arguments of the development node', () => {
  it('are all in the table', () => {
    const missing = (names: readonly string[], prefix = '') =>
      names.filter((name) => !cases.some(([call]) => call === prefix + name))
    const inner = ['constructor', 'buildNext', 'record']
    const without = [
      ...['now', 'snapshot', 'dump', 'stateDigest', 'restart', 'runHealthChecks', 'close'],
    ]
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(node))
    expect(missing(methods).filter((name) => !inner.includes(name))).toEqual(without)
    expect(missing(Object.keys(node.pChain), 'pChain.')).toEqual(['produceBlock', 'feeState'])
    expect(missing(Object.keys(node.cChain), 'cChain.')).toEqual(['produceBlock'])
  })

  it('that are parts of a snapshot are checked before the state changes', () => {
    const snapshot = node.snapshot()
    node.fund(address, 1n)
    const digest = node.stateDigest()
    for (const [part, wrong] of [
      ['chain', {}],
      ['others', {}],
      ['others', snapshot.chain],
      ['records', [5]],
    ] as const)
      expect(() => node.restore({ ...snapshot, [part]: wrong })).toThrow(
        expect.objectContaining({ name: 'ArgumentError', path: `snapshot.${part}` }),
      )
    expect(node.stateDigest()).toEqual(digest)
    node.restore({ ...snapshot })
    expect(node.stateDigest()).not.toEqual(digest)
  })

  // Genesis and the parts of a snapshot are not arguments of their own, and proposals have any number as name.
  const exempt = /^genesis|^snapshot\.(chain|others)\.|^proposals\.unknwon$/
  it.each(cases)('of %s are checked', async (...each) => {
    await expectChecked(each, exempt)
  })

  it('are read once and copied', async () => {
    let reads = 0
    const fault = {
      get kind() {
        reads++
        return 'latency' as const
      },
    }
    node.injectFault(fault)()
    expect(reads).toBe(1)
    const peers = [{ nodeID: 'NodeID-111111111111111111116DBWJs' }]
    node.setPeers(peers)
    peers.pop()
    const answer = await node.fetch('http://localhost/ext/info', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"info.peers","params":{}}',
    })
    expect(await answer.text()).toContain('"numPeers":"1"')
  })

  it('of verifyAgainstState are checked, except the transaction', () => {
    const none = () => undefined
    const state = { now: 1n, utxo: none, atomic: none, tx: none, subnetOf: none }
    const tx = { unsignedTx: {}, credentials: [] } as never
    for (const [view, context, path] of [
      [undefined, networks.local, 'state'],
      [{ ...state, utxo: 1 }, networks.local, 'state'],
      [state, undefined, 'context'],
      [state, { chainID: 'x' }, 'context.chainID'],
      [state, { ...networks.local, backend: {} }, 'context.backend'],
    ] as const)
      expect(() => verifyAgainstState(tx, view as never, context as never)).toThrow(
        expect.objectContaining({ name: 'ArgumentError', path }),
      )
  })
})
