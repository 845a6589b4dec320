import { formatAddress } from '../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../src/core/base/encoding/checked-hex.ts'
import { hex } from '../../src/core/base/encoding/hex.ts'
import { networks } from '../../src/core/chain/networks.ts'
import { hashToSign } from '../../src/core/chain/x/ids.ts'
import { compareInputs, compareOutputs } from '../../src/core/chain/x/order.ts'
import type { TransferableInput, TransferableOutput } from '../../src/core/chain/x/transferables.ts'
import { encodeTx, type SignedTx, type UnsignedTx } from '../../src/core/chain/x/tx.ts'
import { decodeUTXO, type UTXO } from '../../src/core/chain/x/utxo.ts'
import { addressOf, publicKeyOf, signHash } from '../../src/core/crypto/secp256k1.ts'
import type { DevNode } from '../../src/devnode/index.ts'
import { ask } from './client.ts'

/** A key of the local network or of the node's own tests, all of them public. */
export type TestKey = {
  readonly privateKey: Uint8Array
  readonly address: Uint8Array
  readonly text: string
}

function testKey(privateKey: string): TestKey {
  const key = hex.decode(privateKey)
  const address = addressOf(publicKeyOf(key))
  return {
    privateKey: key,
    address,
    text: formatAddress({ chain: 'X', hrp: 'local', address }),
  }
}

/** The key that has most of the local network's funds. */
export const ewoq: TestKey = testKey(
  '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027',
)

/** Keys without funds. */
export const others: readonly TestKey[] = [
  '8c2bae69b0e1f6f3a5e784504ee93279226f997c5a6771b9bd6b881a8fee1e9d',
  'b1ed77ad48555d49f03a7465f0685a7d86bfd5f3a3ccf1be01971ea8dec5471c',
  '51a5e21237263396a5dfce60496d0ca3829d23fd33c38e6d13ae53b4810df9ca',
].map(testKey)

const keys = [ewoq, ...others]
const { chainID, networkID, assetID } = networks.local

/** An output of AVAX, or of another asset, to one owner. */
export function outputTo(
  owner: TestKey,
  amount: bigint,
  asset: Uint8Array = assetID,
): TransferableOutput {
  return {
    assetID: asset,
    output: {
      type: 'secp256k1fx.TransferOutput',
      amount,
      locktime: 0n,
      threshold: 1,
      addresses: [owner.address],
    },
  }
}

/** The input that spends a transfer output of one owner. */
export function inputOf(utxo: UTXO): TransferableInput {
  return {
    txID: utxo.txID,
    outputIndex: utxo.outputIndex,
    assetID: utxo.assetID,
    input: {
      type: 'secp256k1fx.TransferInput',
      amount: amountOf(utxo),
      signatureIndices: [0],
    },
  }
}

/** The amount of a transfer output. */
export function amountOf(utxo: UTXO): bigint {
  if (utxo.output.type !== 'secp256k1fx.TransferOutput') throw new Error('no transfer output')
  return utxo.output.amount
}

/** What all transactions of the local network begin with. */
export function baseFields(
  utxos: readonly UTXO[],
  outputs: readonly TransferableOutput[],
  memo = '',
): Omit<Extract<UnsignedTx, { type: 'BaseTx' }>, 'type'> {
  return {
    networkID,
    blockchainID: chainID,
    outputs: [...outputs].sort(compareOutputs),
    inputs: utxos.map(inputOf).sort(compareInputs),
    memo: new TextEncoder().encode(memo),
  }
}

/**
 * Signs for what is spent, given in the order of the credentials; every owner has to be a test key.
 */
export function signed(unsignedTx: UnsignedTx, spent: readonly UTXO[]): SignedTx {
  const hash = hashToSign(unsignedTx)
  return {
    unsignedTx,
    credentials: spent.map(({ output }) => ({
      type: 'secp256k1fx.Credential',
      signatures: output.addresses
        .slice(0, output.threshold)
        .map((owner) => signHash(hash, keyOf(owner).privateKey)),
    })),
  }
}

/** A signed transfer as bytes. */
export function transfer(
  utxos: readonly UTXO[],
  outputs: readonly TransferableOutput[],
  memo = '',
): Uint8Array {
  const sorted = [...utxos].sort(compareInputs)
  return encodeTx(signed({ type: 'BaseTx', ...baseFields(utxos, outputs, memo) }, sorted))
}

/** Every UTXO of some addresses, in one page. */
export async function utxosOf(node: DevNode, ...owners: TestKey[]): Promise<UTXO[]> {
  const page = await ask<{ utxos: string[] }>(node, 'avm.getUTXOs', {
    addresses: owners.map(({ text }) => text),
  })
  return page.utxos.map((text) => decodeUTXO(checkedHex.decode(text)))
}

/** Parameters of `issueTx`. */
export function txParams(bytes: Uint8Array): { tx: string } {
  return { tx: checkedHex.encode(bytes) }
}

function keyOf(address: Uint8Array): TestKey {
  const found = keys.find((key) => hex.encode(key.address) === hex.encode(address))
  if (found === undefined) throw new Error('not a test key')
  return found
}
