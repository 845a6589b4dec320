import { cb58 } from '../../core/base/encoding/cb58.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { formatID, formatNodeID, formatUTXOID } from '../../core/base/encoding/ids.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import * as cChain from '../../core/chain/c/tx.ts'
import { networks } from '../../core/chain/networks.ts'
import * as pChain from '../../core/chain/p/tx.ts'
import { genesisTx } from '../../core/chain/x/genesis.ts'
import { blockID, hashToSign, txID, utxoID } from '../../core/chain/x/ids.ts'
import type { UTXOID } from '../../core/chain/x/transferables.ts'
import { addressOf, publicKeyOf } from '../../core/crypto/secp256k1.ts'
import { formatTime } from '../../core/sign/explain/explain-warnings.ts'
import { isTx, unsignedTxOf } from '../../inspect/explain.ts'
import { networkOfAsset, networkOfTx } from '../../inspect/networks.ts'
import { addressText, knownNames, nameOfID } from '../../inspect/texts.ts'
import { actions, button, type Child, details, el, setChildren } from '../dom.ts'
import { networkBadge } from '../elements/network-badge.ts'
import type { Found, Loaded } from '../read.ts'
import { structure } from '../structure.ts'
import type { View, ViewHost } from './view.ts'

/** Shows what a document is, its structure and its bytes. */
export function decodeView(host: ViewHost): View {
  const element = el('div')
  const update = () => {
    const loaded = host.loaded()
    if (loaded === undefined || loaded.text.trim() === '')
      return setChildren(
        element,
        el('p', {}, 'Load something to see what it is.'),
        actions(button('Load a document', () => host.open('Load'), { class: 'primary' })),
      )
    const { found, bytes, decoded } = loaded
    setChildren(
      element,
      found === undefined
        ? undefined
        : el('div', { 'aria-live': 'polite' }, details(rowsOfFound(found))),
      bytes === undefined
        ? undefined
        : decoded === undefined
          ? el('p', {}, `${bytes.length} bytes are too many to show their structure.`)
          : structure(decoded, bytes),
    )
  }
  return { element, update }
}

/** The kind of a document in a few words, with its network; undefined if it is not known. */
export function kindOf({ found }: Loaded): Child[] | undefined {
  if (found === undefined) return undefined
  const rows = new Map(rowsOfFound(found))
  const network =
    found.kind === 'request'
      ? found.request.context
      : isTx(found)
        ? networkOfTx(unsignedTxOf(found))
        : undefined
  return [
    network === undefined ? undefined : networkBadge(network),
    el('span', {}, String(rows.get('kind'))),
  ]
}

type DetailRows = Parameters<typeof details>[0]

