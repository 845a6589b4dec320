import { loadDefaultBackend } from '#backend'
import type { ChangeArgument, Draft } from '../../build/index.ts'
import { equalBytes } from '../../bytes/compare.ts'
import type { NetworkContext } from '../../chain/index.ts'
import { parseJSON } from '../../codec/index.ts'
import { WatchAccount } from '../../crypto/hd.ts'
import { checkedHex, formatID, parseAddress } from '../../encoding/index.ts'
import {
  type AcceptCode,
  type AddressPath,
  explainRequest,
  finishRequest,
  formatExplanation,
  formatRequest,
  mergeRequests,
  parseRequest,
  type SigningRequest,
  signRequest,
} from '../../sign/index.ts'
import { createWallet } from '../../wallet/index.ts'
import {
  type Command,
  confirmOptions,
  expectedNetworkOption,
  keyOptions,
  nodeOptions,
  type Options,
  type Result,
  requestNetworkOption,
} from '../command.ts'
import { UsageError } from '../errors.ts'
import { readText, writeText } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { networkByID } from '../networks.ts'
import { outputsOf, parseOwners, parsePayments } from '../payments.ts'
import { paintExplanation } from '../print.ts'
import { requestJSON } from '../texts.ts'

const outOption: Options = {
  out: { value: 'FILE', short: 'o', help: 'where to write it; default: standard output' },
}

const fileArgument = { name: 'FILE', help: 'the signing request; - for standard input' } as const

const create: Command = {
  name: 'request create',
  summary: 'draft a payment for others to sign, as a file that explains itself',
  details:
    'Needs no key: only the addresses whose UTXOs are spent. The file goes to the signers, who may be offline.\nIt contains the transactions that prove what is spent, so that signers need not trust you or the node.',
  arguments: [
    {
      name: 'PAYMENT',
      help: 'ADDRESS=AMOUNT, any number of them; or ADDRESS AMOUNT for one',
      many: true,
    },
  ],
  options: {
    from: { value: 'ADDRESS', many: true, help: 'whose coins; repeat it for all owners' },
    signers: {
      value: 'WHO',
      help: 'all for any signer set of the owners; the first set that can sign unless told',
      choices: ['all'],
    },
    'destination-chain': { value: 'CHAIN', help: 'export to this chain instead' },
    asset: { value: 'ID', help: 'what to pay; AVAX unless told' },
    'locked-until': { value: 'TIME', help: 'when it can be spent; unix seconds or a date' },
    memo: { value: 'TEXT', help: 'at most 256 bytes, which everybody can read' },
    'change-to': {
      value: 'OWNER',
      help: 'where change goes; may be left out where all coins are of the first owner',
    },
    xpub: {
      value: 'XPUB',
      many: true,
      help: 'extended public key of an account, for the paths that its owner signs by',
    },
    count: { value: 'NUMBER', help: 'how many addresses of each --xpub are searched; default 100' },
    ...outOption,
    ...nodeOptions,
    ...expectedNetworkOption,
  },
  example:
    'request create X-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t=1.5 --from X-fuji15qwuklmrfcmfw78yvka9pjsukjeevl4aqtagvs --signers all --out payout.json',
  run: async (invocation) => {
    const { values } = invocation
    const payments = parsePayments(values.args)
    const from = values.list('from')
    if (from.length === 0)
      throw new UsageError('MISSING_OPTION', 'expected the option --from', {
        hint: 'repeat it for every owner whose coins may be spent',
      })
    const client = await invocation.client()
    const context = await invocation.context()
    const expected = { chain: context.chainAlias, hrp: context.hrp }
    const addresses = from.map((text) => parseAddress(text, expected).address)
    const outputs = await outputsOf(payments, invocation)
    const wallet = createWallet({ client, addresses })
    const memo = values.text('memo')
    const change = values.text('change-to')
    const changeTo = change === undefined ? undefined : parseOwners(change)
    const destinationChain = values.text('destination-chain')
    const call = {
      outputs,
      ...(memo === undefined ? {} : { memo }),
      ...(changeTo === undefined ? {} : { changeTo }),
    }
    const { draft } =
      destinationChain === undefined
        ? await wallet.prepare.transfer(call, invocation.callOptions())
        : await wallet.prepare.export({ ...call, destinationChain }, invocation.callOptions())
    refuseLooseChange(draft, changeTo, addresses[0]!)
    const request = await wallet.request(draft, {
      paths: pathsOf(invocation),
      ...(values.has('signers') ? { signers: 'all' } : {}),
      ...invocation.callOptions(),
    })
    const explanation = explainRequest(request, { ours: addresses, now: invocation.now() })
    return deliver(request, invocation, formatExplanation(explanation))
  },
}

const sign: Command = {
  name: 'request sign',
  summary: 'show a signing request and add the signatures of your keys; works offline',
  details:
    'With a mnemonic, the keys are those of the paths in the request, if it has any for this mnemonic.',
  arguments: [fileArgument],
  options: {
    accept: {
      value: 'CODE',
      many: true,
      choices: [
        'BURN',
        'HIGH_FEE',
        'OPEN_OUTPUT',
        'UNKNOWN_CHAIN',
        'STUCK_EXPORT',
        'UNPROVEN_UTXO',
        'UNPROVEN_ASSET',
        'FOREIGN_CHANGE',
        'SHARED_OUTPUT',
        'LOCKED_RETURN',
        'UNUSED_KEY',
        'KEY_NOT_A_SIGNER',
      ],
      help: 'sign despite this danger; --yes does not accept any',
    },
    ...outOption,
    ...confirmOptions,
    ...keyOptions,
    ...nodeOptions,
    ...requestNetworkOption,
  },
  example: 'request sign payout.json --key-file my.key --out payout-signed.json',
  run: async (invocation) => {
    invocation.requireConfirmable()
    const { values } = invocation
    const request = await readRequest(values.args[0]!, invocation)
    const { keys, ours } = await invocation.keysFor(request)
    const explanation = explainRequest(request, { ours, now: invocation.now() })
    const accept = values.list('accept') as readonly AcceptCode[]
    await invocation.confirm(explanation, 'Sign this?')
    const backend = await loadDefaultBackend()
    return deliver(signRequest(request, keys, { accept, ours, backend }), invocation)
  },
}

