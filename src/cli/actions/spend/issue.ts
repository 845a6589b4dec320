import { formatID, parseID } from '../../../core/base/encoding/ids.ts'
import type { SignedTx } from '../../../core/chain/x/tx.ts'
import { verifyTx } from '../../../core/chain/x/verify/verify.ts'
import { explainTx } from '../../../core/sign/explain/explain.ts'
import { refuseDangers } from '../../../core/sign/sign.ts'
import type { DangerCode } from '../../../core/sign/warnings.ts'
import { detect } from '../../../inspect/detect.ts'
import { InspectError } from '../../../inspect/errors.ts'
import type { CallOptions } from '../../../node/index.ts'
import { isNotFound } from '../../../node/issue/issue.ts'
import { pOrCTxIn } from '../../chains/signed-tx.ts'
import type { Result } from '../../command.ts'
import { argumentText } from '../../files/input.ts'
import type { Invocation } from '../../invocation.ts'
import { pendingIfTemporary } from '../../spending/pending.ts'
import { confirm, requireConfirmable } from '../../terminal/confirm.ts'
import { lookUp } from '../offline/explain.ts'

/** Issues a transaction that was signed elsewhere, and waits until it is accepted. */
export async function issue(invocation: Invocation): Promise<Result> {
  const text = await argumentText(invocation)
  const onPOrC = pOrCTxIn(text)
  const onX = onPOrC === undefined ? readSigned(text) : undefined
  const wait = waitOptions(invocation)
  await invocation.nodeURLs()
  requireConfirmable(invocation)
  if (onX !== undefined) return issueOnX(onX, invocation)
  return (await import('./issue-p-and-c.ts')).issueOnPOrC(onPOrC!, invocation, wait)
}

async function issueOnX(tx: SignedTx, invocation: Invocation): Promise<Result> {
  verifyTx(tx, await invocation.context())
  const known = await lookUp(tx.unsignedTx, invocation)
  const explanation = explainTx(tx, { now: invocation.now(), ...known })
  refuseDangers(explanation.warnings, {
    accept: invocation.values.list('accept') as DangerCode[],
  })
  await confirm(invocation, explanation, 'Issue this transaction?')
  const client = await invocation.client()
  const issued = await client.issueTx(tx, invocation.callOptions()).catch(pendingIfTemporary)
  const id = formatID(issued.txID)
  if (issued.status !== 'accepted') await waitForAcceptance(tx, invocation)
  return { json: { txID: id, status: 'accepted' }, text: `accepted ${id}` }
}

/** Shows whether a transaction is accepted, without waiting. */
export async function status(invocation: Invocation): Promise<Result> {
  const id = parseID(invocation.values.args[0]!)
  const client = await invocation.client()
  const found = await client.avm.getTx({ txID: id }, invocation.callOptions()).then(
    () => 'accepted',
    (error: unknown) => {
      if (isNotFound(error)) return 'unknown'
      throw error
    },
  )
  return { json: { txID: formatID(id), status: found }, text: found }
}

/** Waits until a transaction is accepted. */
export async function wait(invocation: Invocation): Promise<Result> {
  const id = parseID(invocation.values.args[0]!)
  await waitForAcceptance(id, invocation)
  return { json: { txID: formatID(id), status: 'accepted' }, text: 'accepted' }
}

async function waitForAcceptance(tx: SignedTx | Uint8Array, invocation: Invocation): Promise<void> {
  const client = await invocation.client()
  await invocation.during('waiting for acceptance', () =>
    client.waitForTx(tx, waitOptions(invocation)),
  )
}

/** The time limit from `--wait`. */
export function waitOptions(invocation: Invocation): CallOptions & { timeoutMs: number } {
  const seconds = invocation.values.integer('wait', 1, 86_400) ?? 60
  return { timeoutMs: seconds * 1000, ...invocation.callOptions() }
}

function readSigned(text: string): SignedTx {
  const found = detect(text)
  if (found.kind === 'tx') return found.tx
  throw new InspectError('NOT_RECOGNIZED', `expected a signed transaction, found ${found.kind}`, {
    hint:
      found.kind === 'request' ? 'avmkit request finish prints the signed transaction' : undefined,
  })
}
