import { hex } from '../../core/base/encoding/hex.ts'
import { sha256 } from '../../core/base/hash/sha256.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { P_CHAIN_ID } from '../../core/chain/networks.ts'
import type { OutputOwners } from '../../core/chain/owners.ts'
import { utxoID } from '../../core/chain/x/ids.ts'
import { encodeTx, type SignedTx } from '../../core/chain/x/tx.ts'
import type { UTXO } from '../../core/chain/x/utxo.ts'
import { DevNodeError } from '../errors.ts'
import type { Chain } from './chain.ts'

/** An amount for owners. */
export type Grant = {
  readonly assetID: Uint8Array
  /** In the asset's smallest unit. */
  readonly amount: bigint
  readonly owners: OutputOwners
}

/** Owners without addresses: anyone can spend without a signature. */
const ANYONE: OutputOwners = { locktime: 0n, threshold: 0, addresses: [] }

/**
 * Creates UTXOs like those of an export of another chain. Their transaction ID is derived from the state of the chain,
 * so the same calls give the same IDs, and different calls different ones.
 *
 * @param firstIndex - output index of the first UTXO
 */
export function createExportedUTXOs(
  chain: Chain,
  source: Uint8Array,
  grants: readonly Grant[],
  firstIndex: number,
): UTXO[] {
  const existing = chain.state.incoming.get(hex.encode(source))
  for (let n = 0; ; n++) {
    const txID = sha256(
      new TextEncoder().encode(
        `export ${n} of ${hex.encode(source)} at ${hex.encode(chain.state.tip.id)}`,
      ),
    )
    if (grants.some((_, i) => existing?.has(hex.encode(utxoID(txID, firstIndex + i))))) continue
    return grants.map(({ assetID, amount, owners }, i) => ({
      txID,
      outputIndex: firstIndex + i,
      assetID,
      output: { type: 'secp256k1fx.TransferOutput', amount, ...owners },
    }))
  }
}

/**
 * Returns what is needed to fund owners by the chain's own rules, without a key: two UTXOs that anyone can spend, as if
 * exported by the P-Chain, one of which pays the fee, and the transaction that imports both.
 */
export function fundingOf(chain: Chain, grant: Grant): { utxos: UTXO[]; txBytes: Uint8Array } {
  const { context } = chain
  checkGrant(chain, grant)
  const utxos = createExportedUTXOs(
    chain,
    P_CHAIN_ID,
    [
      { ...grant, owners: ANYONE },
      { assetID: context.assetID, amount: context.txFee, owners: ANYONE },
    ].filter(({ amount }) => amount > 0n),
    0,
  )
  const tx: SignedTx = {
    unsignedTx: {
      type: 'ImportTx',
      networkID: context.networkID,
      blockchainID: context.chainID,
      outputs: [
        {
          assetID: grant.assetID,
          output: {
            type: 'secp256k1fx.TransferOutput',
            amount: grant.amount,
            ...grant.owners,
          },
        },
      ],
      inputs: [],
      memo: new Uint8Array(0),
      sourceChain: P_CHAIN_ID,
      importedInputs: utxos.map(({ txID, outputIndex, assetID, output }) => ({
        txID,
        outputIndex,
        assetID,
        input: {
          type: 'secp256k1fx.TransferInput',
          amount: (output as { amount: bigint }).amount,
          signatureIndices: [],
        },
      })),
    },
    credentials: utxos.map(() => ({ type: 'secp256k1fx.Credential', signatures: [] })),
  }
  return { utxos, txBytes: encodeTx(tx) }
}

/** Rejects impossible assets and amounts before anything is changed. */
function checkGrant(chain: Chain, { assetID, amount }: Grant): void {
  const asset = chain.state.tx(hex.encode(assetID))?.unsignedTx
  const transferable =
    asset?.type === 'CreateAssetTx' && asset.initialStates.some(({ fxIndex }) => fxIndex === 0)
  if (!transferable)
    throw new DevNodeError('BAD_OPTION', 'asset must be a fungible asset of this chain')
  const max = MAX_U64 - chain.context.txFee
  if (amount < 1n || amount > max)
    throw new DevNodeError('BAD_OPTION', `amount must be from 1 to ${max}, is ${amount}`)
}
