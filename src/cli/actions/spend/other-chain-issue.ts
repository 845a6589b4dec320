import { formatID } from '../../../core/base/encoding/ids.ts'
import * as cChain from '../../../core/c-chain.ts'
import type { NetworkContext } from '../../../core/chain/networks.ts'
import * as pChain from '../../../core/p-chain.ts'
import { formatAtomicExplanation } from '../../../core/sign/atomic/explain-text.ts'
import { refuseDangers } from '../../../core/sign/sign.ts'
import type { DangerCode } from '../../../core/sign/warnings.ts'
import type { WaitOptions } from '../../../node/index.ts'
import type { SignedOtherChainTx } from '../../chains/other-chain-tx.ts'
import { otherChains } from '../../chains/other-chains.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { pendingIfTemporary } from '../../spending/pending.ts'
import { confirmWarned } from '../../terminal/confirm.ts'

/** Issues a transaction of the P- or C-Chain that was signed elsewhere, and waits until it is accepted. */
export async function issueOnOtherChain(
  { chain, bytes }: SignedOtherChainTx,
  invocation: Invocation,
  wait: WaitOptions,
): Promise<Result> {
  const context = await invocation.xContext()
  const explanation = chain === 'P' ? readP(bytes, context) : readC(bytes, context)
  refuseDangers(explanation.warnings, {
    accept: invocation.values.list('accept') as DangerCode[],
  })
  const text = () => formatAtomicExplanation(explanation, context)
  await confirmWarned(invocation, explanation.warnings, text, 'Issue this transaction?')
  const clients = await otherChains(invocation)
  const client = chain === 'P' ? clients.pChain : clients.cChain
  const { txID, status } = await client
    .issueTx(bytes, invocation.callOptions())
    .catch(pendingIfTemporary)
  const id = formatID(txID)
  if (status !== 'accepted')
    await invocation.during('waiting for acceptance', () => client.waitForTx(bytes, wait))
  return { json: { txID: id, status: 'accepted' }, text: `accepted ${id}` }
}

function readP(bytes: Uint8Array, context: NetworkContext): pChain.AtomicExplanation {
  const tx = pChain.decodeTx(bytes)
  pChain.verifyTx(tx, context)
  return pChain.explainDraft({ unsignedTx: tx.unsignedTx, context }, { ours: [] })
}

function readC(bytes: Uint8Array, context: NetworkContext): cChain.AtomicExplanation {
  const tx = cChain.decodeTx(bytes)
  cChain.verifyTx(tx, context, { helicon: true })
  return cChain.explainDraft({ unsignedTx: tx.unsignedTx, context }, { ours: [] })
}
