import { describe, expect, it } from 'vitest'
import { decodeTx, txID as idOf } from '../../src/chain/index.ts'
import type { KeyChain } from '../../src/crypto/index.ts'
import type { FaultKind } from '../../src/devnode/index.ts'
import { checkedHex, formatID, hex } from '../../src/encoding/index.ts'
import type { Fetch } from '../../src/rpc/index.ts'
import { type Journal, type JournalEntry, memoryJournal } from '../../src/wallet/index.ts'
import { addressOf, balanceOf, fee, people, scene, utxosOf } from './setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

/** Answers sendings itself; everything else goes on. */
function answering(words: () => string | undefined, sent: string[] = []) {
  return (fetch: Fetch): Fetch =>
    async (url, init) => {
      const body = String(init.body)
      if (!body.includes('"avm.issueTx"')) return fetch(url, init)
      sent.push(/"tx":"(0x[0-9a-f]*)"/.exec(body)![1]!)
      const message = words()
      if (message === undefined) return fetch(url, init)
      const id = /"id":(\d+)/.exec(body)![1]
      const error = JSON.stringify({ code: -32000, message, data: null })
      return new Response(`{"jsonrpc":"2.0","error":${error},"id":${id}}`, {
        headers: { 'content-type': 'application/json' },
      })
    }
}

const isSame = (a: { txID: Uint8Array }, b: { txID: Uint8Array }) =>
  hex.encode(a.txID) === hex.encode(b.txID)

