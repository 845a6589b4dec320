import { readFileSync } from 'node:fs'
import { formatAmount, parseAmount } from '../../core/base/encoding/amount.ts'
import { formatID } from '../../core/base/encoding/ids.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { DevNode, TestAccounts } from '../../devnode/index.ts'
import type { Result } from '../command.ts'
import { parseNetwork } from '../connections/parse-network.ts'
import { CliError, UsageError } from '../errors.ts'
import { unreadable, unwritable } from '../files/files.ts'
import { makeFolder, replaceFile } from '../files/write-file.ts'
import type { Invocation } from '../invocation.ts'
import { parseGrant } from '../spending/amounts.ts'
import { jsonLine } from '../terminal/plain.ts'
import { details, table } from '../terminal/print.ts'

/** Key of the local network's funds, published with the node. */
const EWOQ_KEY = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'

/** Runs a development node until the command is interrupted. */
export async function devnode(invocation: Invocation): Promise<Result | undefined> {
  const { values, io } = invocation
  const grants = values.list('fund').map(parseGrant)
  const count = values.integer('accounts', 0, 1000) ?? 10
  const balance = parseAmount(values.text('balance') ?? '10000')
  const port = values.integer('port', 0, 65_535) ?? 9650
  const dump = values.text('dump')
  const node = await createNode(invocation)
  try {
    const { testAccounts } = await import('../../devnode/index.ts')
    const { context } = node
    const test = await testAccounts({ hrp: context.hrp, count, seed: values.text('seed') })
    // A stored chain already contains the funds.
    if (isNew(invocation)) fundAccounts(node, test, balance)
    const funded = grants.map(({ address, amount }) => ({
      address,
      amount,
      txID: formatID(node.fund(address, amount)),
    }))
    const { url } = await node.listen({ port }).catch((cause) => {
      throw new CliError('PORT_UNAVAILABLE', `cannot listen on port ${port}`, {
        cause,
        hint: 'another program may use it: choose another --port, or 0 for any free port',
      })
    })
    const json = {
      url,
      networkID: context.networkID,
      chainID: formatID(context.chainID),
      assetID: formatID(context.assetID),
      txFee: context.txFee,
      createAssetTxFee: context.createAssetTxFee,
      mnemonic: test.mnemonic,
      accounts: test.accounts.map((account) => ({ ...account, balance })),
      funded,
    }
    io.stdout.write(`${values.has('json') ? jsonLine(json) : startedText(json, invocation)}\n`)
    await interruption(io.signal)
    if (dump !== undefined) replaceFile(dump, node.dump())
  } finally {
    await node.close()
  }
  return undefined
}

async function createNode({ values }: Invocation): Promise<DevNode> {
  const folder = values.text('folder')
  const load = values.text('load')
  const network = values.text('network')
  const seconds = values.integer('block-time', 1, 86_400)
  const blocks = values.text('blocks')
  const upgrade = values.text('upgrade')
  if (seconds !== undefined && blocks !== undefined && blocks !== 'real')
    throw new UsageError('BAD_VALUE', '--block-time needs --blocks real')
  const state = load === undefined ? undefined : readState(load)
  if (folder !== undefined) makeFolder(folder)
  const { createDevNode, publicServerRefusals } = await import('../../devnode/index.ts')
  return createDevNode({
    blocks:
      seconds !== undefined || blocks === 'real' ? 'real' : blocks === 'manual' ? blocks : 'auto',
    blockTimeMs: seconds === undefined ? undefined : seconds * 1000,
    folder,
    load: state,
    dumpable: values.has('dump'),
    networkID: network === undefined ? undefined : networkIDOf(network),
    helicon: upgrade === undefined ? undefined : upgrade === 'helicon',
    refusedMethods: values
      .list('refuse')
      .flatMap((name) => (name === 'public' ? publicServerRefusals : [name])),
    httpAPIs: { apiKeys: values.list('api-key') },
  }).catch((cause) => {
    throw cause instanceof AvmError || folder === undefined ? cause : unwritable(folder, cause)
  })
}

/** @throws UsageError `BAD_VALUE`, also for the file of a profile */
function networkIDOf(network: string): number {
  try {
    return parseNetwork(network).networkID
  } catch (cause) {
    throw new UsageError(
      'BAD_VALUE',
      'the network of a development node must be mainnet, fuji, local or a network ID',
      {
        cause,
        hint: 'its address prefix and IDs follow from the network ID: it cannot imitate the network of a profile',
      },
    )
  }
}

function readState(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function isNew({ values }: Invocation): boolean {
  return !values.has('load') && !values.has('folder')
}

function fundAccounts(node: DevNode, { accounts }: TestAccounts, balance: bigint): void {
  if (balance === 0n) return
  for (const { address, pAddress, cAddress } of accounts) {
    node.fund(address, balance)
    node.pChain.fund({ address: pAddress, amount: balance })
    node.cChain.fund(cAddress, balance)
  }
}

type Started = {
  readonly url: string
  readonly networkID: number
  readonly chainID: string
  readonly assetID: string
  readonly txFee: bigint
  readonly mnemonic: string
  readonly accounts: TestAccounts['accounts']
  readonly funded: readonly { readonly address: string; readonly amount: bigint }[]
}

function startedText(started: Started, { paint }: Invocation): string {
  const { url, accounts, mnemonic, funded } = started
  const head = details(
    [
      ['url', url],
      ['network', started.networkID],
      ['chain ID', started.chainID],
      ['native asset', started.assetID],
      ['fee', `${formatAmount(started.txFee)} AVAX`],
      ['control', `${url}/ext/devnode`],
      ...funded.map(
        ({ address, amount }) =>
          ['funded', `${address} with ${formatAmount(amount)} AVAX`] as const,
      ),
      ['stop', 'Ctrl-C'],
    ],
    paint,
  )
  if (accounts.length === 0) return head
  const columns = [{ title: 'test account' }, { title: 'private key' }]
  const rows = accounts.map(({ address, privateKey }) => [address, privateKey])
  return [
    head,
    table(columns, rows, paint),
    details(
      [
        ['mnemonic', mnemonic],
        ...(started.networkID === 12345 ? [['ewoq key', EWOQ_KEY] as const] : []),
      ],
      paint,
    ),
    paint.red('These keys are public. Never use them on a real network.'),
    `AVMKIT_KEY=${accounts[0]!.privateKey} avmkit send ${accounts.at(-1)!.address} 1 --url ${url}`,
  ].join('\n\n')
}

function interruption(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
