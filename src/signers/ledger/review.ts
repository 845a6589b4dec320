import { formatAmount } from '../../core/base/encoding/amount.ts'
import { encodeUnprefixed } from '../../core/base/encoding/bech32.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import type { UnsignedTxOf } from '../../core/chain/chain-types.ts'
import type { Output } from '../../core/chain/p/transferables.ts'
import type { TransferOutput } from '../../core/chain/secp256k1fx.ts'
import type { NFTTransferOutput } from '../../core/chain/x/nftfx.ts'
import type { AnyTx } from '../../core/sign/chain.ts'
import {
  amountOf,
  fee,
  type IsChange,
  item,
  type LedgerScreen,
  requireCount,
  requireCountable,
  stakeableItems,
  transferItems,
  transferOf,
  unsupported,
  visible,
} from './items.ts'
import { knownChain, knownPrefix } from './known-chains.ts'

// The review of a transaction on the device, item by item as the app makes it (app/rust/src/parser at 1.4.4). What the
// app cannot parse or show is refused here, before anything is sent.

type XTx = UnsignedTxOf<'X'>
type PTx = UnsignedTxOf<'P'>
type CTx = UnsignedTxOf<'C'>

const SHOWN_PAYLOAD = 50

/**
 * The review of a transaction.
 *
 * @throws LedgerError `LEDGER_UNSUPPORTED`
 */
export function reviewOf(tx: AnyTx, isChange: IsChange): readonly LedgerScreen[] {
  const chain = knownChain(tx.blockchainID, 'blockchainID')
  return requireCountable(
    chain === 'X'
      ? reviewX(tx as XTx, isChange)
      : chain === 'P'
        ? reviewP(tx as PTx, isChange)
        : reviewC(tx as CTx, isChange),
  )
}

function reviewX(tx: XTx, isChange: IsChange): LedgerScreen[] {
  const hrp = knownPrefix(tx.networkID)
  const outputs = transfers(tx.outputs, 'outputs')
  const shown = (title: string, all: readonly TransferOutput[], force = false) =>
    visible(all, isChange, force).flatMap((output) => transferItems(title, output, hrp))
  switch (tx.type) {
    case 'BaseTx':
      return [
        item('Transfer', 'Transaction'),
        ...shown('Transfer', outputs),
        fee('Fee(AVAX)', tx.inputs.map(amountOf), outputs),
      ]
    case 'CreateAssetTx':
      requireInitialStates(tx)
      return [
        item('CreateAsset', 'Transaction'),
        item('Asset Name', tx.name),
        item('Asset symbol', tx.symbol),
        item('Denomination', String(tx.denomination)),
        fee('Fee(AVAX)', tx.inputs.map(amountOf), outputs),
      ]
    case 'OperationTx':
      return [
        item('Operation', 'Transaction'),
        ...shown('Transfer', outputs, true),
        ...tx.operations.flatMap(({ operation }, i) => {
          if (operation.type !== 'nftfx.TransferOperation')
            throw unsupported(`the app misreads ${operation.type}`, `operations[${i}]`)
          return [item('Op. Type:', 'NFTTransferOperation'), ...nftItems(operation.output)]
        }),
        fee('Fee(AVAX)', tx.inputs.map(amountOf), outputs),
      ]
    case 'ImportTx': {
      const inputs = [...tx.inputs, ...tx.importedInputs].map(amountOf)
      return [
        item('ImportTx', 'Sending'),
        ...shown('Amount', outputs),
        item('From ', otherChain(tx.sourceChain, 'X', 'sourceChain')),
        fee('Fee(AVAX)', inputs, outputs),
      ]
    }
    case 'ExportTx': {
      const exported = transfers(tx.exportedOutputs, 'exportedOutputs')
      return [
        item('Export Tx', `X to ${otherChain(tx.destinationChain, 'X', 'destinationChain')}`),
        ...shown('Amount', exported),
        fee('Fee(AVAX)', tx.inputs.map(amountOf), [...outputs, ...exported]),
      ]
    }
  }
}

