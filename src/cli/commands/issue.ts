import { type SignedTx, verifyTx } from '../../chain/index.ts'
import { formatID, parseID } from '../../encoding/index.ts'
import { IssueError } from '../../rpc/index.ts'
import { type Issued, isNotFound } from '../../rpc/issue.ts'
import { type DangerCode, explainTx } from '../../sign/index.ts'
import { refuseDangers } from '../../sign/sign.ts'
import { type Command, confirmOptions, expectedNetworkOption, nodeOptions } from '../command.ts'
import { detect } from '../detect.ts'
import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { textOf } from './decode.ts'
import { lookUp } from './explain.ts'

const waitOption = {
  wait: { value: 'SECONDS', help: 'how long to wait for acceptance; 60 unless told' },
} as const

/** Sends what was signed elsewhere. */
export const issue: Command = {
  name: 'issue',
  summary: 'send a signed transaction and wait until it is accepted',
  details: 'Sending the same again never pays twice.',
  arguments: [{ name: 'TX', help: 'the signed transaction; - for standard input' }],
  options: {
    accept: {
      value: 'CODE',
      many: true,
      choices: ['BURN', 'HIGH_FEE', 'OPEN_OUTPUT', 'UNKNOWN_CHAIN', 'STUCK_EXPORT'],
      help: 'send despite this danger',
    },
    ...confirmOptions,
    ...waitOption,
    ...nodeOptions,
    ...expectedNetworkOption,
  },
  example: 'request finish payout.json | avmkit issue --yes -',
  run: async (invocation) => {
    invocation.requireConfirmable()
    const tx = await readSigned(invocation)
    verifyTx(tx, await invocation.context())
    const known = await lookUp(tx.unsignedTx, invocation)
    const explanation = explainTx(tx, { now: invocation.now(), ...known })
    refuseDangers(explanation.warnings, {
      accept: invocation.values.list('accept') as DangerCode[],
    })
    await invocation.confirm(explanation, 'Send this?')
    const client = await invocation.client()
    const issued = await client.issueTx(tx, invocation.callOptions()).catch(pendingYet)
    const id = formatID(issued.txID)
    if (issued.status !== 'accepted') await waitFor(tx, invocation)
    return { json: { txID: id, status: 'accepted' }, text: `accepted ${id}` }
  },
}

/** A sending that may have arrived, or can be repeated, is left to the waiting. */
function pendingYet(error: unknown): Issued {
  if (error instanceof IssueError && error.class === 'retry-later' && !error.remembered)
    return { txID: error.txID, status: 'pending' }
  throw error
}

/** Says where a transaction stands, without waiting. */
export const status: Command = {
  name: 'status',
  summary: 'say whether a transaction is accepted; pending and never seen are both unknown',
  arguments: [{ name: 'TXID', help: 'its ID' }],
  options: { ...nodeOptions },
  example: 'status 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  run: async (invocation) => {
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
  },
}

/** Waits for a transaction that somebody sent. */
export const wait: Command = {
  name: 'wait',
  summary: 'wait until a transaction is accepted',
  arguments: [{ name: 'TXID', help: 'its ID' }],
  options: { ...waitOption, ...nodeOptions },
  example: 'wait 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe --wait 120',
  run: async (invocation) => {
    const id = parseID(invocation.values.args[0]!)
    await waitFor(id, invocation)
    return { json: { txID: formatID(id), status: 'accepted' }, text: 'accepted' }
  },
}

async function waitFor(tx: SignedTx | Uint8Array, invocation: Invocation): Promise<void> {
  const client = await invocation.client()
  await invocation.during('seconds waited for acceptance', () =>
    client.waitForTx(tx, waitOptions(invocation)),
  )
}

/** How long the user wants to wait. */
export function waitOptions(invocation: Invocation): { timeoutMs: number; signal?: AbortSignal } {
  const seconds = invocation.values.integer('wait', 1, 86_400) ?? 60
  return { timeoutMs: seconds * 1000, ...invocation.callOptions() }
}

async function readSigned(invocation: Invocation): Promise<SignedTx> {
  const found = detect(await textOf(invocation))
  if (found.kind === 'tx') return found.tx
  throw new CliError('NOT_RECOGNIZED', `expected a signed transaction, found ${found.kind}`, {
    ...(found.kind === 'request' ? { hint: 'avmkit request finish makes one of it' } : {}),
  })
}
