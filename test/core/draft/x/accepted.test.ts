import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { hex } from '../../../../src/core/base/encoding/hex.ts'
import { networks } from '../../../../src/core/chain/networks.ts'
import {
  CREDENTIAL_TYPES,
  type Credential,
  fxIndexOf,
  type Output,
} from '../../../../src/core/chain/x/fx.ts'
import { genesisTx, localGenesis } from '../../../../src/core/chain/x/genesis.ts'
import { hashToSign, utxoID } from '../../../../src/core/chain/x/ids.ts'
import { spendsOf } from '../../../../src/core/chain/x/spends.ts'
import type { CreateAssetTx, SignedTx } from '../../../../src/core/chain/x/tx.ts'
import { encodeUTXO, type UTXO } from '../../../../src/core/chain/x/utxo.ts'
import { verifyTx } from '../../../../src/core/chain/x/verify/verify.ts'
import { FundsError } from '../../../../src/core/coins/errors.ts'
import { UTXOSet } from '../../../../src/core/coins/utxo-set.ts'
import { addressOf, publicKeyOf, signHash } from '../../../../src/core/crypto/secp256k1.ts'
import type { Draft } from '../../../../src/core/draft/draft.ts'
import { buildExport } from '../../../../src/core/draft/x/export.ts'
import { planImport } from '../../../../src/core/draft/x/import.ts'
import { buildOperations } from '../../../../src/core/draft/x/operations.ts'
import { planSweep } from '../../../../src/core/draft/x/sweep.ts'
import { buildTransfer } from '../../../../src/core/draft/x/transfer.ts'
import { type StateView, verifyAgainstState } from '../../../../src/devnode/index.ts'
import { runs } from '../../../helpers/runs.ts'
import { coin, idOf } from '../../coins/samples.ts'

// Checks signed drafts with the node's stateless and stateful rules.

const context = networks.local
const now = 1_700_000_000n
const fee = context.txFee
const keys = new Map(
  ['one', 'two', 'three'].map((name) => {
    const key = idOf(name)
    return [hex.encode(addressOf(publicKeyOf(key))), key] as const
  }),
)
const owners = [...keys.keys()].sort().map(hex.decode)
const token = idOf('token')

/** An asset that has all three extensions. */
const tokenTx: SignedTx = {
  unsignedTx: {
    ...genesisTx(localGenesis(12345).assets[0]!).unsignedTx,
    initialStates: [0, 1, 2].map((fxIndex) => ({ fxIndex, outputs: [] })),
  } as CreateAssetTx,
  credentials: [],
}

function stateOf(local: readonly UTXO[], imported: readonly UTXO[]): StateView {
  const name = ({ txID, outputIndex }: UTXO) => hex.encode(utxoID(txID, outputIndex))
  const utxos = new Map(local.map((utxo) => [name(utxo), utxo]))
  const atomic = new Map(imported.map((utxo) => [name(utxo), encodeUTXO(utxo)]))
  const txs = new Map([
    [hex.encode(context.assetID), genesisTx(localGenesis(12345).assets[0]!)],
    [hex.encode(token), tokenTx],
  ])
  return {
    now,
    utxo: (id) => utxos.get(hex.encode(id)),
    atomic: (_chain, key) => atomic.get(hex.encode(key)),
    tx: (id) => txs.get(hex.encode(id)),
    subnetOf: () => new Uint8Array(32),
  }
}

function signed({ unsignedTx, utxos }: Draft): SignedTx {
  const hash = hashToSign(unsignedTx)
  const signatures = new Map<string, Uint8Array>()
  const sign = (address: string) => {
    const signature = signatures.get(address) ?? signHash(hash, keys.get(address)!)
    signatures.set(address, signature)
    return signature
  }
  const credentials = spendsOf(unsignedTx).map(
    ({ signers: { signatureIndices } }, i): Credential => {
      const { output } = utxos[i]!
      return {
        type: CREDENTIAL_TYPES[fxIndexOf(output)]!,
        signatures: signatureIndices.map((index) => sign(hex.encode(output.addresses[index]!))),
      }
    },
  )
  return { unsignedTx, credentials }
}

const anyCoin = fc.record({
  amount: fc.oneof(fc.bigInt({ min: 1n, max: 50n }), fc.bigInt({ min: fee, max: 3n * fee })),
  isToken: fc.boolean(),
  threshold: fc.constantFrom(0, 1, 1, 2, 3),
  locktime: fc.constantFrom(0n, 0n, 0n, now, now + 1n),
})
const anyCoins = fc.array(anyCoin, { maxLength: 12 })

describe('signed drafts', () => {
  test.prop([anyCoins, anyCoins, fc.bigInt({ min: 1n, max: 3n * fee }), fc.boolean()], runs(40))(
    'are accepted by the development node',
    (localSpecs, importedSpecs, amount, ofToken) => {
      const toCoins = (specs: typeof localSpecs, name: string) =>
        specs.map(({ amount: value, isToken, threshold, locktime }, i) =>
          coin(`${name}${i}`, value, {
            assetID: isToken ? token : context.assetID,
            threshold,
            locktime,
            addresses: threshold === 0 ? [] : threshold === 1 ? [owners[i % 3]!] : owners,
          }),
        )
      const right = { locktime: 0n, threshold: 2, addresses: owners }
      const others: Output[] = [
        { type: 'secp256k1fx.MintOutput', ...right },
        { type: 'nftfx.MintOutput', groupID: 3, ...right },
        { type: 'nftfx.TransferOutput', groupID: 3, payload: new Uint8Array(5), ...right },
        { type: 'propertyfx.MintOutput', ...right },
        { type: 'propertyfx.OwnedOutput', ...right },
      ]
      const local = [
        coin('purse', fee, { assetID: context.assetID, addresses: [owners[0]!] }),
        ...toCoins(localSpecs, 'local'),
        ...others.map((output, i) => ({ ...coin(`o${i}`, 1n, { assetID: token }), output })),
      ]
      const imported = toCoins(importedSpecs, 'imported')
      const utxos = new UTXOSet()
      const sourceChain = context.chains.P!
      utxos.add(local)
      utxos.add(imported, { sourceChain })
      const funds = { utxos, owners, now }
      const to = owners[1]!
      const outputs = [{ to, amount, ...(ofToken && { assetID: token }) }]
      const on = { assetID: token }
      const drafts: Draft[] = [
        buildOperations({
          context,
          funds,
          operations: [
            { type: 'mint', ...on, amount, to },
            { type: 'mintNFT', ...on, payload: 'x', recipients: [{ to }, { to }] },
            { type: 'transferNFT', ...on, to },
            { type: 'mintProperty', ...on, to },
            { type: 'burnProperty', ...on },
          ],
        }),
        ...planSweep({ context, funds, to, maxSize: 1500 }).drafts(),
        ...planImport({ context, funds, sourceChain: 'P', to, maxSize: 1500 }).drafts(),
      ]
      for (const build of [
        () => buildTransfer({ context, funds, outputs }),
        () => buildExport({ context, funds, outputs, destinationChain: 'P' }),
      ])
        try {
          drafts.push(build())
        } catch (error) {
          expect(error).toBeInstanceOf(FundsError)
        }
      const state = stateOf(local, imported)
      for (const draft of drafts) {
        const tx = signed(draft)
        verifyTx(tx, context)
        verifyAgainstState(tx, state, context)
      }
    },
  )
})
