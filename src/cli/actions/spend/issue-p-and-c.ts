import { formatID } from '../../../core/base/encoding/ids.ts'
import * as cChain from '../../../core/c-chain.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import * as pChain from '../../../core/p-chain.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import type { Explanation } from '../../../core/sign/explain/explanation.ts'
import { type AcceptCode, refuseDangers } from '../../../core/sign/sign.ts'
import type { WaitOptions } from '../../../node/index.ts'
import { pAndCClients } from '../../chains/clients.ts'
import type { POrCTx } from '../../chains/signed-tx.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { pendingIfTemporary } from '../../spending/pending.ts'
import { confirm } from '../../terminal/confirm.ts'

/** Issues a transaction of the P- or C-Chain that was signed elsewhere, and waits until it is accepted. */
export async function issueOnPOrC(
  { chain, bytes }: POrCTx,
  invocation: Invocation,
  wait: WaitOptions,
): Promise<Result> {
  const context = await invocation.xContext()
  const explanation = chain === 'P' ? readP(bytes, context) : readC(bytes, context)
  const accept = invocation.values.list('accept') as readonly AcceptCode[]
  refuseDangers(explanation.warnings, { accept })
  await confirm(invocation, explanation, 'Issue this transaction?')
  const clients = await pAndCClients(invocation)
  const client = chain === 'P' ? clients.pChain : clients.cChain
  const { txID, status } = await client
    .issueTx(bytes, invocation.callOptions())
    .catch(pendingIfTemporary)
  const id = formatID(txID)
  if (status !== 'accepted')
    await invocation.during('waiting for acceptance', () => client.waitForTx(bytes, wait))
  return { json: { txID: id, status: 'accepted' }, text: `accepted ${id}` }
}

function readP(bytes: Uint8Array, context: NetworkContext): Explanation {
  const tx = pChain.decodeTx(bytes)
  pChain.verifyTx(tx, context)
  return explainTx<'P'>(tx, { context, chain: 'P' })
}

function readC(bytes: Uint8Array, context: NetworkContext): Explanation {
  const tx = cChain.decodeTx(bytes)
  cChain.verifyTx(tx, context, { helicon: true })
  return explainTx<'C'>(tx, { context, chain: 'C' })
}
