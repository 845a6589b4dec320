import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { KeyChain } from '../../src/crypto/index.ts'
import { formatID } from '../../src/encoding/index.ts'
import { fileJournal } from '../../src/journal/index.ts'
import { type Journal, type JournalEntry, memoryJournal } from '../../src/wallet/index.ts'
import { addressOf, balanceOf, fee, people, scene } from './setup.ts'

const [me, you] = people as [KeyChain, KeyChain]
const payment = { to: addressOf(you), amount: 5n }

describe('a journal on disk', () => {
  it('knows a payment again whose name was cut in the middle of a letter', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const key = 'for the party 🎉'.slice(0, -1)
    for (let run = 0; run < 2; run++) {
      const journal = fileJournal(join(folder, 'x.journal'))
      await wallet({ journal }).transfer(payment, { key })
      await journal.close()
    }
    expect(await balanceOf(node, you)).toBe(5n)
  })
})

describe('resume', () => {
  it('passes over what another call has settled meanwhile', async () => {
    const held: (() => void)[] = []
    const holding = new Set<string>()
    const { node, wallet } = await scene({
      blocks: 'manual',
      through: (fetch) => async (url, init) => {
        const body = String(init.body)
        if (body.includes('"avm.getTx"') && [...holding].some((id) => body.includes(id)))
          await new Promise<void>((resolve) => held.push(resolve))
        return fetch(url, init)
      },
    })
    for (let i = 0; i < 6; i++) node.fund(addressOf(me), 3n * fee)
    const journal = memoryJournal()
    const early = wallet({ journal, wait: { timeoutMs: 500 } })
    for (let i = 1; i <= 6; i++)
      await expect(early.transfer(payment, { key: `p${i}` })).rejects.toMatchObject({
        code: 'TX_OPEN',
      })
    node.produceBlock()
    const mine = wallet({ journal })
    for (const { txID } of (await journal.load()).slice(0, 4)) holding.add(formatID(txID))
    const resuming = mine.resume()
    resuming.catch(() => {})
    for (let i = 0; i < 20; i++) await setImmediate()
    await mine.transfer(payment, { key: 'p6' })
    holding.clear()
    for (const go of held) go()
    expect((await resuming).map(({ status }) => status)).toEqual(Array(6).fill('accepted'))
    expect(await balanceOf(node, you)).toBe(30n)
  })
})

describe('a journal that may have an entry', () => {
  it('is not asked about one entry and believed about a later one', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const disk: JournalEntry[] = []
    let appends = 0
    const slow: (() => void)[] = []
    let isSlow = false
    const journal: Journal = {
      load: async () => {
        const entries = [...disk]
        if (isSlow) {
          isSlow = false
          await new Promise<void>((resolve) => slow.push(resolve))
        }
        return entries
      },
      append: async (entry) => {
        appends++
        // First lost, then written though it says otherwise.
        if (appends !== 1) disk.push(entry)
        if (appends <= 2) throw new Error('disk full')
      },
    }
    const mine = wallet({ journal })
    const pay = () => mine.transfer(payment, { key: 'a' })
    await expect(pay()).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    isSlow = true
    const looking = mine.payments(['a'])
    await setImmediate()
    await expect(pay()).rejects.toMatchObject({ code: 'JOURNAL_FAILED' })
    for (const go of slow) go()
    await looking
    expect(await mine.payments(['a'])).toMatchObject([{ due: false, status: 'open' }])
  })

  it('is not said to have kept a transaction back that was sent before', async () => {
    const { node, wallet } = await scene()
    for (let i = 0; i < 3; i++) node.fund(addressOf(me), 3n * fee)
    const kept = memoryJournal()
    const journal: Journal = {
      load: kept.load,
      append: async (entry) => {
        if (entry.type === 'signed' && entry.key !== undefined) throw new Error('disk full')
        await kept.append(entry)
      },
    }
    const mine = wallet({ journal })
    const signed = await mine.sign(await mine.prepare.transfer(payment))
    if (!signed.complete) throw new Error('incomplete')
    await mine.submit(signed)
    const failure = await mine.submit(signed, { key: 'a' }).catch((error) => error)
    expect(await balanceOf(node, you)).toBe(5n)
    expect(failure.code).toBe('JOURNAL_FAILED')
    expect(failure.message).not.toContain('was not sent')
  })
})