function rowsOfFound(found: Found): DetailRows {
  switch (found.kind) {
    case 'tx':
      return [
        ['kind', `signed transaction, ${found.tx.unsignedTx.type}`],
        ['network', networkOfTx(found.tx.unsignedTx).name],
        ['txID', formatID(txID(found.tx))],
        ['form', found.form],
      ]
    case 'unsignedTx':
      return [
        ['kind', `unsigned transaction, ${found.tx.type}`],
        ['network', networkOfTx(found.tx).name],
        ['hash to sign', hex.encode(hashToSign(found.tx))],
        ['form', found.form],
      ]
    case 'utxo':
      return [
        ['kind', `UTXO, ${found.utxo.output.type}`],
        ...utxoRows(found.utxo),
        ['form', found.form],
      ]
    case 'block':
      return [
        ['kind', 'block'],
        ['block ID', formatID(blockID(found.block))],
        ['height', found.block.height],
        ['time', formatTime(found.block.time)],
        ['transactions', found.block.txs.length],
        ['form', found.form],
      ]
    case 'genesis':
      return [
        ['kind', 'genesis data'],
        ['form', found.form],
        ...found.genesis.assets.map(
          (asset) => [`asset ${asset.alias}`, formatID(txID(genesisTx(asset)))] as const,
        ),
      ]
    case 'pTx':
      return otherTxRows('P', found, sha256(pChain.encodeTx(found.tx)))
    case 'cTx':
      return otherTxRows('C', found, sha256(cChain.encodeTx(found.tx)))
    case 'pUnsignedTx':
      return otherUnsignedRows('P', found, sha256(pChain.encodeUnsignedTx(found.tx)))
    case 'cUnsignedTx':
      return otherUnsignedRows('C', found, sha256(cChain.encodeUnsignedTx(found.tx)))
    case 'pUTXO':
      return [
        ['kind', `UTXO of the P-Chain, ${found.utxo.output.type}`],
        ...utxoRows(found.utxo),
        ['form', found.form],
      ]
    case 'networkProfile': {
      const { name, networkID, hrp, chainID, assetID } = found.profile.context
      return [
        ['kind', 'network profile: requests of this network can be read now'],
        ['network', name],
        ['network ID', networkID],
        ['address prefix', hrp],
        ['X-Chain', formatID(chainID)],
        ['native asset', formatID(assetID)],
      ]
    }
    case 'policy': {
      const { name, checksum, addressBook, registered, rules } = found.policy
      const book = rules.addressBook === undefined ? 'not required' : 'not loaded yet'
      return [
        ['kind', 'policy of a signer: it decides about all requests that are read now'],
        ['name', name],
        ['network ID', rules.networkID],
        ['checksum', checksum],
        [
          'address book',
          addressBook === undefined ? book : `${addressBook.edition}: ${addressBook.checksum}`,
        ],
        ...registered.map((vault): [string, string] => [
          `vault ${vault.name}`,
          `${vault.threshold} of ${vault.members.length}: ${vault.checksum}`,
        ]),
      ]
    }
    case 'request': {
      const { chain, context, state, proofs } = found.request
      const { id, type, complete, signerSets } = state
      const of = chain === 'X' ? '' : ` of the ${chain}-Chain`
      return [
        ['kind', `signing request${of}, ${type}`],
        ['network', context.name],
        ['request ID', id],
        ['signer sets', signerSets.length],
        ['proofs', proofs],
        ['state', complete ? 'complete' : `missing ${signerSets[0]!.missing.join(', ')}`],
      ]
    }
    case 'address':
      return [
        ['kind', `address on the ${found.chain}-Chain`],
        ['prefix', found.hrp],
        ['bytes', hex.encode(found.address)],
        ['short ID', cb58.encode(found.address)],
      ]
    case 'id':
      return [
        ['kind', 'ID'],
        ['cb58', formatID(found.id)],
        ['bytes', hex.encode(found.id)],
        ...knownNames(found.id).map((name) => ['known as', name] as const),
      ]
    case 'shortID':
      return [
        ['kind', found.isEVM ? 'EVM address' : 'short ID'],
        ['bytes', hex.encode(found.bytes)],
        ...(found.isEVM ? [] : addressRows(found.bytes)),
      ]
    case 'nodeID':
      return [
        ['kind', 'node ID'],
        ['nodeID', formatNodeID(found.nodeID)],
        ['bytes', hex.encode(found.nodeID)],
      ]
    case 'utxoName':
      return [
        ['kind', 'name of an output'],
        ['txID', formatID(found.txID)],
        ['output index', found.outputIndex],
        ['UTXO ID', formatID(utxoID(found.txID, found.outputIndex))],
        ...(found.path === undefined ? [] : [['path of its owner', found.path] as const]),
      ]
    case 'publicKey':
      return [['kind', 'public key'], ...addressRows(addressOf(found.publicKey))]
    case 'privateKey':
      return [
        ['kind', 'private key; only its addresses are shown'],
        ...addressRows(addressOf(publicKeyOf(found.privateKey))),
      ]
    case 'extendedPublicKey': {
      const position = { change: 0, index: 0 }
      return [
        ['kind', 'extended public key'],
        ['path', found.account.path(position)],
        ...addressRows(found.account.address(position)),
      ]
    }
  }
}

function otherTxRows(
  chain: 'P' | 'C',
  { tx, form }: Extract<Found, { kind: 'pTx' | 'cTx' }>,
  id: Uint8Array,
): DetailRows {
  return [
    ['kind', `signed transaction of the ${chain}-Chain, ${tx.unsignedTx.type}`],
    ['network', networkOfTx(tx.unsignedTx).name],
    ['txID', formatID(id)],
    ['form', form],
  ]
}

function otherUnsignedRows(
  chain: 'P' | 'C',
  { tx, form }: Extract<Found, { kind: 'pUnsignedTx' | 'cUnsignedTx' }>,
  hash: Uint8Array,
): DetailRows {
  return [
    ['kind', `unsigned transaction of the ${chain}-Chain, ${tx.type}`],
    ['network', networkOfTx(tx).name],
    ['hash to sign', hex.encode(hash)],
    ['form', form],
  ]
}

function utxoRows(utxo: UTXOID & { readonly assetID: Uint8Array }): DetailRows {
  return [
    ['name', formatUTXOID(utxo)],
    ['UTXO ID', formatID(utxoID(utxo.txID, utxo.outputIndex))],
    ['asset', nameOfID(utxo.assetID)],
    ['network', networkOfAsset(utxo.assetID)?.name],
  ]
}

function addressRows(address: Uint8Array): DetailRows {
  return Object.values(networks).map((network) => [network.name, addressText(address, network)])
}
