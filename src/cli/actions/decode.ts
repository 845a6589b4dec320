import { existsSync } from 'node:fs'
import {
  blockID,
  blockToJSON,
  blockTxIDs,
  encodeTx,
  encodeUTXO,
  genesisTx,
  hashToSign,
  txID,
  txToJSON,
  utxoID,
  utxoToJSON,
} from '../../chain/index.ts'
import { addressOf, publicKeyOf } from '../../crypto/index.ts'
import {
  cb58,
  formatAddress,
  formatID,
  formatNodeID,
  formatUTXOName,
  hex,
} from '../../encoding/index.ts'
import { explainRequest, explainTx } from '../../sign/index.ts'
import type { Result } from '../command.ts'
import { type Detected, detect, KINDS } from '../detect.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { type NamedNetwork, networkByID, networkOfAsset } from '../networks.ts'
import type { Paint } from '../paint.ts'
import { plain } from '../plain.ts'
import { explanationText, facts, table, timeText } from '../print.ts'
import { addressText, knownNames, nameOfID, requestJSON } from '../texts.ts'
import { showOfOtherChain } from './decode-chains.ts'

/** Decodes any text. */
export async function decode(invocation: Invocation): Promise<Result> {
  const { values, paint } = invocation
  const network = await invocation.namedNetwork()
  const as = KINDS.find((kind) => kind === values.text('as'))
  const found = detect(await textOf(invocation), { as, network })
  const told =
    found.kind === 'utxo' || found.kind === 'pUTXO' ? networkOfAsset(found.utxo.assetID) : undefined
  return show(found, network ?? told ?? (await invocation.network()), paint)
}

/**
 * The text of the first argument, or of standard input for `-`.
 *
 * @throws UsageError `BAD_VALUE` if the argument is the name of a file
 */
export async function textOf({ values, io, command }: Invocation): Promise<string> {
  const [text] = values.args as [string]
  if (text === '-') return readText('-', io)
  // IDs and addresses are not names of files here, but `tx.json` and `./signed` are.
  if (/[./\\]/.test(text) && existsSync(text))
    throw new UsageError('BAD_VALUE', 'the argument is the name of a file', {
      hint: `to read a file: avmkit ${command.name} - < FILE`,
    })
  return text
}

function show(found: Detected, network: NamedNetwork, paint: Paint): Result {
  switch (found.kind) {
    case 'tx':
      return showTx(found, paint)
    case 'unsignedTx':
      return showUnsigned(found, paint)
    case 'utxo':
      return showUTXO(found, network, paint)
    case 'block':
      return showBlock(found, network, paint)
    case 'genesis':
      return showGenesis(found, paint)
    case 'request':
      return showRequest(found, paint)
    case 'pTx':
    case 'pUnsignedTx':
    case 'pUTXO':
    case 'cTx':
    case 'cUnsignedTx':
      return showOfOtherChain(found, network, paint)
    case 'id':
    case 'shortID':
    case 'nodeID':
    case 'utxoName':
    case 'address':
      return showName(found, network, paint)
    case 'publicKey':
      return showKey('public key', found.publicKey, network, paint)
    case 'privateKey':
      return showKey('private key', publicKeyOf(found.privateKey), network, paint)
    case 'extendedPublicKey': {
      const publicKey = found.account.publicKey({ change: 0, index: 0 })
      const path = found.account.path({ change: 0, index: 0 })
      return showKey('extended public key', publicKey, network, paint, path)
    }
  }
}

function showTx({ form, tx }: Detected & { kind: 'tx' }, paint: Paint): Result {
  const bytes = encodeTx(tx)
  const id = formatID(txID(bytes))
  const { context, ...known } = networkByID(tx.unsignedTx.networkID)
  const json = txToJSON(tx, { ...known, chainAlias: 'X' })
  const head = facts(
    [
      ['kind', `transaction, ${tx.unsignedTx.type}`],
      ['txID', id],
      ['form', form],
      ['size', `${bytes.length} bytes`],
    ],
    paint,
  )
  const body =
    context === undefined
      ? JSON.stringify(plain(json), null, 2)
      : explanationText(explainTx(tx, { context }), paint)
  return {
    json: { kind: 'tx', form, txID: id, size: bytes.length, tx: json },
    text: `${head}\n\n${body}`,
  }
}

