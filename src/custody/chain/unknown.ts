import { hex } from '../../core/base/encoding/hex.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import { txSigners } from '../../wallet/evidence/signatures.ts'
import type { Queries } from '../database/database.ts'
import { idColumns } from '../database/values.ts'
import type { AcceptedTx } from './foreign.ts'
import { knownAddresses } from './outputs.ts'

/**
 * SQL expression: the transaction of an output with the content of a payout `p` to which no payout is attributed, unless
 * an operator has released the payout although it was known; null if there is none.
 */
export const MADE_BY: string = `(SELECT u.tx_id FROM @.unknown_outputs u
  WHERE u.resolved_at IS NULL AND u.address = p.address AND u.asset_id = p.asset_id AND u.amount = p.amount
    AND u.tx_id <> ALL(coalesce(p.not_made_by, '{}')) ORDER BY u.height, u.tx_id LIMIT 1)`

/**
 * Records what transactions of a block have paid to others that keys of this system have signed, but that were not
 * claimed here. If the database was restored from a backup, they may have made payouts that are requested again: such
 * requests are held until an operator says which payout each output belongs to.
 */
export async function recordUnknown(
  tx: Queries,
  unclaimed: readonly AcceptedTx[],
  height: bigint,
  backend: Secp256k1Backend,
): Promise<void> {
  const found = []
  for (const { tx: signed, txID } of unclaimed) {
    // By its signatures: outputs that it spends may not be known, and others may own some of them, too.
    const signers = await knownAddresses(tx, txSigners(signed, backend))
    if (signers.size === 0) continue
    for (const [outputIndex, { assetID, output }] of signed.unsignedTx.outputs.entries())
      if (output.addresses.length === 1)
        found.push({
          txID,
          outputIndex,
          assetID,
          amount: output.amount,
          owner: output.addresses[0]!,
        })
  }
  if (found.length === 0) return
  const own = await knownAddresses(
    tx,
    found.map(({ owner }) => owner),
  )
  const toOthers = found.filter(({ owner }) => !own.has(hex.encode(owner)))
  await tx.query(
    `INSERT INTO @.unknown_outputs (tx_id, output_index, height, address, asset_id, amount)
     SELECT t, o, $6, a, s, m FROM unnest($1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::numeric[]) AS paid(t, o, a, s, m)
     ON CONFLICT DO NOTHING`,
    [
      ...idColumns(toOthers),
      toOthers.map(({ owner }) => owner),
      toOthers.map(({ assetID }) => assetID),
      toOthers.map(({ amount }) => amount),
      height,
    ],
  )
}
