import { owners } from '../fixtures.ts'
import {
  asset,
  changeTo,
  FEE,
  fileOf,
  nobody,
  plain,
  rest,
  type Scene,
  thief,
  vault,
  withoutChange,
} from '../scenes.ts'
import { type Case, NOW } from '../verdicts.ts'

const LATER = 4_102_444_800n
const FOREVER = 2n ** 64n - 1n
const taken = { pays: [1_000_000, rest(99_000_000)], returns: [] }

/** A token and AVAX of the vault that no output gets, the token first, and the proof of the token. */
export function destroying(): [Scene, Uint8Array[]] {
  const { assetID, proof } = asset()
  const scene: Scene = {
    spend: [
      [vault, 9000 + FEE],
      [vault, 5_000_000, assetID],
    ],
    pay: [[vault, 1000]],
  }
  return [scene, [proof]]
}

/** Requests with outputs that are locked or have no owners, and requests that burn. */
export const lockAndBurnCases: readonly Case[] = [
  [
    'an output without owners',
    () => fileOf(withoutChange(nobody)),
    [0],
    {
      ...taken,
      warns: ['OPEN_OUTPUT!'],
    },
  ],
  [
    'an output without owners, beside a UTXO without owners, read without keys',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [nobody, 5_000_000],
        ],
        pay: [
          [vault, rest(100_000_000)],
          [nobody, 5_000_000],
        ],
      }),
    undefined,
    { pays: [5_000_000], returns: [[rest(100_000_000), 'vault', false]], warns: ['OPEN_OUTPUT!'] },
  ],
  [
    'change that is locked for ever',
    () => fileOf(changeTo({ ...vault, locktime: FOREVER })),
    [0],
    {
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'vault', true]],
      warns: ['LOCKED_RETURN!'],
    },
  ],
  [
    'a payment that is locked',
    () => fileOf(withoutChange({ ...thief, locktime: NOW + 1n })),
    [0],
    {
      ...taken,
      warns: ['LOCKED_OUTPUT'],
    },
  ],
  [
    'nearly everything burned',
    () => fileOf({ ...plain, pay: [[vault, 1_000_000]], change: [] }),
    [0],
    {
      pays: [],
      returns: [[1_000_000, 'vault', false]],
      warns: ['BURN!', 'HIGH_FEE!'],
    },
  ],
  [
    'a return that is locked for ever, behind a payment that is locked until tomorrow',
    () =>
      fileOf({
        spend: [[vault, 10_000_000 + FEE]],
        pay: [
          [{ ...owners(1, 3), locktime: NOW + 86_400n }, 1_000_000],
          [{ ...vault, locktime: FOREVER }, 9_000_000],
        ],
      }),
    [0],
    {
      pays: [1_000_000],
      returns: [[9_000_000, 'vault', false]],
      warns: ['LOCKED_RETURN!', 'LOCKED_OUTPUT'],
    },
  ],
  [
    'a locked UTXO of the vault, which delays the whole transaction',
    () =>
      fileOf({
        spend: [
          [vault, 10_000_000 + FEE],
          [{ ...vault, locktime: LATER }, 1],
        ],
        pay: [[vault, 10_000_001]],
      }),
    [0],
    { returns: [[10_000_001, 'vault', false]], warns: ['LOCKED_UTXO'] },
  ],
  [
    'a destroyed token in front of destroyed coins',
    () => fileOf(...destroying()),
    [0],
    { returns: [[1000, 'vault', false]], warns: ['BURN!'] },
  ],
  [
    'a payment to the zero address',
    () => fileOf(withoutChange({ ...thief, addresses: [new Uint8Array(20)] })),
    [0],
    { ...taken, warns: ['DEAD_ADDRESS!'] },
  ],
  [
    'change to an address of 20 equal bytes',
    () => fileOf(changeTo({ ...thief, addresses: [new Uint8Array(20).fill(7)] })),
    [0],
    { ...taken, warns: ['FOREIGN_CHANGE!', 'DEAD_ADDRESS!'] },
  ],
  [
    'a payment that the zero address must sign for, too',
    () =>
      fileOf(
        withoutChange({
          ...thief,
          threshold: 2,
          addresses: [new Uint8Array(20), ...thief.addresses],
        }),
      ),
    [0],
    { ...taken, warns: ['DEAD_ADDRESS!'] },
  ],
  [
    'AVAX burned up to ten times the fee',
    () => fileOf({ spend: [[vault, 1_000_000 + 10 * FEE]], pay: [[vault, 1_000_000]] }),
    [0],
    { returns: [[1_000_000, 'vault', false]], warns: ['BURN!'] },
  ],
  [
    'AVAX burned above ten times the fee',
    () => fileOf({ spend: [[vault, 1_000_000 + 10 * FEE + 1]], pay: [[vault, 1_000_000]] }),
    [0],
    { returns: [[1_000_000, 'vault', false]], warns: ['BURN!', 'HIGH_FEE!'] },
  ],
]
