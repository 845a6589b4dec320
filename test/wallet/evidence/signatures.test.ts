import { describe, expect, it } from 'vitest'
import { createdUTXOs } from '../../../src/core/chain/x/created.ts'
import type { Credential } from '../../../src/core/chain/x/fx.ts'
import { hashToSign } from '../../../src/core/chain/x/ids.ts'
import { consumedUTXOs } from '../../../src/core/chain/x/spends.ts'
import type { UTXOID } from '../../../src/core/chain/x/transferables.ts'
import type { SignedTx } from '../../../src/core/chain/x/tx.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { nobleBackend as backend } from '../../../src/core/crypto/secp256k1.ts'
import type { Draft } from '../../../src/core/draft/draft.ts'
import { requireSigned } from '../../../src/core/sign/job.ts'
import { signDraft } from '../../../src/core/sign/sign.ts'
import {
  isSignedByOwners,
  isSignedFor,
  isSignedLike,
} from '../../../src/wallet/evidence/signatures.ts'
import type { Wallet } from '../../../src/wallet/index.ts'
import { addressOf, direct, fee, people, type Scene, scene } from '../setup.ts'

const [me, you, third] = people as [KeyChain, KeyChain, KeyChain]
const to = addressOf(you)
const everyone = new KeyChain([1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)))

/** An asset with everything that can be operated on. */
async function createAsset(wallet: Wallet): Promise<Uint8Array> {
  const own = { to: addressOf(me) }
  const { txID } = await wallet.createAsset({
    name: 'Everything',
    symbol: 'ALL',
    holders: [{ ...own, amount: 5n }],
    minters: [own],
    nftMinters: [{ groupID: 7, ...own }],
    nfts: [{ groupID: 8, payload: 'x', ...own }],
    properties: [own],
    propertyMinters: [own],
  })
  return txID
}

const own = { to: addressOf(me) }
const drafts: readonly (readonly [string, (wallet: Wallet) => Promise<Draft>])[] = [
  ['BaseTx', async (wallet) => (await wallet.prepare.transfer({ to, amount: 5n })).draft],
  [
    'BaseTx with an asset',
    async (wallet) => {
      const assetID = await createAsset(wallet)
      return (await wallet.prepare.transfer({ to, amount: 5n, assetID })).draft
    },
  ],
  [
    'CreateAssetTx',
    async (wallet) =>
      (
        await wallet.prepare.createAsset({
          name: 'A',
          symbol: 'A',
          holders: [{ ...own, amount: 1n }],
        })
      ).draft,
  ],
  [
    'ExportTx',
    async (wallet) =>
      (await wallet.prepare.export({ to: addressOf(you, 'P'), amount: 5n, destinationChain: 'P' }))
        .draft,
  ],
  [
    'OperationTx that mints',
    async (wallet) => {
      const assetID = await createAsset(wallet)
      return (await wallet.prepare.mint({ assetID, amount: 1n, to })).draft
    },
  ],
  [
    'OperationTx that mints an NFT',
    async (wallet) => {
      const assetID = await createAsset(wallet)
      return (await wallet.prepare.mintNFT({ assetID, payload: 'y', recipients: [{ to }] })).draft
    },
  ],
  [
    'OperationTx that transfers an NFT',
    async (wallet) => {
      const assetID = await createAsset(wallet)
      return (await wallet.prepare.transferNFT({ assetID, groupID: 8, to })).draft
    },
  ],
  [
    'OperationTx that mints and burns properties',
    async (wallet) => {
      const assetID = await createAsset(wallet)
      return (
        await wallet.prepare.operate({
          operations: [
            { type: 'mintProperty', assetID, to },
            { type: 'burnProperty', assetID },
          ],
        })
      ).draft
    },
  ],
  [
    'BaseTx with 2 of 3 owners',
    async (wallet) => {
      const shared = { to: people.slice(0, 3).map((keys) => addressOf(keys)), threshold: 2 }
      await wallet.transfer({ ...shared, amount: 3n * fee })
      const all = await wallet.utxos()
      const pinned = all
        .ofType('secp256k1fx.TransferOutput')
        .filter(({ output }) => output.threshold === 2)
      return (await wallet.prepare.transfer({ to, amount: 5n, choose: { pinned } })).draft
    },
  ],
]