function showUnsigned({ form, tx }: Detected & { kind: 'unsignedTx' }, paint: Paint): Result {
  const { context, ...known } = networkByID(tx.networkID)
  const shown = txToJSON({ unsignedTx: tx, credentials: [] }, { ...known, chainAlias: 'X' })
  const { unsignedTx } = shown as { readonly unsignedTx: unknown }
  const hash = hex.encode(hashToSign(tx))
  const head = facts(
    [
      ['kind', `unsigned transaction, ${tx.type}`],
      ['hash', hash],
      ['form', form],
    ],
    paint,
  )
  const body =
    context === undefined
      ? JSON.stringify(plain(unsignedTx), null, 2)
      : explanationText(explainTx({ unsignedTx: tx, credentials: [] }, { context }), paint)
  return { json: { kind: 'unsignedTx', form, hash, unsignedTx }, text: `${head}\n\n${body}` }
}

function showUTXO(
  { form, utxo }: Detected & { kind: 'utxo' },
  network: NamedNetwork,
  paint: Paint,
): Result {
  const name = formatUTXOName(utxo)
  const id = formatID(utxoID(utxo.txID, utxo.outputIndex))
  const { output } = utxo
  const json = utxoToJSON(utxo, { hrp: network.hrp, chainAlias: 'X' })
  const text = facts(
    [
      ['kind', `UTXO, ${output.type}`],
      ['name', name],
      ['utxoID', id],
      ['asset', nameOfID(utxo.assetID)],
      ['amount', 'amount' in output ? `${output.amount} units` : undefined],
      ['group', 'groupID' in output ? output.groupID : undefined],
      ['payload', 'payload' in output ? `0x${hex.encode(output.payload)}` : undefined],
      [
        'owners',
        `${output.threshold} of ${output.addresses.map((a) => addressText(a, network)).join(', ')}`,
      ],
      ['locked', output.locktime === 0n ? undefined : `until ${timeText(output.locktime)}`],
      ['form', form],
      ['size', `${encodeUTXO(utxo).length} bytes`],
    ],
    paint,
  )
  return { json: { kind: 'utxo', form, name, utxoID: id, type: output.type, utxo: json }, text }
}

/** Shows a block. */
export function showBlock(
  { form, block }: Detected & { kind: 'block' },
  network: NamedNetwork,
  paint: Paint,
): Result {
  const id = formatID(blockID(block))
  const [first] = block.txs
  const { hrp } = first === undefined ? network : networkByID(first.unsignedTx.networkID)
  const txIDs = blockTxIDs(block).map(formatID)
  const head = facts(
    [
      ['kind', 'block'],
      ['blockID', id],
      ['parentID', formatID(block.parentID)],
      ['height', block.height],
      ['time', timeText(block.time)],
      ['form', form],
      ['transactions', block.txs.length],
    ],
    paint,
  )
  const rows = block.txs.map((tx, i) => [txIDs[i]!, tx.unsignedTx.type])
  const list = table([{ title: 'txID' }, { title: 'type' }], rows, paint)
  return {
    json: {
      kind: 'block',
      form,
      blockID: id,
      txIDs,
      block: blockToJSON(block, { hrp, chainAlias: 'X' }),
    },
    text: rows.length === 0 ? head : `${head}\n\n${list}`,
  }
}

