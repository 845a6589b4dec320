import { expect, it } from 'vitest'
import { txID, utxoKey } from '../../../src/core/chain/x/ids.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { Claim, Store } from '../../../src/wallet/store/index.ts'
import {
  accepted,
  binding,
  bytesOf,
  cancellation,
  collect,
  contentOf,
  outputOf,
  payment,
  rival,
  shown,
  txOf,
  utxo,
} from './samples.ts'

/** Tests that every store must pass. `make` returns a new store. */
export function storeContract(make: () => Store | Promise<Store>): void {
  const bound = async () => {
    const store = await make()
    await store.bind(binding)
    return store
  }
  const statusOf = async (store: Store, key: string) => (await store.payments([key]))[0]!.status
  const refusal = (code: string, details: object = {}) =>
    expect.objectContaining({ name: 'StoreError', code, ...details })

  it('belongs to the first network and chain it is bound to', async () => {
    const store = await bound()
    await store.bind({ ...binding, chainID: binding.chainID.slice() })
    await expect(store.bind({ ...binding, networkID: 1 })).rejects.toEqual(
      refusal('STORE_MISMATCH'),
    )
    await expect(store.bind({ ...binding, chainID: bytesOf('other') })).rejects.toEqual(
      refusal('STORE_MISMATCH'),
    )
  })

  it('keeps the indexes of accounts, which never decrease', async () => {
    const store = await bound()
    const indexes = { account: bytesOf('one'), receive: 3, change: 5, nextChange: 7 }
    expect((await store.bind({ ...binding, indexes }))?.indexes).toEqual([indexes])
    const other = { account: bytesOf('two'), receive: 1, change: 0, nextChange: 0 }
    await store.bind({ ...binding, indexes: other })
    await store.bind({ ...binding, indexes: { ...indexes, receive: 4, change: 2, nextChange: 8 } })
    const known = (await store.bind(binding))?.indexes
    const merged = { ...indexes, receive: 4, nextChange: 8 }
    expect(known).toHaveLength(2)
    expect(known).toEqual(expect.arrayContaining([other, merged]))
    for (const bad of [-1, 0.5, 2 ** 32])
      await expect(
        store.bind({ ...binding, indexes: { ...indexes, receive: bad } }),
      ).rejects.toMatchObject({ code: 'ENC_INVALID' })
  })

  it('is empty at first', async () => {
    const store = await bound()
    expect(await store.payments(['a', 'b'])).toEqual([
      { key: 'a', status: 'unknown' },
      { key: 'b', status: 'unknown' },
    ])
    expect(await contentOf(store)).toEqual({ payments: [], attempts: [] })
    await store.assertOwned()
  })

  /** A transaction of a move, which the store cannot decode. */
  const leg = (kind: 'export' | 'import', inputs: string, salt: string): Claim => ({
    ...payment('move', '', { kind }),
    bytes: new TextEncoder().encode(`${kind} ${salt}`),
    leg: {
      chain: kind === 'export' ? 'C' : 'P',
      inputs: [...inputs].map(utxo),
      note: bytesOf('n'),
    },
  })

  it('records export and import of a move, which is pending until the import is accepted', async () => {
    const store = await bound()
    const exported = leg('export', 'a', '1')
    const imported = leg('import', 'ba', '1')
    await store.claim(exported)
    expect(await statusOf(store, 'move')).toBe('pending')
    await store.claim(imported)
    const attempts = await collect(store.attempts('move'))
    expect(attempts.map(({ kind, leg: details }) => [kind, details])).toEqual([
      ['export', exported.leg],
      ['import', imported.leg],
    ])
    await expect(store.claim(leg('import', 'c', '2'))).rejects.toEqual(refusal('KEY_PENDING'))
    await expect(store.claim(payment('other', 'a'))).rejects.toEqual(refusal('INPUT_CLAIMED'))
    await store.recordAcceptance({ txID: txID(imported.bytes), inputs: imported.leg!.inputs })
    expect(await store.payments(['move'])).toMatchObject([
      { status: 'accepted', txID: txID(imported.bytes) },
    ])
    expect(await collect(store.attempts())).toEqual([])
    // Inputs of a finished move can never be claimed again.
    await expect(store.claim(payment('other', 'a'))).rejects.toEqual(refusal('INPUT_CLAIMED'))
    await expect(store.claim(payment('other', 'b'))).rejects.toEqual(refusal('INPUT_CLAIMED'))
    await store.claim(payment('other', 'c'))
  })

  it('knows accepted exports and cancellations, which no record names', async () => {
    const store = await bound()
    const exported = leg('export', 'a', '1')
    const imported = leg('import', 'ba', '1')
    await store.claim(exported)
    await store.claim(imported)
    await store.recordAcceptance({ txID: txID(imported.bytes), inputs: imported.leg!.inputs })
    await store.claim(payment('k', 'cd'))
    await store.claim(cancellation('k', 'c'))
    await store.recordAcceptance(accepted(cancellation('k', 'c'), 'c'))
    await store.claim(payment('k', 'd'))
    const { made } = (await store.bind(binding))!
    const known = [exported, cancellation('k', 'c')].map(({ bytes }) => txID(bytes))
    expect(made).toEqual(expect.arrayContaining(known))
    expect(made).not.toContainEqual(txID(payment('k', 'cd').bytes))
  })

  it('lets inputs of a move be claimed again after a conflicting transaction ended it', async () => {
    const store = await bound()
    await store.claim(leg('export', 'ab', '1'))
    await store.recordAcceptance(rival('a'))
    expect(await statusOf(store, 'move')).toBe('rejected')
    await store.claim(payment('other', 'b'))
  })

  it('requires `leg` for exports and imports, and rejects it otherwise', async () => {
    const store = await bound()
    const { leg: _leg, ...bare } = leg('export', 'a', '1')
    const details = leg('export', 'a', '1').leg!
    await expect(store.claim(bare)).rejects.toEqual(refusal('CLAIM_INVALID'))
    await expect(store.claim({ ...payment('a', 'a'), leg: details })).rejects.toEqual(
      refusal('CLAIM_INVALID'),
    )
    const long = { ...details, note: new Uint8Array(4097) }
    await expect(store.claim({ ...bare, leg: long })).rejects.toEqual(refusal('CLAIM_INVALID'))
    await expect(store.claim({ ...bare, leg: { ...details, inputs: [] } })).rejects.toEqual(
      refusal('CLAIM_INVALID'),
    )
  })

  it('records all values of a claim', async () => {
    const store = await bound()
    const claim = payment(['k1', 'k2'], 'ab')
    await store.claim(claim)
    const claimedAt = expect.any(BigInt)
    const record = {
      status: 'pending',
      txID: txID(claim.bytes),
      digest: bytesOf('content'),
      claimedAt,
    }
    expect(await contentOf(store)).toEqual({
      payments: [
        { key: 'k1', generated: false, ...record },
        { key: 'k2', generated: false, ...record },
      ],
      attempts: [
        {
          kind: 'payment',
          txID: txID(claim.bytes),
          bytes: claim.bytes,
          keys: ['k1', 'k2'],
          inputs: [utxo('a'), utxo('b')],
          fromHeight: 12n,
        },
      ],
    })
    expect(await collect(store.attempts('k2'))).toHaveLength(1)
    expect(await collect(store.attempts('k3'))).toEqual([])
  })

  it('keeps the order of the keys of each attempt', async () => {
    const store = await bound()
    await store.claim(payment(['k1', 'k2', 'k3'], 'ab'))
    await store.claim(payment(['k3', 'k1', 'k2'], 'ab', { salt: 'again' }))
    await store.claim(payment(['k2', 'k1'], 'ab', { salt: 'once more' }))
    const orders = [
      ['k1', 'k2', 'k3'],
      ['k3', 'k1', 'k2'],
      ['k2', 'k1'],
    ]
    const keysOf = async (key?: string) =>
      (await collect(store.attempts(key))).map(({ keys }) => keys)
    expect(await keysOf()).toEqual(orders)
    expect(await keysOf('k1')).toEqual(orders)
  })

  it('accepts keys with all kinds of characters', async () => {
    const store = await bound()
    const keys = ['\u0000', '\ufeffkey', 'ключ', '鍵', '🔑', 'x'.repeat(256), '🔑'.repeat(256), ' ']
    await store.claim(payment(keys, 'a'))
    expect((await store.payments(keys)).map(({ status }) => status)).toEqual(
      keys.map(() => 'pending'),
    )
    expect((await collect(store.list())).map(({ key }) => key)).toEqual(keys)
  })

  it('ignores a claim that is already recorded', async () => {
    const store = await bound()
    await store.claim(payment(['k1', 'k2'], 'a'))
    const before = await contentOf(store)
    await store.claim(payment(['k2', 'k1'], 'a'))
    expect(await contentOf(store)).toEqual(before)
  })

  it('rejects a transaction that is claimed for other keys or another kind', async () => {
    const store = await bound()
    await store.claim(payment('k1', 'a'))
    const other = payment('k2', 'a')
    await expect(store.claim(other)).rejects.toEqual(refusal('TX_CLAIMED', { keys: ['k1'] }))
    await expect(store.claim(payment(['k1', 'k2'], 'a'))).rejects.toEqual(refusal('TX_CLAIMED'))
    await expect(store.claim({ ...payment('k1', 'a'), kind: 'cancellation' })).rejects.toEqual(
      refusal('TX_CLAIMED'),
    )
    expect(await statusOf(store, 'k2')).toBe('unknown')
  })

  it('rejects a key with other content, also for the same transaction and after its end', async () => {
    const store = await bound()
    const claim = payment('k', 'a')
    const conflict = refusal('KEY_CONFLICT', { keys: ['k'] })
    await store.claim(claim)
    const other = { content: 'other' }
    await expect(store.claim(payment('k', 'a', other))).rejects.toEqual(conflict)
    await expect(store.claim(payment('k', 'ab', other))).rejects.toEqual(conflict)
    await store.recordAcceptance(rival('a'))
    await expect(store.claim(payment('k', 'b', other))).rejects.toEqual(conflict)
    await store.claim(payment('k', 'b'))
  })

  it('lets an attempt replace another if they share an input', async () => {
    const store = await bound()
    await store.claim(payment('k', 'ab'))
    await expect(store.claim(payment('k', 'c'))).rejects.toEqual(
      refusal('KEY_PENDING', { keys: ['k'] }),
    )
    await store.claim(payment('k', 'bc'))
    // It must share an input with both.
    await expect(store.claim(payment('k', 'ad'))).rejects.toEqual(refusal('KEY_PENDING'))
    await store.claim(payment('k', 'b', { salt: 'newest' }))
    expect((await store.payments(['k']))[0]!.txID).toEqual(txID(txOf(['b'], 'newest')))
    expect(await collect(store.attempts('k'))).toHaveLength(3)
  })

  it('rejects inputs of pending payments with other keys', async () => {
    const store = await bound()
    await store.claim(payment('k1', 'ab'))
    await expect(store.claim(payment('k2', 'bc'))).rejects.toEqual(
      refusal('INPUT_CLAIMED', { inputs: [utxo('b')] }),
    )
    expect(await statusOf(store, 'k2')).toBe('unknown')
    await store.claim(payment('k2', 'c'))
  })

  it('lets attempts for some of the same keys share inputs', async () => {
    const store = await bound()
    await store.claim(payment(['k1', 'k2'], 'ab'))
    await store.claim(payment('k1', 'a'))
    await store.claim(payment('k2', 'b'))
    await store.recordAcceptance(accepted(payment('k1', 'a'), 'a'))
    expect(await statusOf(store, 'k1')).toBe('accepted')
    expect(await statusOf(store, 'k2')).toBe('pending')
  })

  it('records content, and the times of the first claim and of the outcome', async () => {
    const now = () => BigInt(Math.floor(Date.now() / 1000))
    const store = await bound()
    const before = now()
    const content = new TextEncoder().encode('5 AVAX to somebody')
    const claim = (inputs: string, salt = ''): Claim => {
      const plain = payment('k', inputs, { salt })
      return { ...plain, payments: plain.payments.map((one) => ({ ...one, content })) }
    }
    await store.claim(claim('ab'))
    const [first] = await store.payments(['k'])
    expect(first).toMatchObject({ status: 'pending', content })
    expect(first!.endedAt).toBeUndefined()
    expect(first!.claimedAt! >= before && first!.claimedAt! <= now()).toBe(true)
    // A cancellation and a further attempt do not say it again.
    await store.claim(payment('k', 'a', { salt: 'again' }))
    await store.recordAcceptance(accepted(claim('ab'), 'ab'))
    const [ended] = await collect(store.list())
    expect(ended).toMatchObject({ status: 'accepted', content, claimedAt: first!.claimedAt! })
    expect(ended!.endedAt! >= first!.claimedAt! && ended!.endedAt! <= now()).toBe(true)
    // A payment whose content is not recorded, and one of which it is recorded later.
    await store.claim(payment('old', 'c'))
    expect((await store.payments(['old']))[0]!.content).toBeUndefined()
    const known = { key: 'old', digest: bytesOf('content'), content }
    await store.claim({ ...payment('old', 'c', { salt: '2' }), payments: [known] })
    expect((await store.payments(['old']))[0]).toMatchObject({ content })
    await store.recordAcceptance(rival('c'))
    await store.cancel('old')
    expect((await store.payments(['old']))[0]).toMatchObject({
      status: 'canceled',
      content,
      endedAt: expect.any(BigInt),
    })
  })

  it('shows both contents of a key that is used twice', async () => {
    const store = await bound()
    const [recorded, requested] = ['one', 'other'].map((text) => new TextEncoder().encode(text))
    const claim = (digest: string, content: Uint8Array | undefined, inputs: string): Claim => ({
      ...payment('k', inputs),
      payments: [{ key: 'k', digest: bytesOf(digest), content }],
    })
    await store.claim(claim('1', recorded, 'a'))
    await expect(store.claim(claim('2', requested, 'b'))).rejects.toMatchObject({
      code: 'KEY_CONFLICT',
      keys: ['k'],
      conflicts: [{ key: 'k', recorded, requested }],
    })
    // The digest decides, whatever the contents say.
    await expect(store.claim(claim('2', recorded, 'b'))).rejects.toMatchObject({
      code: 'KEY_CONFLICT',
    })
    await store.claim({ ...claim('1', requested, 'a'), bytes: txOf(['a'], 'again') })
    expect((await store.payments(['k']))[0]).toMatchObject({ content: recorded })
  })

  it('rejects a key that is already paid', async () => {
    const store = await bound()
    const claim = payment('k', 'a')
    await store.claim(claim)
    await store.recordAcceptance(accepted(claim, 'a'))
    const paid = refusal('KEY_ACCEPTED', { keys: ['k'] })
    await expect(store.claim(claim)).rejects.toEqual(paid)
    await expect(store.claim(payment('k', 'b'))).rejects.toEqual(paid)
    expect(await store.payments(['k'])).toEqual([
      {
        key: 'k',
        status: 'accepted',
        txID: txID(claim.bytes),
        digest: bytesOf('content'),
        generated: false,
        claimedAt: expect.any(BigInt),
        endedAt: expect.any(BigInt),
      },
    ])
    expect(await collect(store.attempts())).toEqual([])
  })

  it('ends all attempts that an accepted transaction contains or conflicts with', async () => {
    const store = await bound()
    await store.claim(payment('k1', 'ab'))
    await store.claim(payment('k1', 'bc'))
    await store.claim(payment('k2', 'd'))
    await store.claim(payment('k3', 'e'))
    await store.recordAcceptance(rival('bd'))
    expect(await statusOf(store, 'k1')).toBe('rejected')
    expect((await store.payments(['k2']))[0]).toMatchObject({
      status: 'rejected',
      txID: rival('bd').txID,
    })
    expect(await statusOf(store, 'k3')).toBe('pending')
    // The inputs are free again.
    await store.claim(payment('k4', 'ac'))
  })

  it('ignores transactions that affect no attempt', async () => {
    const store = await bound()
    await store.claim(payment('k', 'a'))
    const before = await contentOf(store)
    await store.recordAcceptance(rival('x'))
    expect(await contentOf(store)).toEqual(before)
  })

  it('cancels only pending payments', async () => {
    const store = await bound()
    await expect(store.claim(cancellation('k', 'a'))).rejects.toEqual(
      refusal('KEY_UNKNOWN', { keys: ['k'] }),
    )
    await store.claim(payment('k', 'ab'))
    await expect(store.claim(cancellation('k', 'c'))).rejects.toEqual(refusal('KEY_PENDING'))
    await store.claim(cancellation('k', 'a'))
    expect(await statusOf(store, 'k')).toBe('pending')
    await store.recordAcceptance(accepted(cancellation('k', 'a'), 'a'))
    expect((await store.payments(['k']))[0]).toMatchObject({
      status: 'canceled',
      txID: txID(cancellation('k', 'a').bytes),
    })
    await store.claim(payment('k', 'c'))
  })

  it('reports the payment as accepted if it was accepted before its cancellation', async () => {
    const store = await bound()
    await store.claim(payment('k', 'ab'))
    await store.claim(cancellation('k', 'a'))
    await store.recordAcceptance(accepted(payment('k', 'ab'), 'ab'))
    expect(await statusOf(store, 'k')).toBe('accepted')
    expect(await collect(store.attempts())).toEqual([])
  })

  it('drops a cancellation whose payment has ended, and releases its inputs', async () => {
    const store = await bound()
    await store.claim(payment('k', 'ab'))
    await store.claim(cancellation('k', 'a'))
    await store.recordAcceptance(rival('b'))
    expect(await statusOf(store, 'k')).toBe('rejected')
    expect(await collect(store.attempts())).toEqual([])
    await store.claim(payment('other', 'a'))
    // The cancellation is accepted nevertheless.
    await store.recordAcceptance(accepted(cancellation('k', 'a'), 'a'))
    expect(await statusOf(store, 'k')).toBe('rejected')
    expect(await statusOf(store, 'other')).toBe('rejected')
  })

  it('forgets payments with generated keys when they are accepted', async () => {
    const store = await bound()
    const claim = payment('k', 'a', { generated: true })
    await store.claim(claim)
    expect(await store.payments(['k'])).toMatchObject([{ status: 'pending', generated: true }])
    await store.recordAcceptance(accepted(claim, 'a'))
    expect(await store.payments(['k'])).toEqual([{ key: 'k', status: 'unknown' }])
    expect(await collect(store.list())).toEqual([])
  })

  it('keeps other outcomes of payments with generated keys, which decide whether they are made again', async () => {
    const store = await bound()
    for (const name of ['a', 'b']) await store.claim(payment(name, name, { generated: true }))
    await store.claim(cancellation('b', 'b'))
    await store.recordAcceptance(rival('a'))
    await store.recordAcceptance(accepted(cancellation('b', 'b'), 'b'))
    expect(await store.payments(['a', 'b'])).toMatchObject([
      { status: 'rejected', generated: true },
      { status: 'canceled', generated: true },
    ])
  })

  it('requires that a further attempt spends an output of the transaction that ended the last one', async () => {
    const store = await bound()
    await store.claim(payment('k', 'a'))
    const ending = shown(utxo('a'), 'rival')
    await store.recordAcceptance(ending)
    const claimWith = (input: string | UTXOID) =>
      store.claim({ ...payment('k', 'b'), bytes: txOf([input], 'again') })
    await expect(claimWith('b')).rejects.toEqual(refusal('EVIDENCE_UNSPENT'))
    // One of two transactions that spend the same output was not accepted.
    const lie = shown(outputOf(ending), 'lie')
    const truth = shown(outputOf(ending), 'truth')
    await store.recordAcceptance(lie)
    await expect(claimWith(outputOf(truth))).rejects.toEqual(refusal('EVIDENCE_UNSPENT'))
    await store.recordAcceptance(truth)
    const [{ ended } = {}] = await store.payments(['k'])
    const evidence = ended?.flatMap((one) => one.evidence.map(utxoKey))
    expect(new Set(evidence)).toEqual(new Set([lie, truth].map((tx) => utxoKey(outputOf(tx)))))
    await claimWith(outputOf(truth))
    expect(await statusOf(store, 'k')).toBe('pending')
  })

  it('takes an output of that transaction which only a lie has spent', async () => {
    const store = await bound()
    await store.claim(payment('k', 'a'))
    const ending = shown(utxo('a'), 'rival')
    await store.recordAcceptance(ending)
    await store.recordAcceptance(shown(outputOf(ending), 'lie'))
    await store.claim({ ...payment('k', 'b'), bytes: txOf([outputOf(ending)], 'again') })
    expect(await statusOf(store, 'k')).toBe('pending')
  })

  it('takes a transaction that was found in a block, whatever it spends', async () => {
    const store = await bound()
    await store.claim(payment('k', 'a'))
    await store.recordAcceptance(shown(utxo('a'), 'rival'))
    const found = payment('k', 'b')
    await expect(store.claim(found)).rejects.toEqual(refusal('EVIDENCE_UNSPENT'))
    const known = await store.bind({ ...binding, found: [{ height: 7n, bytes: found.bytes }] })
    const claiming = store.claim(found)
    // The store of a custody database, which has outputs instead, keeps none.
    if (known?.found.length === 0) {
      await expect(claiming).rejects.toEqual(refusal('EVIDENCE_UNSPENT'))
      return
    }
    await claiming
    await store.recordAcceptance(accepted(found, 'b'))
    expect(await statusOf(store, 'k')).toBe('accepted')
  })

  it('cancels a rejected payment, and no other', async () => {
    const store = await bound()
    for (const name of ['a', 'b', 'c']) await store.claim(payment(name, name))
    await store.recordAcceptance(rival('a'))
    await store.recordAcceptance(accepted(payment('b', 'b'), 'b'))
    for (const name of ['a', 'a', 'b', 'c', 'd']) await store.cancel(name)
    const { txID } = rival('a')
    expect(await store.payments(['a', 'b', 'c', 'd'])).toMatchObject([
      { status: 'canceled', txID },
      { status: 'accepted' },
      { status: 'pending' },
      { status: 'unknown' },
    ])
    const again = { ...payment('a', 'e'), again: true }
    await expect(store.claim(again)).rejects.toMatchObject({ code: 'KEY_CANCELED' })
    // A payment that is made again after a rejection cannot be canceled without the chain.
    await store.claim(payment('a', 'e'))
    await store.cancel('a')
    expect(await statusOf(store, 'a')).toBe('pending')
  })

  it('refuses to continue a payment that was canceled, or that it has forgotten', async () => {
    const store = await bound()
    const again = { again: true }
    await store.claim(payment('k', 'a'))
    await store.claim({ ...payment('k', 'a', { salt: '2' }), ...again })
    await store.claim(cancellation('k', 'a'))
    await store.recordAcceptance(accepted(cancellation('k', 'a'), 'a'))
    await expect(store.claim({ ...payment('k', 'b'), ...again })).rejects.toMatchObject({
      code: 'KEY_CANCELED',
      keys: ['k'],
    })
    const forgotten = payment('other', 'c', { generated: true })
    await store.claim(forgotten)
    await store.recordAcceptance(accepted(forgotten, 'c'))
    await expect(
      store.claim({ ...payment('other', 'd', { generated: true }), ...again }),
    ).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
    // A rejected payment may be continued, and a canceled one begun anew.
    await store.claim(payment('third', 'e'))
    await store.recordAcceptance(rival('e'))
    await store.claim({ ...payment('third', 'f'), ...again })
    await store.claim(payment('k', 'b'))
    expect(await statusOf(store, 'k')).toBe('pending')
  })

  it('lists payments in the order of their first claims, attempts in the order of theirs', async () => {
    const store = await bound()
    for (const name of ['c', 'a', 'd', 'b']) await store.claim(payment(name, name))
    await store.recordAcceptance(rival('a'))
    await store.recordAcceptance(accepted(payment('d', 'd'), 'd'))
    await store.claim(payment('a', 'e'))
    await store.claim(payment('c', 'c', { salt: '2' }))
    const { payments, attempts } = await contentOf(store)
    expect(payments.map(({ key, status }) => [key, status])).toEqual([
      ['c', 'pending'],
      ['a', 'pending'],
      ['d', 'accepted'],
      ['b', 'pending'],
    ])
    expect(attempts.map(({ keys }) => keys[0])).toEqual(['c', 'b', 'a', 'c'])
  })

  it('lists any number of payments, each once', async () => {
    const store = await bound()
    const keys = Array.from({ length: 1_001 }, (_, i) => `k${i}`)
    await store.claim(payment(keys, 'a'))
    expect((await contentOf(store)).payments.map(({ key }) => key)).toEqual(keys)
  })

  const claim = payment('k', 'a')
  const withKey = (key: unknown) => ({
    ...claim,
    payments: [{ key: key as string, digest: bytesOf('content') }],
  })
  it.each([
    ['no payments', { ...claim, payments: [] }],
    ['a key twice', payment(['k', 'k'], 'a')],
    ['an empty key', withKey('')],
    ['a key of 257 characters', withKey('x'.repeat(257))],
    ['a number as key', withKey(42)],
    ['no key', withKey(undefined)],
    ['half a surrogate pair in a key', withKey('\ud800')],
    ['an escaped byte in a key', withKey('\udc80')],
    ['a short digest', { ...claim, payments: [{ key: 'k', digest: new Uint8Array(31) }] }],
    ['a negative height', { ...claim, fromHeight: -1n }],
    ['a height above 64 bits', { ...claim, fromHeight: 2n ** 64n }],
    ['an unknown kind', { ...claim, kind: 'refund' as 'payment' }],
    ['a transaction without inputs', { ...claim, bytes: txOf([]) }],
  ])('refuses a claim with %s', async (what, invalid) => {
    const store = await bound()
    const isMalformed = /^(a number as key|no key|a short|a negative|a height|an unknown)/.test(
      what,
    )
    const expected = isMalformed
      ? expect.objectContaining({ name: 'ArgumentError', path: expect.stringMatching(/./) })
      : refusal('CLAIM_INVALID')
    await expect(store.claim(invalid)).rejects.toEqual(expected)
    expect(await contentOf(store)).toEqual({ payments: [], attempts: [] })
    await store.claim(claim)
  })

  it('rejects bytes that are not a transaction', async () => {
    const store = await bound()
    const bytes = claim.bytes.subarray(0, -1)
    await expect(store.claim({ ...claim, bytes })).rejects.toMatchObject({ name: 'CodecError' })
    await store.claim(claim)
  })
}
