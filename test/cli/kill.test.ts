import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DevNode, FaultKind } from '../../src/devnode/index.ts'
import { avmkit, ended } from './child.ts'
import { BOB, BOB_WORDS, cli, devNode, EWOQ, folder } from './shell.ts'

const ROUNDS = 30
const COINS_PER_ROUND = 80
const COIN = 100_000_000n
const FEE = 1_000_000n
/** What the local genesis gives the receiver. */
const GENESIS = 300_000_000_000_000_000n

const FAULTS: readonly FaultKind[] = ['lost', 'bad-gateway', 'empty', 'false-refusal', 'cut']

/** A door to a node that tells of every request before it is let through. */
async function doorTo(node: DevNode, onRequest: () => void): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      onRequest()
      const answer = await node.fetch(`http://node${request.url}`, {
        method: request.method!,
        headers: { 'content-type': 'application/json' },
        ...(request.method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {}),
      })
      const body = await answer.text()
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body)
    } catch {
      // A fault of the node, or a client that was killed.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Entry = { readonly type: 'signed' | 'accepted' | 'refused'; readonly txID: string }

/** The transactions that a journal says something of. */
function idsIn(journal: string, type: Entry['type']): Set<string> {
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  return new Set(entries.filter((entry) => entry.type === type).map(({ txID }) => txID))
}

describe('sweep', () => {
  it(`loses nothing and pays nothing twice when it is killed ${ROUNDS} times`, {
    timeout: 240_000,
  }, async () => {
    const node = await devNode()
    let left = 0
    let child: ReturnType<typeof avmkit> | undefined
    const url = await doorTo(node, () => {
      if (--left === 0) child?.process.kill('SIGKILL')
    })
    const inside = folder()
    const journal = join(inside, 'journal')
    const env = { AVMKIT_URL: url, AVMKIT_KEY: BOB_WORDS }
    // Small transactions, so that there are many of them to be killed between.
    const argv = ['sweep', EWOQ, '--clear-sign', '--journal', journal, '--yes', '--json']
    const moments: number[] = []
    let funded = 0n
    for (let kills = 0; kills < ROUNDS; ) {
      for (let i = 0; i < COINS_PER_ROUND; i++) node.fund(BOB, COIN)
      funded += BigInt(COINS_PER_ROUND) * COIN
      for (const [i, on] of ['avm.issueTx', 'avm.getTx', 'avm.getUTXOs'].entries()) {
        const kind = FAULTS[Math.floor(Math.random() * FAULTS.length)]!
        // A node that pretends to have nothing is not among the faults that a reader can see through.
        if (on === 'avm.issueTx' || kind !== 'false-refusal')
          node.injectFault({ kind, on, after: (kills + i) % 3 })
      }
      left = 1 + Math.floor(Math.random() * 24)
      moments.push(left)
      child = avmkit(argv, env, inside)
      if ((await child.exited).code === null) kills++
    }
    left = 0
    node.restart()
    const last = await ended(avmkit(argv, env, inside))
    expect([last.code, last.err], `killed at requests ${moments.join(', ')}`).toEqual([0, ''])

    const signed = idsIn(journal, 'signed')
    const accepted = idsIn(journal, 'accepted')
    const refused = idsIn(journal, 'refused')
    // Every transaction that was written down has an end, and the chain says the same.
    expect([...signed].filter((id) => !accepted.has(id) && !refused.has(id))).toEqual([])
    for (const txID of signed) {
      const { status } = (await cli(['status', txID, '--json'], { node })).json()
      expect(status).toBe(accepted.has(txID) ? 'accepted' : 'unknown')
    }
    type Balance = { assets: { spendable: string }[] }
    const balanceOf = async (address: string) =>
      (await cli(['balance', address, '--json'], { node })).json<Balance>().assets
    expect(await balanceOf(BOB)).toEqual([])
    const [received] = await balanceOf(EWOQ)
    expect(BigInt(received!.spendable)).toBe(GENESIS + funded - FEE * BigInt(accepted.size))
  })
})