function showGenesis({ form, genesis }: Detected & { kind: 'genesis' }, paint: Paint): Result {
  const assets = genesis.assets.map((asset) => ({
    assetID: formatID(txID(genesisTx(asset))),
    alias: asset.alias,
    name: asset.tx.name,
    symbol: asset.tx.symbol,
    denomination: asset.tx.denomination,
  }))
  const head = facts(
    [
      ['kind', 'genesis data'],
      ['form', form],
      ['assets', assets.length],
    ],
    paint,
  )
  const rows = assets.map((asset) => [asset.assetID, asset.alias, asset.name, asset.symbol])
  const titles = ['assetID', 'alias', 'name', 'symbol'].map((title) => ({ title }))
  return {
    json: { kind: 'genesis', form, assets },
    text: `${head}\n\n${table(titles, rows, paint)}`,
  }
}

function showRequest({ request }: Detected & { kind: 'request' }, paint: Paint): Result {
  const status = requestJSON(request)
  const head = facts(
    [
      ['kind', 'signing request'],
      ['id', status.id],
    ],
    paint,
  )
  const body = explanationText(explainRequest(request), paint)
  const text = `${head}\n\n${body}`
  return { json: { kind: 'request', ...status }, text }
}

type Name = Extract<Detected, { kind: 'id' | 'shortID' | 'nodeID' | 'utxoName' | 'address' }>

function showName(found: Name, network: NamedNetwork, paint: Paint): Result {
  switch (found.kind) {
    case 'id': {
      const id = formatID(found.id)
      const knownAs = knownNames(found.id)
      const rows = [
        ['kind', 'ID'],
        ['cb58', id],
        ['hex', hex.encode(found.id)],
        ['known as', knownAs.length === 0 ? undefined : knownAs.join(', ')],
      ] as const
      return {
        json: { kind: 'id', id, hex: hex.encode(found.id), knownAs },
        text: facts(rows, paint),
      }
    }
    case 'utxoName': {
      const id = formatID(utxoID(found.txID, found.outputIndex))
      const parts = { txID: formatID(found.txID), outputIndex: found.outputIndex, utxoID: id }
      const rows = [['kind', 'name of a UTXO'], ...Object.entries(parts)] as const
      return { json: { kind: 'utxoName', ...parts }, text: facts(rows, paint) }
    }
    case 'nodeID': {
      const parts = { nodeID: formatNodeID(found.nodeID), hex: hex.encode(found.nodeID) }
      const rows = [['kind', 'node ID'], ...Object.entries(parts)] as const
      return { json: { kind: 'nodeID', ...parts }, text: facts(rows, paint) }
    }
    case 'shortID': {
      const parts = {
        cb58: cb58.encode(found.bytes),
        hex: hex.encode(found.bytes),
        // As an address of this chain, the 20 bytes of an EVM account belong to nobody.
        ...(found.isEVM ? {} : { address: addressText(found.bytes, network) }),
        nodeID: formatNodeID(found.bytes),
      }
      const rows = [
        [
          'kind',
          found.isEVM
            ? '20 bytes with 0x: an EVM address, which has no X-address, or a node ID'
            : '20 bytes: an address or a node ID',
        ],
        ...Object.entries(parts),
      ] as const
      return { json: { kind: 'shortID', ...parts }, text: facts(rows, paint) }
    }
    case 'address': {
      const { chain, hrp, address } = found
      const parts = { address: formatAddress(found), chain, hrp, hex: hex.encode(address) }
      const rows = [['kind', 'address'], ...Object.entries(parts)] as const
      return { json: { kind: 'address', ...parts }, text: facts(rows, paint) }
    }
  }
}

function showKey(
  what: string,
  publicKey: Uint8Array,
  network: NamedNetwork,
  paint: Paint,
  path?: string,
): Result {
  const parts = {
    publicKey: hex.encode(publicKey),
    address: addressText(addressOf(publicKey), network),
    ...(path === undefined ? {} : { path }),
  }
  const kind = what.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    json: { kind, ...parts },
    text: facts([['kind', what], ...Object.entries(parts)], paint),
  }
}