async function evidenceOf(make: (wallet: Wallet) => Promise<Draft>): Promise<{
  readonly at: Scene
  readonly tx: SignedTx
  readonly spent: readonly { readonly id: UTXOID; readonly parent: SignedTx }[]
}> {
  const at = await scene()
  at.node.fund(addressOf(me), 30n * fee)
  const draft = await make(at.wallet({ keys: everyone, changeTo: addressOf(me) }))
  const tx = requireSigned(signDraft(draft, everyone, { accept: ['UNUSED_KEY'] })).signedTx
  const spent = []
  for (const { txID, outputIndex } of consumedUTXOs(tx.unsignedTx)) {
    const parent = await direct(at.node).avm.getTx({ txID })
    spent.push({ id: { txID, outputIndex }, parent })
  }
  return { at, tx, spent }
}

/** The same transaction with other credentials. */
function withCredentials(tx: SignedTx, change: (one: Credential) => Partial<Credential>): SignedTx {
  return {
    ...tx,
    credentials: tx.credentials.map(
      (one) => ({ ...one, ...change(one as Credential) }) as Credential,
    ),
  }
}

describe('isSignedByOwners', () => {
  for (const [type, make] of drafts)
    it(`believes the owners of every UTXO of a ${type}, and nobody else`, async () => {
      const { tx, spent } = await evidenceOf(make)
      const hash = hashToSign(tx.unsignedTx)
      const stranger = new KeyChain([new Uint8Array(32).fill(9)])
      const strange = stranger.sign(stranger.addresses[0]!, hash)
      const forgeries: SignedTx[] = [
        { ...tx, credentials: [] },
        withCredentials(tx, () => ({ signatures: [] })),
        withCredentials(tx, ({ signatures }) => ({ signatures: signatures.map(() => strange) })),
        withCredentials(tx, ({ signatures }) => ({
          signatures: signatures.map(() => new Uint8Array(65)),
        })),
        withCredentials(tx, ({ signatures }) => ({ signatures: [...signatures, signatures[0]!] })),
        withCredentials(tx, ({ signatures }) => ({ signatures: signatures.slice(1) })),
        // The signatures are for another transaction.
        { ...tx, unsignedTx: { ...tx.unsignedTx, memo: Uint8Array.of(1) } },
      ]
      expect(spent.length).toBeGreaterThan(0)
      for (const { id, parent } of spent) {
        expect(isSignedByOwners(tx, id, parent, backend)).toBe(true)
        for (const forged of forgeries)
          expect(isSignedByOwners(forged, id, parent, backend)).toBe(false)
        // A UTXO that the transaction does not spend, or that the parent does not create.
        const other = { ...id, outputIndex: id.outputIndex + 1_000 }
        expect(isSignedByOwners(tx, other, parent, backend)).toBe(false)
        const { output } = createdUTXOs(parent, id.txID)[id.outputIndex]!
        expect(isSignedFor(tx, id, output, backend)).toBe(true)
        expect(isSignedFor(tx, other, output, backend)).toBe(false)
        const bare = { ...parent, unsignedTx: { ...parent.unsignedTx, outputs: [] } }
        if (parent.unsignedTx.type === 'BaseTx' || parent.unsignedTx.type === 'ImportTx')
          expect(isSignedByOwners(tx, id, bare, backend)).toBe(false)
      }
    })

  it('does not believe the same owner twice', async () => {
    const { tx, spent } = await evidenceOf(drafts.at(-1)![1])
    const at = tx.unsignedTx.inputs.findIndex(({ input }) => input.signatureIndices.length === 2)
    const { id, parent } = spent[at]!
    expect(isSignedByOwners(tx, id, parent, backend)).toBe(true)
    const { addresses } = createdUTXOs(parent)[id.outputIndex]!.output
    const inputs = tx.unsignedTx.inputs.map((one, i) =>
      i === at ? { ...one, input: { ...one.input, signatureIndices: [0, 0] } } : one,
    )
    const unsignedTx = { ...tx.unsignedTx, inputs }
    const signature = everyone.sign(addresses[0]!, hashToSign(unsignedTx))
    const twice = withCredentials({ ...tx, unsignedTx }, () => ({
      signatures: [signature, signature],
    }))
    expect(isSignedByOwners(twice, id, parent, backend)).toBe(false)
  })

  it('does not believe a spend of an output without owners', async () => {
    const { tx, spent } = await evidenceOf(drafts[0]![1])
    const { id, parent } = spent[0]!
    const outputs = parent.unsignedTx.outputs.map(({ assetID, output }) => ({
      assetID,
      output: { ...output, threshold: 0, addresses: [] },
    }))
    const ownerless = { ...parent, unsignedTx: { ...parent.unsignedTx, outputs } }
    const inputs = tx.unsignedTx.inputs.map((one) => ({
      ...one,
      input: { ...one.input, signatureIndices: [] },
    }))
    const unsigned = withCredentials({ ...tx, unsignedTx: { ...tx.unsignedTx, inputs } }, () => ({
      signatures: [],
    }))
    expect(isSignedByOwners(unsigned, id, ownerless, backend)).toBe(false)
  })

  it('does not believe one of two owners', async () => {
    const { tx, spent } = await evidenceOf(drafts.at(-1)![1])
    const at = tx.unsignedTx.inputs.findIndex(({ input }) => input.signatureIndices.length === 2)
    const { id, parent } = spent[at]!
    const stranger = new KeyChain([new Uint8Array(32).fill(9)])
    const strange = stranger.sign(stranger.addresses[0]!, hashToSign(tx.unsignedTx))
    for (const slot of [0, 1]) {
      const half = withCredentials(tx, ({ signatures }) => ({
        signatures: signatures.with(slot, strange),
      }))
      expect(isSignedByOwners(half, id, parent, backend)).toBe(false)
    }
  })

  it('does not believe signatures of owners in the slots of others', async () => {
    const { tx, spent } = await evidenceOf(drafts.at(-1)![1])
    const at = tx.unsignedTx.inputs.findIndex(({ input }) => input.signatureIndices.length === 2)
    const { id, parent } = spent[at]!
    const swapped = withCredentials(tx, ({ signatures }) => ({
      signatures: signatures.toReversed(),
    }))
    expect(isSignedByOwners(swapped, id, parent, backend)).toBe(false)
  })
})