describe('a payment with faults on the way', () => {
  const kinds: readonly FaultKind[] = [
    'bad-gateway',
    'lost',
    'cut',
    'empty',
    'rate-limit',
    'false-refusal',
    'vanished',
    'bad-checksum',
  ]
  for (const kind of kinds)
    it(`is made exactly once though sending meets ${kind}`, async () => {
      const { node, wallet } = await scene()
      for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
      node.injectFault({ kind, on: 'avm.issueTx', times: 2 })
      await wallet().transfer(payment)
      expect(await balanceOf(node, you)).toBe(5n)
      expect(await balanceOf(node, me)).toBe(8n * fee - 5n)
    })

  for (const kind of ['bad-gateway', 'lost', 'empty', 'cut'] as const)
    it(`is made exactly once though looking it up meets ${kind}`, async () => {
      const { node, wallet } = await scene()
      node.fund(addressOf(me), 3n * fee)
      node.fund(addressOf(me), 3n * fee)
      node.injectFault({ kind, on: 'avm.getTx', times: 12 })
      node.injectFault({ kind: 'lost', on: 'avm.issueTx' })
      await wallet().transfer(payment)
      expect(await balanceOf(node, you)).toBe(5n)
    })

  it('is sent again after a restart of the node', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 20_000 } })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'TX_OPEN' })
    node.restart()
    await expect(mine.resume()).resolves.toMatchObject([{ status: 'open' }])
    node.produceBlock()
    await expect(mine.resume()).resolves.toMatchObject([{ status: 'accepted' }])
    await expect(mine.resume()).resolves.toEqual([])
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('keeps its coins while its end is open', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 1_000 } })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'TX_OPEN' })
    expect(await mine.balances()).toMatchObject([{ spendable: 0n, reserved: 3n * fee }])
    await expect(mine.transfer(payment)).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
    })
  })

  it('is not made anew while the coins it spends are there', async () => {
    const sent: string[] = []
    const { node, wallet } = await scene({
      through: answering(() => 'failed to verify transfer: failed to get utxo 2x: not found', sent),
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    await expect(wallet().transfer(payment)).rejects.toMatchObject({ code: 'TX_OPEN' })
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent).size).toBe(1)
  })

  it('is not made anew for a reason that may pass', async () => {
    const sent: string[] = []
    const { node, wallet } = await scene({
      through: answering(() => 'failed to verify transfer: output is time locked', sent),
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    await expect(mine.transfer(payment)).rejects.toMatchObject({
      code: 'TX_OPEN',
      cause: { code: 'TIMELOCKED' },
    })
    expect(new Set(sent).size).toBe(1)
  })

  it('is not made anew because of a node that is behind', async () => {
    const sent: string[] = []
    const behind = await scene()
    let isBehind = false
    const { node, wallet } = await scene({
      through: (fetch) =>
        answering(() => {
          isBehind = true
          return undefined
        }, sent)((url, init) => (isBehind ? behind.node.fetch(url, init) : fetch(url, init))),
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    const mine = wallet({ wait: { timeoutMs: 5_000 } })
    // It knows neither the coin nor where that came from, so it proves nothing.
    await expect(mine.transfer(payment)).rejects.toMatchObject({
      code: 'TX_OPEN',
      cause: { code: 'UTXO_NOT_FOUND' },
    })
    expect(new Set(sent).size).toBe(1)
  })

  it('is looked for once more before a missing coin is believed', async () => {
    const hidden = { asked: 0, ids: new Set<string>() }
    const sent: string[] = []
    const { node, wallet } = await scene({
      through: (fetch) =>
        answering(
          () => undefined,
          sent,
        )(async (url, init) => {
          const body = String(init.body)
          const reply = await fetch(url, init)
          const id = /"id":(\d+)/.exec(body)![1]
          const missing = new Response(
            `{"jsonrpc":"2.0","error":{"code":-32000,"message":"not found","data":null},"id":${id}}`,
            { headers: { 'content-type': 'application/json' } },
          )
          // Taken and accepted, but the answer says otherwise, and look-ups lag behind.
          if (body.includes('"avm.issueTx"')) {
            hidden.ids.add(formatID(idOf(checkedHex.decode(sent.at(-1)!))))
            return sent.length === 1 ? missing : reply
          }
          const isHidden = [...hidden.ids].some((text) => body.includes(text))
          return isHidden && hidden.asked++ < 2 ? missing : reply
        }),
    })
    for (let i = 0; i < 2; i++) node.fund(addressOf(me), 3n * fee)
    await wallet().transfer(payment)
    expect(hidden.asked).toBeGreaterThan(2)
    expect(new Set(sent).size).toBe(1)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('does not spend again what a lagging node still shows', async () => {
    const sent: string[] = []
    const pages: string[] = []
    const { node, wallet } = await scene({
      through: (fetch) =>
        answering(
          () => undefined,
          sent,
        )(async (url, init) => {
          const reply = await fetch(url, init)
          if (!String(init.body).includes('"avm.getUTXOs"')) return reply
          pages.push(await reply.text())
          const id = /"id":(\d+)/.exec(String(init.body))![1]!
          const { headers } = reply
          return new Response(pages[0]!.replace(/"id":\d+/, `"id":${id}`), { headers })
        }),
    })
    node.fund(addressOf(me), 3n * fee)
    node.fund(addressOf(me), 2n * fee)
    const mine = wallet()
    await mine.transfer(payment)
    await mine.transfer(payment)
    expect(sent).toHaveLength(2)
    expect(pages).toHaveLength(2)
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('is given up where the transaction itself is wrong', async () => {
    const sent: string[] = []
    const { node, wallet } = await scene({
      through: answering(() => 'failed to verify transfer: invalid signature', sent),
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    await expect(mine.transfer(payment)).rejects.toMatchObject({
      code: 'SIG_INVALID',
      class: 'give-up',
    })
    expect(sent).toHaveLength(1)
    expect(await mine.balances()).toMatchObject([{ spendable: 3n * fee, reserved: 0n }])
    expect(await mine.resume()).toEqual([])
  })

  it('is built anew a bounded number of times where that may help', async () => {
    const sent: string[] = []
    const refuse = () => {
      // From now on another coin would be the better choice.
      node.fund(addressOf(me), BigInt(3 + sent.length) * fee)
      return 'insufficient funds'
    }
    const { node, wallet } = await scene({ through: answering(refuse, sent) })
    node.fund(addressOf(me), 3n * fee)
    await expect(wallet({ maxRebuilds: 2 }).transfer(payment)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    })
    expect(sent).toHaveLength(3)
    const inputs = sent.map((text) => decodeTx(checkedHex.decode(text)).unsignedTx.inputs)
    // Each spends a coin of the one before: had that been accepted after all, it could not be.
    for (const [i, list] of inputs.slice(1).entries())
      expect(inputs[i]!.some((input) => list.some((other) => isSame(input, other)))).toBe(true)
  })

  it('is made from other coins where somebody else was first', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const rival = wallet()
    let shown = 0
    const confirm = async () => {
      if (shown++ > 0) return true
      await rival.transfer({ to: addressOf(third), amount: 7n })
      return true
    }
    await wallet().transfer(payment, { confirm })
    expect(shown).toBe(2)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await balanceOf(node, third)).toBe(7n)
  })

  it('waits for a rival in the mempool to be decided', async () => {
    let asked = 0
    const { node, wallet, client } = await scene({
      blocks: 'manual',
      through: (fetch) => async (url, init) => {
        // Some time later the rival is in a block.
        if (String(init.body).includes('"avm.getTx"') && ++asked === 6) node.produceBlock()
        if (String(init.body).includes('"avm.issueTx"') && asked > 6)
          queueMicrotask(() => setImmediate(() => tryToBuild()))
        return fetch(url, init)
      },
    })
    const tryToBuild = () => {
      try {
        node.produceBlock()
      } catch {
        // Nothing was admitted.
      }
    }
    node.fund(addressOf(me), 3n * fee)
    const rival = await wallet().prepare.transfer({ to: addressOf(third), amount: 7n })
    const signed = await wallet().sign(rival)
    if (!signed.complete) throw new Error('incomplete')
    await client.issueTx(signed.bytes)
    await wallet().transfer(payment)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(await balanceOf(node, third)).toBe(7n)
  })

  it('stays open when its caller aborts while it is under way', async () => {
    const controller = new AbortController()
    let asked = 0
    const { node, wallet } = await scene({
      blocks: 'manual',
      through: (fetch) => async (url, init) => {
        if (String(init.body).includes('"avm.getTx"') && ++asked === 3) controller.abort()
        return fetch(url, init)
      },
    })
    node.fund(addressOf(me), 3n * fee)
    const mine = wallet()
    const { signal } = controller
    await expect(mine.transfer(payment, { signal })).rejects.toMatchObject({
      code: 'TX_OPEN',
      cause: { code: 'ABORTED' },
    })
    node.produceBlock()
    expect(await mine.resume()).toMatchObject([{ status: 'accepted' }])
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is not begun for a caller who has aborted', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const signal = AbortSignal.abort()
    await expect(wallet().transfer(payment, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await balanceOf(node, me)).toBe(3n * fee)
  })
})

describe('a payment with a key', () => {
  it('is made once, however often it is asked for', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const mine = wallet({ journal })
    const [first, second] = await Promise.all([
      mine.transfer(payment, { key: 'invoice 1' }),
      mine.transfer(payment, { key: 'invoice 1' }),
    ])
    expect(second.txID).toEqual(first.txID)
    const later = await wallet({ journal }).transfer(payment, { key: 'invoice 1' })
    expect(later.txID).toEqual(first.txID)
    expect(await balanceOf(node, you)).toBe(5n)
    await mine.transfer(payment, { key: 'invoice 2' })
    expect(await balanceOf(node, you)).toBe(10n)
  })

  it('is made by the next run where this one ended before sending', async () => {
    let dead = false
    const { node, wallet } = await scene({
      through: (fetch) => async (url, init) => {
        if (dead) throw new TypeError('gone')
        return fetch(url, init)
      },
    })
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const kept = memoryJournal()
    const journal: Journal = {
      ...kept,
      append: async (entry) => {
        await kept.append(entry)
        dead = true
      },
    }
    const options = { key: 'invoice 1', wait: { timeoutMs: 1_000 } }
    await expect(wallet({ journal }).transfer(payment, options)).rejects.toMatchObject({
      code: 'TX_OPEN',
    })
    expect(await balanceOf(node, you)).toBe(0n)
    dead = false
    const [entry] = (await kept.load()) as [JournalEntry]
    const { txID } = await wallet({ journal: kept }).transfer(payment, { key: 'invoice 1' })
    expect(txID).toEqual(entry.txID)
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is made again where the first transaction was refused for good', async () => {
    let words: string | undefined = 'failed to verify transfer: invalid signature'
    const { node, wallet } = await scene({ through: answering(() => words) })
    node.fund(addressOf(me), 9n * fee)
    const mine = wallet()
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'SIG_INVALID',
    })
    words = undefined
    await mine.transfer({ ...payment, memo: 'b' }, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

/** A journal that has what it says it could not write, until it is mended. */
function lyingJournal(): Journal & { readonly mend: () => void } {
  const kept = memoryJournal()
  let broken = true
  return {
    load: kept.load,
    append: async (entry) => {
      await kept.append(entry)
      if (broken) throw new Error('disk full')
    },
    mend: () => {
      broken = false
    },
  }
}

describe('the journal', () => {
  it('has the signed bytes before they are sent, and the end after', async () => {
    const order: string[] = []
    const kept = memoryJournal()
    const { node, wallet } = await scene({
      through: answering(() => {
        order.push('send')
        return undefined
      }),
    })
    node.fund(addressOf(me), 3n * fee)
    const journal: Journal = {
      load: kept.load,
      append: async (entry) => {
        order.push(entry.type)
        await kept.append(entry)
      },
    }
    const { txID } = await wallet({ journal }).transfer(payment)
    expect(order).toEqual(['signed', 'send', 'accepted'])
    const [signed, end] = await kept.load()
    if (signed?.type !== 'signed') throw new Error('not signed')
    expect(idOf(signed.bytes)).toEqual(txID)
    expect(end).toEqual({ type: 'accepted', txID })
  })

  it('that cannot be written keeps a payment from being sent', async () => {
    const { node, wallet } = await scene()
    node.fund(addressOf(me), 3n * fee)
    const before = hex.encode(node.stateDigest())
    const journal: Journal = {
      load: async () => [],
      append: async () => {
        throw new Error('disk full')
      },
    }
    const mine = wallet({ journal })
    await expect(mine.transfer(payment)).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    expect(hex.encode(node.stateDigest())).toBe(before)
    // It was not recorded, so its coins are free again.
    expect(await mine.resume()).toEqual([])
    expect(await mine.balances()).toMatchObject([{ spendable: 3n * fee, reserved: 0n }])
  })

  it('that was written though it said otherwise is sent by resume, once', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = lyingJournal()
    const mine = wallet({ journal })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
    })
    journal.mend()
    expect(await mine.resume()).toMatchObject([{ status: 'accepted', key: 'a' }])
    await mine.transfer(payment, { key: 'a' })
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('is asked again before a payment is repeated that it may have', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const journal = lyingJournal()
    const mine = wallet({ journal })
    await expect(mine.transfer(payment, { key: 'a' })).rejects.toMatchObject({
      code: 'JOURNAL_FAILED',
    })
    journal.mend()
    await mine.transfer(payment, { key: 'a' })
    await wallet({ journal }).resume()
    expect(await balanceOf(node, you)).toBe(5n)
  })

  it('reserves what its open transactions spend before anything new is sent', async () => {
    const { node, wallet } = await scene({ blocks: 'manual' })
    node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const early = wallet({ journal, wait: { timeoutMs: 500 } })
    await expect(early.transfer(payment)).rejects.toMatchObject({ code: 'TX_OPEN' })
    const later = wallet({ journal })
    await expect(later.transfer(payment)).rejects.toMatchObject({
      code: 'BUILDER_INSUFFICIENT_FUNDS',
      assets: [{ reserved: 3n * fee }],
    })
    expect(await utxosOf(node, you)).toEqual([])
  })
})
