import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networks } from '../../../src/core/chain/networks.ts'
import { txID } from '../../../src/core/chain/x/ids.ts'
import { transferIntent } from '../../../src/wallet/payments/intents.ts'
import { withDetails } from '../../../src/wallet/payments/payment-details.ts'
import { claimedPayments } from '../../../src/wallet/payments/payment-keys.ts'
import { type Claim, type FileStore, fileStore } from '../../../src/wallet/store/index.ts'
import type { ClaimedPayment } from '../../../src/wallet/store/store.ts'
import { todaysFrom } from '../../helpers/todays-cases.ts'
import { addressOf, people } from '../setup.ts'
import { processes } from './process.ts'
import {
  accepted,
  binding,
  bytesOf,
  collect,
  contentOf,
  outputOf,
  payment,
  rival,
  shown,
  textOf,
  txOf,
  utxo,
} from './samples.ts'

const { start, startWith, newPath } = processes()
const refusal = (code: string) => expect.objectContaining({ name: 'StoreError', code })

async function opened(path: string): Promise<FileStore> {
  const store = fileStore(path)
  await store.bind(binding)
  return store
}

const keysOf = async (store: FileStore) => (await contentOf(store)).payments.map(({ key }) => key)

describe('a store file', () => {
  it('and the directories created for it are accessible to their owner only', async () => {
    const path = newPath()
    const before = process.umask(0)
    onTestFinished(() => {
      process.umask(before)
    })
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o700)
    await store.compact()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await store.close()
    chmodSync(path, 0o664)
    await (await opened(path)).close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is neither created nor locked before the first operation', async () => {
    const path = newPath()
    await fileStore(path).close()
    expect(existsSync(dirname(path))).toBe(false)
    const store = fileStore(path)
    expect(await collect(store.list())).toEqual([])
    expect(existsSync(path)).toBe(false)
    await expect(store.claim(payment('a', 'a'))).rejects.toEqual(refusal('STORE_MISMATCH'))
    await store.bind(binding)
    await store.claim(payment('a', 'a'))
    await store.close()
  })

  it('is rejected where no directory can be created', async ({ skip }) => {
    if (!existsSync('/proc/1')) skip()
    const store = fileStore('/proc/1/folder/payments.store')
    await expect(store.bind(binding)).rejects.toEqual(refusal('STORE_UNWRITABLE'))
    await store.close()
  })

  it('knows the same blocks when it is opened again', async () => {
    const path = newPath()
    const store = await opened(path)
    const block = (n: number) => ({ height: BigInt(n), blockID: bytesOf(`block ${n}`) })
    for (const n of [3, 4]) await store.bind({ ...binding, block: { ...block(n), firm: false } })
    await store.bind({ ...binding, block: { ...block(5), firm: true } })
    const blocks = (await store.bind(binding))?.blocks
    expect(blocks?.at(-1)).toMatchObject({ ...block(5), firm: true })
    await store.close()
    expect((await fileStore(path).bind(binding))?.blocks).toEqual(blocks)
  })

  it('has the same payments when it is opened again, although it is larger than what is read at once', async () => {
    const path = newPath()
    const store = await opened(path)
    // A transaction of 300 inputs has 12 KB.
    const names = Array.from({ length: 60 }, (_, i) => `key ${i}`)
    for (const name of names) {
      const inputs = Array.from({ length: 300 }, (_, i) => utxo(`${name} ${i}`))
      const claim = payment(name, name[0]!)
      await store.claim({ ...claim, bytes: txOf(inputs) })
    }
    await store.close()
    expect(statSync(path).size).toBeGreaterThan(2 ** 19)
    expect(await keysOf(fileStore(path))).toEqual(names)
  })

  it('rejects every operation after it was closed', async () => {
    const store = await opened(newPath())
    const last = store.claim(payment('a', 'a'))
    await store.close()
    await last
    await store.close()
    const closed = refusal('STORE_CLOSED')
    await expect(store.claim(payment('b', 'b'))).rejects.toEqual(closed)
    await expect(store.payments(['a'])).rejects.toEqual(closed)
    await expect(store.assertOwned()).rejects.toEqual(closed)
    await expect(store.compact()).rejects.toEqual(closed)
  })

  it('is not affected by later changes to the caller’s arrays', async () => {
    const path = newPath()
    const store = await opened(path)
    const claim = payment('a', 'a')
    const copy = { ...claim, bytes: claim.bytes.slice() }
    await store.claim(copy)
    const before = await textOf(store)
    copy.bytes.fill(0)
    copy.payments[0]!.digest.fill(0)
    expect(await textOf(store)).toBe(before)
    await store.close()
  })

  it('is rejected if it is not a regular file or has hard links', async () => {
    const path = newPath()
    mkdirSync(path, { recursive: true })
    await expect(opened(path)).rejects.toEqual(refusal('STORE_UNREADABLE'))
    const pipe = newPath()
    mkdirSync(dirname(pipe), { recursive: true })
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    await expect(opened(pipe)).rejects.toEqual(refusal('STORE_UNREADABLE'))
    const file = newPath()
    await (await opened(file)).close()
    linkSync(file, `${file}-2`)
    await expect(opened(file)).rejects.toEqual(refusal('STORE_UNREADABLE'))
    rmSync(`${file}-2`)
    await (await opened(file)).close()
  })

  it('is rejected, and its lock released, if it has another format', async () => {
    const path = newPath()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'my notes\n')
    const store = fileStore(path)
    for (let i = 0; i < 2; i++)
      await expect(store.bind(binding)).rejects.toMatchObject({ code: 'STORE_CORRUPT', record: 0 })
    expect(readFileSync(path, 'utf8')).toBe('my notes\n')
    rmSync(path)
    await store.bind(binding)
    await store.close()
  })

  it('with an incomplete record continues from the last complete one', async () => {
    const path = newPath()
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    const { size } = statSync(path)
    await store.claim(payment('b', 'b'))
    await store.close()
    writeFileSync(path, readFileSync(path).subarray(0, -1))
    const again = await opened(path)
    expect(statSync(path).size).toBe(size)
    expect(await keysOf(again)).toEqual(['a'])
    await again.claim(payment('c', 'c'))
    await again.close()
    const last = await opened(path)
    expect(await keysOf(last)).toEqual(['a', 'c'])
    await last.close()
  })

  it('writes nothing for a transaction that affects no attempt', async () => {
    const path = newPath()
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    const { size } = statSync(path)
    await store.recordAcceptance(rival('x'))
    expect(statSync(path).size).toBe(size)
    await store.recordAcceptance(rival('a'))
    expect(statSync(path).size).toBeGreaterThan(size)
    await store.close()
  })
})

