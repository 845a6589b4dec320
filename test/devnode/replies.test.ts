import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { txID } from '../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../src/core/chain/x/tx.ts'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { avmHandlers } from '../../src/devnode/rpc/avm.ts'
import { answerRPC } from '../../src/devnode/rpc/envelope.ts'
import { Chain } from '../../src/devnode/x-chain/chain.ts'
import { chainTx } from '../../src/devnode/x-chain/execute.ts'
import { ChainState } from '../../src/devnode/x-chain/state.ts'
import { vectors } from '../helpers/vectors.ts'

type Exchange = {
  readonly name: string
  readonly path: string
  readonly httpMethod?: string
  readonly request: string
  readonly requestHeaders?: { readonly [name: string]: string }
  readonly node?: string
  readonly httpStatus: number
  readonly headers: { readonly [name: string]: string }
  readonly response: string
  readonly truncated?: string
}

const { cases } = vectors<{ cases: readonly Exchange[] }>('node-replies.json')

/** Exchanges that a node at its genesis cannot reproduce, and why. */
const EXCLUDED: readonly (readonly [string, RegExp])[] = [
  [
    'UTXOs and balances made by transactions that are not in the file',
    /^avm\.get(All)?Balances?(: (includePartial|overflow|a token|saturates|same call).*)?$|^avm\.getUTXOs: (output kinds|10 UTXOs|endIndex names|full page|atomic)/,
  ],
  [
    'blocks and transactions that are not in the file',
    /^avm\.getBlockByHeight: json$|^avm\.getBlock: hex$|^avm\.getAssetDescription: not an asset$|^getTx json: (amount 2|create NFT|create property|secp output in)/,
  ],
  [
    'spends UTXOs of such transactions: the rules behind are in semantic and sequence tests',
    /^issueTx: (create asset|import|exactly 65536|asset mismatch|credential|mint output|nft mint|amount differs|too many|no sig|fewer|index beyond|high s|zero sig|recovery|wrong key|unowned|secp utxo|locked)|^issueTx operation: (missing|no utxo|mint output|nft mint wrong|nft transfer|property)|^issueTx export: (to|unknown)|^issueTx import: (missing|output)|^conflict, in order: (first|rival|the)|^wallet\.issueTx: conflict$/,
  ],
  ['what another node said of its peer', /^info\.peers: one peer$/],
  ['a full mempool of 64 MiB', /mempool full/],
]

/** In the chain that is filled with the transactions of the file. */
const FROM_FILLED_CHAIN = /^getTx (json|hex): |^avm\.getAssetDescription: ID$/

const excluded = (item: Exchange) =>
  item.truncated !== undefined || EXCLUDED.some(([, names]) => names.test(item.name))

/** Times, durations, disk sizes and blocks of other chains differ in every run. */
function timeless(body: string): string {
  return body
    .replace(/"timestamp":"2026[^"]*"/g, '"timestamp":""')
    .replace(/"timeOfFirstFailure":"2026[^"]*"/g, '"timeOfFirstFailure":""')
    .replace(/"duration":[1-9]\d*/g, '"duration":1')
    .replace(/"availableDisk(\w+)":\d+/g, '"availableDisk$1":0')
    .replace(/("[CP]":.{0,120}"lastAcceptedID":)"\w+"/g, '$1""')
}

async function exchange(node: DevNode, item: Exchange): Promise<Response> {
  node.setBootstrapping(item.node?.includes('bootstrapping') ? 'platform' : 'done')
  return node.fetch(`http://node${item.path}`, {
    method: item.httpMethod ?? 'POST',
    headers: item.requestHeaders ?? { 'content-type': 'application/json' },
    ...(item.request === '' ? {} : { body: item.request }),
  })
}

describe('node-replies.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'devnode-'))
  let fresh: DevNode
  let restarted: DevNode

  beforeAll(async () => {
    fresh = await createDevNode({ blocks: 'manual', now: 1_794_707_000 })
    await (await createDevNode({ folder })).close()
    restarted = await createDevNode({ folder, blocks: 'manual' })
  })
  afterAll(async () => {
    await fresh.close()
    await restarted.close()
    rmSync(folder, { recursive: true })
  })

  for (const item of cases) {
    if (excluded(item) || FROM_FILLED_CHAIN.test(item.name)) continue
    it(`answers "${item.name}" as the node did`, async () => {
      const node = item.name.includes('after a restart') ? restarted : fresh
      const response = await exchange(node, item)
      const body = timeless(await response.text())
      expect({ status: response.status, body }).toEqual({
        status: item.httpStatus,
        body: timeless(item.response),
      })
      for (const [name, value] of Object.entries(item.headers))
        if (name !== 'transfer-encoding')
          expect([name, response.headers.get(name)]).toEqual([name, value])
      for (const name of ['content-type', 'x-content-type-options'])
        if (item.headers[name] === undefined && item.httpStatus === 200)
          expect([name, response.headers.get(name)]).toEqual([name, null])
    })
  }

  const filled = new ChainState()
  for (const { response, truncated } of cases) {
    const text = /"tx":"(0x[0-9a-f]+)","encoding":"hex"/.exec(response)?.[1]
    if (text === undefined || truncated !== undefined) continue
    const bytes = checkedHex.decode(text)
    filled.addGenesisTx(chainTx(decodeTx(bytes), bytes, txID(bytes)))
  }
  const chain = new Chain({
    context: networks.local,
    state: filled,
    now: () => 0n,
    backend: undefined,
    remembersDrops: true,
    beforeAccept: () => {},
  })
  const avm = avmHandlers({
    chain,
    now: () => 0n,
    lookup: () => undefined,
    aliases: new Map(),
    admitted: () => {},
    fresh: true,
    echoesSourceChain: false,
  })

  for (const item of cases) {
    if (excluded(item) || !FROM_FILLED_CHAIN.test(item.name)) continue
    it(`prints the requested object in "${item.name}" as the node did`, async () => {
      const { body } = await answerRPC(item.request, { avm })
      expect(body).toBe(item.response)
    })
  }

  it('omits only the listed replies', () => {
    const out = cases.filter(excluded)
    expect(out.length).toBeLessThanOrEqual(75)
    for (const [why, names] of EXCLUDED)
      expect([why, out.some(({ name }) => names.test(name))]).toEqual([why, true])
  })
})
