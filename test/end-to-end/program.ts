import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkedHex, formatAmount, formatID, parseID } from '../../src/index.ts'
import { avmkit, type Exited, ended } from '../cli/child.ts'
import type { TestAccount, TestEnvironment } from './environment.ts'

/** A folder that is gone after the test. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'avmkit-end-to-end-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A file that only its owner can read. */
function keyFile({ secret }: TestAccount): string {
  const path = join(folder(), 'my.key')
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
  return path
}

/** The JSON that a program printed; it must have succeeded. */
function jsonOf<T>({ code, out, err }: Exited): T {
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as T
}

/** The node's JSON as the program prints it: integers that may exceed 2^53 are strings. */
function inTexts(json: unknown): object {
  const isLarge = (name: string) => name === 'amount' || name === 'locktime'
  const write = (name: string, value: unknown) => (isLarge(name) ? String(value) : value)
  return JSON.parse(JSON.stringify(json), write) as object
}

/** The built program, run as a process. */
export function programTests(env: () => TestEnvironment): void {
  const run = (argv: readonly string[], variables: NodeJS.ProcessEnv = {}, input?: string) =>
    ended(avmkit([...argv, '--json'], { AVMKIT_URL: env().url, ...variables }), input)

  describe('the command line', () => {
    it('shows a balance, pays, and shows the transaction', async () => {
      const { fee, funding, rawNode, context } = env()
      const payer = env().fundedAccount()
      const receiver = env().newAccount()
      const keys = ['--key-file', keyFile(payer)]
      type Balance = { readonly assets: readonly object[] }
      expect(jsonOf<Balance>(await run(['balance', ...keys])).assets).toMatchObject([
        { assetID: formatID(context.assetID), spendable: String(funding), spendableUTXOs: 1 },
      ])

      const amount = formatAmount(2n * fee)
      const argv = ['send', receiver.address, amount, '--memo', 'from the prompt', ...keys]
      const refused = await run(argv)
      expect([refused.code, refused.out]).toEqual([2, ''])
      expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'CONFIRMATION_NEEDED' } })
      const sent = jsonOf<{ readonly txID: string }>(await run([...argv, '--yes']))
      expect(sent).toMatchObject({
        status: 'accepted',
        explanation: { type: 'BaseTx', fee: String(fee), memo: { text: 'from the prompt' } },
      })
      const { txID } = sent
      await env().accepted({ txID: parseID(txID) })
      expect(await env().balance(receiver)).toBe(2n * fee)
      expect(await env().balance(payer)).toBe(funding - 3n * fee)

      expect(jsonOf(await run(['status', txID]))).toEqual({ txID, status: 'accepted' })
      const unheard = formatID(crypto.getRandomValues(new Uint8Array(32)))
      expect(jsonOf(await run(['status', unheard]))).toEqual({ txID: unheard, status: 'unknown' })
      const bytes = checkedHex.encode(await rawNode.txBytes(txID))
      const { tx } = await rawNode.avm('getTx', { txID, encoding: 'json' })
      expect(jsonOf(await run(['decode', '-'], {}, bytes))).toMatchObject({
        kind: 'tx',
        txID,
        tx: inTexts(tx),
      })
    })

    it('reports errors without any part of the key', async () => {
      const { funder } = env()
      const payer = env().newAccount()
      const failed = await run(['send', funder.address, '1', '--yes'], {
        AVMKIT_KEY: payer.secret,
      })
      expect([failed.code, failed.out]).toEqual([1, ''])
      expect(JSON.parse(failed.err).error.code).toBe('BUILDER_INSUFFICIENT_FUNDS')
      expect(failed.err).not.toContain(payer.secret)
    })

    it('issues a transaction that two of three owners signed as files', async () => {
      const { fee } = env()
      const payer = env().fundedAccount()
      const owners = [env().newAccount(), env().newAccount(), env().newAccount()]
      const [a, , c] = owners as [TestAccount, TestAccount, TestAccount]
      const receiver = env().newAccount()
      const shared = `2:${owners.map(({ address }) => address).join(',')}`
      const variables = { AVMKIT_KEY: payer.secret }
      const amount = formatAmount(3n * fee)
      jsonOf(await run(['send', `${shared}=${amount}`, '--yes'], variables))

      const at = folder()
      const file = (name: string) => join(at, name)
      const from = owners.flatMap(({ address }) => ['--from', address])
      const payment = `${receiver.address}=${formatAmount(2n * fee)}`
      const wanted = file('wanted.json')
      const create = ['request', 'create', payment, ...from, '--signers', 'all', '--out', wanted]
      expect((await run(create)).code).toBe(0)
      for (const [name, { secret }] of [['a', a] as const, ['c', c] as const]) {
        const sign = ['request', 'sign', wanted, '--yes', '--out', file(name)]
        expect((await run(sign, { AVMKIT_KEY: secret })).code).toBe(0)
      }
      const merged = file('merged.json')
      expect((await run(['request', 'merge', file('a'), file('c'), '--out', merged])).code).toBe(0)
      const finished = await ended(avmkit(['request', 'finish', merged], { AVMKIT_URL: env().url }))
      expect([finished.code, finished.err]).toEqual([0, ''])
      const issued = jsonOf<{ readonly txID: string }>(
        await run(['issue', '-', '--yes'], {}, finished.out),
      )
      await env().accepted({ txID: parseID(issued.txID) })
      expect(await env().balance(receiver)).toBe(2n * fee)
    })

    it('sweeps everything to one address, and has nothing to sweep afterwards', async () => {
      const { fee, funding, context } = env()
      const payer = env().fundedAccount()
      const receiver = env().newAccount()
      const variables = { AVMKIT_KEY: payer.secret, HOME: folder() }
      const outputs = Array.from({ length: 9 }, () => ({ to: payer.address, amount: fee }))
      await env().accepted(await env().wallet(payer).transfer({ outputs }))
      const argv = ['sweep', receiver.address, '--yes']
      const moved = funding - 2n * fee
      const swept = jsonOf<{ readonly txIDs: readonly string[] }>(await run(argv, variables))
      expect(swept).toMatchObject({
        utxoCount: 10,
        moved: [{ assetID: formatID(context.assetID), amount: String(moved) }],
        resumed: [],
      })
      expect(swept.txIDs).toHaveLength(1)
      await env().accepted({ txID: parseID(swept.txIDs[0]!) })
      expect(await env().balance(receiver)).toBe(moved)
      expect(await env().balance(payer)).toBe(0n)
      expect(jsonOf(await run(argv, variables))).toMatchObject({
        txIDs: [],
        utxoCount: 0,
        moved: [],
      })
    })
  })
}