function reviewP(tx: PTx, isChange: IsChange): LedgerScreen[] {
  const hrp = knownPrefix(tx.networkID)
  const inputs = tx.inputs.map(amountOf)
  if (tx.type === 'BaseTx') {
    requireCount(tx.outputs, 'outputs')
    return [
      item('P-Chain', 'BaseTx'),
      ...stakeableItems('Amount', tx.outputs, hrp, isChange),
      fee('Fee(AVAX)', inputs, tx.outputs.map(transferOf)),
    ]
  }
  const outputs = transfers(tx.outputs, 'outputs')
  if (tx.type === 'ImportTx')
    return [
      item('ImportTx', 'Importing in P-Chain'),
      ...visible(outputs, isChange).flatMap((output) => transferItems('Amount', output, hrp)),
      item('From ', otherChain(tx.sourceChain, 'P', 'sourceChain')),
      fee('Fee', [...inputs, ...tx.importedInputs.map(amountOf)], outputs),
    ]
  const exported = transfers(tx.exportedOutputs, 'exportedOutputs')
  return [
    item('Export Tx', `P to ${otherChain(tx.destinationChain, 'P', 'destinationChain')}`),
    ...visible(exported, isChange).flatMap((output) => transferItems('Amount', output, hrp)),
    fee('Fee(AVAX)', inputs, [...outputs, ...exported]),
  ]
}

function reviewC(tx: CTx, isChange: IsChange): LedgerScreen[] {
  const hrp = knownPrefix(tx.networkID)
  if (tx.type === 'ImportTx') {
    requireCount(tx.outputs, 'outputs')
    return [
      item('ImportTx', 'Importing in C-Chain'),
      ...tx.outputs.flatMap(({ amount, address }) => [
        item('Amount', formatAmount(amount)),
        item('To', `0x${hex.encode(address)}`),
      ]),
      item('From ', otherChain(tx.sourceChain, 'C', 'sourceChain')),
      fee('Fee', tx.importedInputs.map(amountOf), tx.outputs),
    ]
  }
  const exported = transfers(tx.exportedOutputs, 'exportedOutputs')
  return [
    item('Export Tx', `C to ${otherChain(tx.destinationChain, 'C', 'destinationChain')}`),
    ...visible(exported, isChange).flatMap((output) => transferItems('Amount', output, hrp)),
    fee(
      'Fee(AVAX)',
      tx.inputs.map(({ amount }) => amount),
      exported,
    ),
  ]
}

/** Outputs without a lock for staking, which the app shows in a BaseTx only. */
function transfers(
  listed: readonly { readonly output: Output }[],
  path: string,
): readonly TransferOutput[] {
  requireCount(listed, path)
  return listed.map(({ output }, i) => {
    if (output.type !== 'stakeable.LockOut') return output
    throw unsupported(`the app cannot show ${output.type}`, `${path}[${i}]`)
  })
}

function requireInitialStates({ initialStates }: XTx & { readonly type: 'CreateAssetTx' }): void {
  const i = initialStates.findIndex(
    ({ fxIndex, outputs }) =>
      fxIndex > 1 || outputs.some(({ type }) => type.startsWith('propertyfx')),
  )
  if (i >= 0) throw unsupported('the app does not know propertyfx', `initialStates[${i}]`)
}

/** Another chain as the app names it. */
function otherChain(chainID: Uint8Array, own: string, path: string): string {
  const alias = knownChain(chainID, path)
  if (alias === own) throw unsupported('the app refuses moves within a chain', path)
  return `${alias} Chain`
}

/** The app shows owners of NFTs without the prefix of the network. */
function nftItems(output: NFTTransferOutput): LedgerScreen[] {
  return [
    item('GroupID: ', String(output.groupID)),
    item('Payload: ', payloadText(output.payload)),
    ...output.addresses.map((address) => item('Owner: ', encodeUnprefixed(address))),
  ]
}

function payloadText(payload: Uint8Array): string {
  const isASCII = payload.every((byte) => byte < 0x80)
  const limit = isASCII ? SHOWN_PAYLOAD : SHOWN_PAYLOAD / 2
  const part = payload.subarray(0, limit)
  const text = isASCII ? String.fromCharCode(...part) : `0x${hex.encode(part)}`
  return payload.length > limit ? `${text}...` : text
}
