import type { OutputOwners } from '../../../../src/core/chain/owners.ts'
import type { Output } from '../../../../src/core/chain/x/fx.ts'
import { owners, paying } from '../fixtures.ts'
import { FEE, fileOf, type Operated, operating, thief, vault, wide } from '../scenes.ts'
import type { Case } from '../verdicts.ts'

/** Both owners of the vault sign. */
const input = { signatureIndices: [0, 1] }

/** Mints tokens for the vault; the right to mint goes to other owners or stays. */
export const minting = (to: OutputOwners): Operated => [
  { type: 'secp256k1fx.MintOutput', ...vault },
  {
    type: 'secp256k1fx.MintOperation',
    mintInput: input,
    mintOutput: { type: 'secp256k1fx.MintOutput', ...to },
    transferOutput: paying(5_000_000_000n, vault),
  },
]

const nft = (groupID: number, of: OutputOwners): Output & { type: 'nftfx.TransferOutput' } => ({
  type: 'nftfx.TransferOutput',
  groupID,
  payload: new Uint8Array(),
  ...of,
})

/** Transfers an NFT of the vault. */
export const givingNFT = (groupID: number, to: OutputOwners): Operated => [
  nft(groupID, vault),
  { type: 'nftfx.TransferOperation', input, output: nft(groupID, to) },
]

/** Mints an NFT, which uses up the vault's right to mint. */
export const mintingNFT = (groupID: number, to: OutputOwners): Operated => [
  { type: 'nftfx.MintOutput', groupID, ...vault },
  {
    type: 'nftfx.MintOperation',
    mintInput: input,
    groupID,
    payload: new Uint8Array(),
    outputs: [to],
  },
]

const minted = (ownership: 'ours' | 'vault') => ({
  returns: [
    [1_000_000, ownership, false],
    [5_000_000, ownership, false],
  ] as const,
})
const returned = { returns: [[1_000_000, 'vault', false]] as const }

/** Requests that operate on rights, NFTs and properties, or create an asset. */
export const operationCases: readonly Case[] = [
  [
    'minting whose right stays in the vault',
    () => fileOf(...operating(minting(vault))),
    [0],
    { ...minted('vault'), warns: [] },
  ],
  [
    'minting that gives the right away',
    () => fileOf(...operating(minting(thief))),
    [0],
    { ...minted('vault'), warns: ['TRANSFERRED_RIGHT'] },
  ],
  [
    'minting that shares the right',
    () => fileOf(...operating(minting(wide))),
    [0],
    { ...minted('vault'), warns: ['SHARED_OUTPUT!', 'TRANSFERRED_RIGHT'] },
  ],
  [
    'minting that moves the right from both owners to one of them',
    () => fileOf(...operating(minting(owners(1, 0)))),
    [0, 1],
    { ...minted('ours'), warns: ['WEAKER_CHANGE!'] },
  ],
  [
    'minting an NFT, which uses the right to mint up',
    () => fileOf(...operating(mintingNFT(3, vault))),
    [0],
    { ...returned, warns: ['DESTROYED_RIGHT'] },
  ],
  [
    'an NFT that is given away',
    () => fileOf(...operating(givingNFT(1, thief))),
    [0],
    { ...returned, warns: ['TRANSFERRED_RIGHT'] },
  ],
  [
    'an NFT of the vault that comes back to one owner, who is not the reader',
    () => fileOf(...operating(givingNFT(1, owners(1, 0)))),
    [1],
    { ...returned, warns: ['TRANSFERRED_RIGHT'] },
  ],
  [
    'a property right that is given away',
    () =>
      fileOf(
        ...operating([
          { type: 'propertyfx.MintOutput', ...vault },
          {
            type: 'propertyfx.MintOperation',
            mintInput: input,
            mintOutput: { type: 'propertyfx.MintOutput', ...thief },
            ownedOutput: { type: 'propertyfx.OwnedOutput', ...vault },
          },
        ]),
      ),
    [0],
    { ...returned, warns: ['TRANSFERRED_RIGHT'] },
  ],
  [
    'a property that is destroyed',
    () =>
      fileOf(
        ...operating([
          { type: 'propertyfx.OwnedOutput', ...vault },
          { type: 'propertyfx.BurnOperation', ...input },
        ]),
      ),
    [0],
    { ...returned, warns: ['BURNED_PROPERTY!'] },
  ],
  [
    'a new asset whose right to mint the attacker gets',
    () =>
      fileOf({
        spend: [[vault, 1_000_000 + FEE]],
        pay: [[vault, 1_000_000]],
        as: (tx) => ({
          ...tx,
          type: 'CreateAssetTx',
          name: 'Token',
          symbol: 'TOK',
          denomination: 2,
          initialStates: [{ fxIndex: 0, outputs: [{ type: 'secp256k1fx.MintOutput', ...thief }] }],
        }),
      }),
    [0],
    { ...returned, warns: ['TRANSFERRED_RIGHT'] },
  ],
]
