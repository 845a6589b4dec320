import { describe, expect, it } from 'vitest'
import { hashToSign } from '../../../src/core/chain/x/ids.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { HDAccount } from '../../../src/core/crypto/hd/index.ts'
import type { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { buildTransfer } from '../../../src/core/draft/x/transfer.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import { lockChain } from '../../../src/custody/database/chain-row.ts'
import { recordClaim } from '../../../src/custody/database/claim-rows.ts'
import type { CustodyAccount } from '../../../src/custody/deposits/derived-keys.ts'
import { Claimer } from '../../../src/custody/payouts/claimer.ts'
import { unspentUTXOs } from '../../../src/custody/payouts/funding.ts'
import { type DueAttempt, PayoutIssuer } from '../../../src/custody/payouts/issuer.ts'
import { sweepPayment } from '../../../src/custody/payouts/payout-content.ts'
import { renewAttempt } from '../../../src/custody/payouts/renewal.ts'
import { AVAX, addUTXOs, beSynced, scene } from '../setup.ts'

describe('renewAttempt', () => {
  it('signs with derived keys, and erases them', async () => {
    const { database, keys, open, settings } = await scene()
    const account = new HDAccount(new Uint8Array(32).fill(3))
    const chains: KeyChain[] = []
    const watched: CustodyAccount = {
      watch: account.watch,
      keyChain: (positions) => {
        const chain = account.keyChain(positions)
        chains.push(chain)
        return chain
      },
    }
    const custody = await open()
    await custody.watchXpub(account.watch.extendedPublicKey, { gap: 2 })
    const own = await settings({ keys: undefined, hot: keys.addresses, accounts: [watched] })
    const { context } = own
    const position = { change: 0, index: 1 } as const
    const address = account.watch.address(position)
    const amount = 2n * AVAX
    await addUTXOs(database, [7], {
      assetID: context.assetID,
      address,
      amount,
      wallet: 'deposit',
    })
    const id = { txID: new Uint8Array(32).fill(7), outputIndex: 0 }
    const utxos = await unspentUTXOs(database, [id])
    const draft = buildTransfer({
      context,
      funds: { utxos, owners: [address], now: 0n },
      outputs: [{ to: own.hot[0]!, amount: AVAX }],
      changeTo: own.hot[0]!,
    })
    const { bytes } = requireSigned(signDraft(draft, account.keyChain([position])))
    await database.transaction(async (tx) => {
      await lockChain(tx)
      const payments = [sweepPayment([id], context)]
      const notes = { purpose: 'sweep', fee: draft.fee, resendMs: 60_000 }
      await recordClaim(tx, { kind: 'payment', payments, bytes, fromHeight: 1n }, notes)
    })
    const [attempt] = await database.query<DueAttempt>('SELECT * FROM @.attempts')
    await beSynced(database)
    const issuer = new PayoutIssuer(own)
    await renewAttempt(own, { claimer: new Claimer(own, issuer), issuer }, attempt!)
    const attempts = await database.query<{ bytes: Uint8Array }>(
      'SELECT bytes FROM @.attempts WHERE outcome IS NULL ORDER BY seq',
    )
    expect(attempts).toHaveLength(2)
    const [first, again] = attempts.map((row) => new Uint8Array(row.bytes))
    expect(first).toEqual(bytes)
    expect(again).not.toEqual(bytes)
    const hashes = [first!, again!].map((one) => hashToSign(decodeTx(one).unsignedTx))
    expect(hashes[1]).toEqual(hashes[0])
    expect(chains.map((chain) => chain.toJSON())).toEqual([{ wiped: true }])
  })
})