describe('a store whose file is changed by another process', () => {
  const changes: { readonly [what: string]: (path: string) => void } = {
    removed: (path) => rmSync(path),
    renamed: (path) => renameSync(path, `${path}-old`),
    'replaced by a copy of itself': (path) => {
      copyFileSync(path, `${path}-copy`)
      renameSync(`${path}-copy`, path)
    },
    'moved with its directory': (path) => renameSync(dirname(path), `${dirname(path)}-moved`),
  }

  it.each(Object.entries(changes))('detects that it was %s', async (_what, change) => {
    const path = newPath()
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    await store.assertOwned()
    change(path)
    await expect(store.assertOwned()).rejects.toEqual(refusal('STORE_LOST'))
    await expect(store.claim(payment('b', 'b'))).rejects.toEqual(refusal('STORE_LOST'))
    await expect(store.payments(['a'])).rejects.toEqual(refusal('STORE_LOST'))
    await store.close()
  })

  it.each([
    ['written to', (path: string) => writeFileSync(path, 'x', { flag: 'a' })],
    ['cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
  ])('detects that it was %s', async (_what, change) => {
    const path = newPath()
    const store = await opened(path)
    await store.claim(payment('a', 'a'))
    change(path)
    await expect(store.claim(payment('b', 'b'))).rejects.toEqual(refusal('STORE_LOST'))
    await store.close()
  })
})

describe('a process that is killed during a claim', () => {
  it('loses no confirmed claim, whenever it is killed', async () => {
    const path = newPath()
    const confirmed: string[] = []
    const rounds = todaysFrom(0, 12)
    for (const round of rounds) {
      const child = start('claim', path, `round ${round}`)
      // Another moment in each round.
      for (let lines = 0; lines < 1 + ((7 * round) % 23); lines++)
        confirmed.push((await child.line())!)
      child.process.kill('SIGKILL')
      for (let line = await child.line(); line !== undefined; line = await child.line())
        confirmed.push(line)
      await child.exited
      const store = await opened(path)
      const known = new Set(await keysOf(store))
      expect(confirmed.filter((key) => !known.has(key))).toEqual([])
      // Frees the inputs for the next round.
      for (const { txID, inputs } of await collect(store.attempts()))
        await store.recordAcceptance({ txID, inputs })
      await store.close()
    }
    expect(confirmed.length).toBeGreaterThan(rounds.length)
  }, 240_000)
})

describe('a store on a full disk', () => {
  /** Claims until the disk is full; afterwards the file must hold exactly the confirmed claims. */
  async function fill(
    wrapper: readonly string[],
    path: string,
    makeSpace: () => unknown = () => {},
  ): Promise<void> {
    const child = startWith(wrapper, 'fill', path, 'payment')
    const [count, code] = (await child.line())!.split(' ')
    await child.exited
    expect(code).toBe('STORE_UNWRITABLE')
    expect(Number(count)).toBeGreaterThan(10)
    makeSpace()
    const store = await opened(path)
    const keys = Array.from({ length: Number(count) }, (_, i) => `payment-${i}`)
    expect(await keysOf(store)).toEqual(keys)
    await store.close()
  }

  it('rejects claims and keeps the confirmed ones (limited file size)', async () => {
    const path = newPath()
    // Writes beyond the limit fail with EFBIG instead of a signal.
    const limited = ['sh', '-c', 'trap "" XFSZ; ulimit -f 64; exec "$@"', 'sh']
    await fill(limited, path)
  })

  it('rejects claims, keeps the confirmed ones, and continues when there is space (small tmpfs)', async ({
    skip,
  }) => {
    const folder = `${newPath()}-mounted`
    mkdirSync(folder, { recursive: true })
    const mount = (...options: string[]) => spawnSync('mount', [...options, folder]).status === 0
    if (!mount('-t', 'tmpfs', '-o', 'size=128k', 'none')) skip('mounting needs root')
    onTestFinished(() => {
      spawnSync('umount', [folder])
    })
    const path = join(folder, 'payments.store')
    // Opening writes a lock file, and the first claim after a failed one writes the file anew.
    await fill([], path, () => mount('-o', 'remount,size=320k'))
    const store = await opened(path)
    const filler = join(folder, 'filler')
    try {
      for (;;) writeFileSync(filler, 'x'.repeat(512), { flag: 'a' })
    } catch {}
    let refused = 0
    for (let i = 0; i < 30 && refused === 0; i++)
      await store.claim(payment(`more ${i}`, String.fromCodePoint(9000 + i))).catch(({ code }) => {
        expect(code).toBe('STORE_UNWRITABLE')
        refused++
      })
    expect(refused).toBe(1)
    const before = await keysOf(store)
    rmSync(filler)
    await store.claim(payment('at last', 'z'))
    expect(await keysOf(store)).toEqual([...before, 'at last'])
    await store.close()
  })
})

describe('compaction', () => {
  const KEYS = 300
  const claimOf = (i: number) => payment(`payment-${String(i).padStart(6, '0')}`, input(i))
  const input = (i: number) => String.fromCodePoint(1000 + i)

  it('keeps the state and removes obsolete records', async () => {
    const path = newPath()
    const store = await opened(path)
    for (let i = 0; i < KEYS; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => store.claim(claimOf(i + j))))
    for (let i = 3; i < KEYS; i++) await store.recordAcceptance(accepted(claimOf(i), input(i)))
    const before = await textOf(store)
    await store.compact()
    expect(await textOf(store)).toBe(before)
    // Key, digest, transaction ID, two times.
    expect(statSync(path).size / KEYS).toBeLessThan(106)
    expect(readdirSync(dirname(path)).sort()).toEqual(['payments.store', 'payments.store.lock'])
    await store.claim(payment('new', 'x'))
    await store.close()
    const again = await opened(path)
    expect((await keysOf(again)).length).toBe(KEYS + 1)
    await again.close()
  })

  it('keeps an ended attempt of which one payment, with a generated key, was made since', async () => {
    const path = newPath()
    const store = await opened(path)
    const both = payment(['known', 'generated'], 'a')
    const [known, generated] = both.payments as [ClaimedPayment, ClaimedPayment]
    await store.claim({ ...both, payments: [known, { ...generated, generated: true }] })
    const ending = shown(utxo('a'), 'rival')
    await store.recordAcceptance(ending)
    const again = { ...payment('generated', 'a'), bytes: txOf([outputOf(ending)]) }
    await store.claim({ ...again, payments: [{ ...generated, generated: true }] })
    await store.recordAcceptance({ txID: txID(again.bytes), inputs: [outputOf(ending)] })
    expect(await keysOf(store)).toEqual(['known'])
    await store.compact()
    await store.close()
    const reopened = await opened(path)
    expect(await reopened.payments(['known'])).toMatchObject([
      { status: 'rejected', ended: [{ txID: txID(both.bytes), keys: ['known'] }] },
    ])
    await reopened.close()
  })

  it('needs at most 200 bytes for a completed payment of one owner with its content', async () => {
    const path = newPath()
    const store = await opened(path)
    const context = { ...networks.local, ...binding }
    const paid = (i: number): Claim => {
      const intent = transferIntent({ to: people[0]!.addresses[0]!, amount: BigInt(i + 1) })
      // As long as a UUID.
      const key = `payment-${String(i).padStart(28, '0')}`
      const payments = claimedPayments({ key }, intent.contents(context), context)
      return { ...payment(key, input(i)), payments }
    }
    await Promise.all(Array.from({ length: KEYS }, (_, i) => store.claim(paid(i))))
    for (let i = 0; i < KEYS; i++) await store.recordAcceptance(accepted(paid(i), input(i)))
    const before = await textOf(store)
    await store.compact()
    const size = statSync(path).size / KEYS
    expect(size).toBeLessThanOrEqual(200)
    await store.close()
    const again = await opened(path)
    expect(await textOf(again)).toBe(before)
    const [record] = await again.payments([`payment-${'7'.padStart(28, '0')}`])
    expect(withDetails(record!, context).details).toEqual({
      kind: 'transfer',
      outputs: [
        {
          to: [addressOf(people[0]!)],
          amount: 8n,
          assetID: context.assetID,
          threshold: 1,
          locktime: 0n,
        },
      ],
      other: [],
    })
    await again.close()
  })

  it('runs automatically when more than half of a large file is garbage', async () => {
    const path = newPath()
    const store = await opened(path)
    let largest = 0
    for (let round = 0; round < 40; round++) {
      const made = Array.from({ length: 100 }, (_, i) =>
        payment(`key-${round}-${i}`, String.fromCodePoint(1000 + i), { salt: 'x'.repeat(200) }),
      )
      await Promise.all(made.map((claim) => store.claim(claim)))
      await Promise.all(made.map((claim, i) => store.recordAcceptance(accepted(claim, input(i)))))
      largest = Math.max(largest, statSync(path).size)
    }
    const before = await textOf(store)
    await store.close()
    expect(largest).toBeLessThan(1.6 * 2 ** 20)
    expect(largest).toBeGreaterThan(2 ** 20)
    const again = await opened(path)
    expect(await textOf(again)).toBe(before)
    await again.close()
  })

  it('runs concurrently with claims', async () => {
    const store = await opened(newPath())
    const claims = Array.from({ length: 60 }, (_, i) => claimOf(i))
    await Promise.all(
      claims.flatMap((claim, i) => [
        store.claim(claim),
        ...(i % 10 === 0 ? [store.compact()] : []),
        store.assertOwned(),
      ]),
    )
    expect(await keysOf(store)).toHaveLength(60)
    await store.close()
  })
})