const merge: Command = {
  name: 'request merge',
  summary: 'put the signatures of several copies of a request together',
  arguments: [fileArgument, { name: 'COPY', help: 'another copy of it', many: true }],
  options: { ...outOption, ...nodeOptions, ...requestNetworkOption },
  example: 'request merge from-alice.json from-bob.json --out payout.json',
  run: async (invocation) => {
    const copies: SigningRequest[] = []
    for (const path of invocation.values.args) copies.push(await readRequest(path, invocation))
    const [first, ...others] = copies as [SigningRequest, ...SigningRequest[]]
    return deliver(mergeRequests(first, ...others), invocation)
  },
}

const status: Command = {
  name: 'request status',
  summary: 'say what a signing request does, who has signed and who must still',
  arguments: [fileArgument],
  options: { ...nodeOptions, ...requestNetworkOption },
  example: 'request status payout.json',
  run: async (invocation) => {
    const request = await readRequest(invocation.values.args[0]!, invocation)
    const explanation = explainRequest(request, { now: invocation.now() })
    return {
      json: requestJSON(request),
      text: paintExplanation(formatExplanation(explanation), invocation.paint),
    }
  },
}

const finish: Command = {
  name: 'request finish',
  summary: 'make the signed transaction of a request that has all signatures',
  details: 'Prints what avmkit issue takes. Nothing is sent.',
  arguments: [fileArgument],
  options: { ...outOption, ...nodeOptions, ...requestNetworkOption },
  example: 'request finish payout.json | avmkit issue --yes -',
  run: async (invocation) => {
    const request = await readRequest(invocation.values.args[0]!, invocation)
    const { bytes, txID } = finishRequest(request, { backend: await loadDefaultBackend() })
    const tx = checkedHex.encode(bytes)
    const out = invocation.values.text('out')
    if (out !== undefined) writeText(out, `${tx}\n`)
    return {
      json: { txID: formatID(txID), tx },
      text: out === undefined ? tx : `${formatID(txID)} written to ${out}`,
    }
  },
}

/**
 * Without a word change goes to the first of the owners alone: who takes it out of the hands of others must
 * say so.
 */
function refuseLooseChange(
  { change, utxos }: Draft,
  changeTo: ChangeArgument | undefined,
  first: Uint8Array,
): void {
  const isTheirs = utxos.some(
    ({ output: { addresses } }) => addresses.length !== 1 || !equalBytes(addresses[0]!, first),
  )
  if (changeTo !== undefined || change.length === 0 || !isTheirs) return
  throw new UsageError(
    'MISSING_OPTION',
    'expected --change-to, not all of these coins are of the first owner alone',
    {
      hint: 'back to several of them as 2:ADDRESS,ADDRESS, or to one address alone',
    },
  )
}

/** The paths of the first addresses of the accounts that were named, given away and for change. */
function pathsOf({ values }: Invocation): AddressPath[] {
  const count = values.integer('count', 1, 10_000) ?? 100
  const positions = [0, 1].flatMap((change) =>
    Array.from({ length: count }, (_, index) => ({ change, index })),
  )
  return values.list('xpub').flatMap((xpub) => new WatchAccount(xpub).paths(positions))
}

/** Reads a request strictly; facts of networks that are not built in come from the node. */
async function readRequest(path: string, invocation: Invocation): Promise<SigningRequest> {
  const text = await readText(path, invocation.io)
  const network = await expectedNetwork(text, invocation)
  const backend = await loadDefaultBackend()
  return parseRequest(text, { backend, ...(network === undefined ? {} : { network }) })
}

async function expectedNetwork(
  text: string,
  invocation: Invocation,
): Promise<NetworkContext | undefined> {
  const named = await invocation.namedNetwork()
  if (named?.context !== undefined) return named.context
  const networkID = networkIDIn(text)
  const isBuiltIn = networkID === undefined || networkByID(networkID).context !== undefined
  if (isBuiltIn || (await invocation.findURLs()).length === 0) return undefined
  return invocation.context()
}

/** What the file claims; parsing it checks the claim. */
function networkIDIn(text: string): number | undefined {
  try {
    const { network } = parseJSON(text) as { network?: { networkID?: unknown } }
    return typeof network?.networkID === 'number' ? network.networkID : undefined
  } catch {
    return undefined
  }
}

/** Writes a request where the user wants it: the file itself is what programs read, too. */
function deliver(request: SigningRequest, invocation: Invocation, explanation?: string): Result {
  const text = formatRequest(request)
  const out = invocation.values.text('out')
  if (out === undefined) return { json: parseJSON(text), text: text.trimEnd() }
  writeText(out, text)
  const state = requestJSON(request)
  const missing = state.variants[0]!.missing
  const line = state.complete ? 'complete' : `missing ${missing.join(', ')}`
  return {
    json: { file: out, ...state },
    text: `${explanation === undefined ? '' : `${explanation}\n`}${state.id} written to ${out}: ${line}`,
  }
}

/** The offline round trip. */
export const requestCommands: readonly Command[] = [create, sign, merge, status, finish]
