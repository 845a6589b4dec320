import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../src/core/chain/networks.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import type { UTXO } from '../../../src/core/chain/x/utxo.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import config from '../../../vitest.config.ts'
import { todaysFrom } from '../../helpers/todays-cases.ts'
import { ask } from '../client.ts'
import { amountOf, ewoq, outputTo, transfer, txParams, utxosOf } from '../txs.ts'

/** Each kills the node at another point. */
const rounds = todaysFrom(0, 50)
const FEE = networks.local.txFee

let folder: string
let program: string
const running = new Set<ChildProcess>()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-'))
  const outDir = join(folder, 'program')
  // The child has no transpiler, so it gets one file of JavaScript.
  await build({
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    resolve: config.resolve!,
    build: {
      ssr: fileURLToPath(new URL('crash-child.ts', import.meta.url)),
      outDir,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'child.mjs', codeSplitting: false } as object },
    },
  })
  program = join(outDir, 'child.mjs')
})
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Starts the node as a program of its own and waits until it serves. */
async function start(data: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, data], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)))
  })
  return { child, url }
}

/** The next transaction of a chain in which each spends what the one before it made. */
function next(coin: UTXO): { bytes: Uint8Array; coin: UTXO } {
  const output = outputTo(ewoq, amountOf(coin) - FEE)
  const bytes = transfer([coin], [output])
  return { bytes, coin: { txID: txID(bytes), outputIndex: 0, ...output } as UTXO }
}

describe('a node that is killed', () => {
  it(`keeps everything that it reported as accepted, ${rounds.length} times`, async () => {
    const data = join(folder, 'data')
    const accepted: string[] = []
    for (const round of rounds) {
      const { child, url } = await start(data)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      // After a few answers, at a different point in every round.
      const answered = await load(url, (count) => {
        if (count === 1 + (round % 3)) setTimeout(() => child.kill('SIGKILL'), (round * 7) % 12)
      })
      await ended
      accepted.push(...answered)

      const node = await createDevNode({ folder: data, now: 1_700_000_000, blocks: 'manual' })
      for (const id of answered)
        expect(await ask(node, 'avm.getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
      await node.close()
    }

    const node = await createDevNode({ folder: data, now: 1_700_000_000, blocks: 'manual' })
    for (const id of accepted)
      expect(await ask(node, 'avm.getTxStatus', { txID: id })).toEqual({ status: 'Accepted' })
    const { height } = await ask<{ height: string }>(node, 'avm.getHeight')
    expect(Number(height)).toBeGreaterThanOrEqual(accepted.length)
    expect(accepted.length).toBeGreaterThan(rounds.length)
    const twin = await createDevNode({ now: 1_700_000_000, blocks: 'manual' })
    for (let i = 1; i <= Number(height); i++) {
      const { block } = await ask<{ block: string }>(node, 'avm.getBlockByHeight', {
        height: i,
        encoding: 'hexnc',
      })
      twin.acceptBlock(hex.decode(block))
    }
    expect(twin.stateDigest()).toEqual(node.stateDigest())
    await Promise.all([node.close(), twin.close()])
  }, 300_000)
})

/** Issues transactions until the node is killed. Returns the IDs that it reported as accepted. */
async function load(url: string, onAnswer: (count: number) => void): Promise<string[]> {
  const answered: string[] = []
  const remote = {
    fetch: (path: string, init: RequestInit) => fetch(url + new URL(path).pathname, init),
  }
  try {
    let [coin] = await utxosOf(remote as never, ewoq)
    for (;;) {
      const { bytes, coin: made } = next(coin!)
      await ask(remote as never, 'avm.issueTx', txParams(bytes))
      const id = cb58.encode(txID(bytes))
      const { status } = await ask<{ status: string }>(remote as never, 'avm.getTxStatus', {
        txID: id,
      })
      if (status === 'Accepted') onAnswer(answered.push(id))
      coin = made
    }
  } catch (error) {
    // Only a lost connection ends the loop; an error of the node fails the test.
    expect((error as Error).message).not.toMatch(/^avm\./)
    return answered
  }
}