describe('isSignedLike', () => {
  it('compares the signers of two imports of the same UTXO', async () => {
    const at = await scene()
    at.node.exportFrom('P', { address: me.addresses[0]!, amount: 5n * fee })
    const draftTo = async (target: KeyChain) => {
      const preview = await at.wallet().prepare.import({ sourceChain: 'P', to: addressOf(target) })
      const [draft] = preview.drafts()
      return draft!
    }
    const ours = requireSigned(signDraft(await draftTo(me), me)).signedTx
    const theirs = requireSigned(signDraft(await draftTo(third), me)).signedTx
    const [id] = consumedUTXOs(ours.unsignedTx)
    expect(isSignedLike(theirs, id!, ours, backend)).toBe(true)
    const strange = third.sign(third.addresses[0]!, hashToSign(theirs.unsignedTx))
    const forgeries: SignedTx[] = [
      { ...theirs, credentials: [] },
      withCredentials(theirs, () => ({ signatures: [] })),
      withCredentials(theirs, () => ({ signatures: [strange] })),
      withCredentials(theirs, () => ({ signatures: [new Uint8Array(65)] })),
      withCredentials(theirs, ({ signatures }) => ({ signatures: [...signatures, ...signatures] })),
      { ...theirs, unsignedTx: { ...theirs.unsignedTx, memo: Uint8Array.of(1) } },
    ]
    for (const forged of forgeries) expect(isSignedLike(forged, id!, ours, backend)).toBe(false)
    const other = { ...id!, outputIndex: 77 }
    expect(isSignedLike(theirs, other, ours, backend)).toBe(false)
  })
})
