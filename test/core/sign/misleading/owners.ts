import { owners } from '../fixtures.ts'
import {
  changeTo,
  FEE,
  fileOf,
  type Put,
  plain,
  rest,
  thief,
  vault,
  wide,
  withoutChange,
} from '../scenes.ts'
import type { Case, Verdict } from '../verdicts.ts'

const both = [0, 1]
const other = owners(2, 0, 1, 2)
const taken: Verdict = { pays: [1_000_000, rest(99_000_000)], returns: [] }
const shared: Verdict = { ...taken, warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'] }

/** Requests whose outputs go to owners whom the reader may not expect. */
export const ownerCases: readonly Case[] = [
  [
    'an honest payment from a vault',
    () => fileOf(plain),
    [0],
    {
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'vault', true]],
      warns: [],
    },
  ],
  [
    'the same, read without keys',
    () => fileOf(plain),
    undefined,
    {
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'vault', true]],
      warns: [],
    },
  ],
  [
    'the same with both keys, which are ours then',
    () => fileOf(plain),
    [0, 1],
    {
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'ours', true]],
      warns: [],
    },
  ],
  ['change to 2 of 4, two of them ours', () => fileOf(changeTo(wide)), both, shared],
  [
    'the same, not called change',
    () => fileOf(withoutChange(wide)),
    both,
    {
      ...taken,
      warns: ['SHARED_OUTPUT!'],
    },
  ],
  ['change to one of us or the attacker', () => fileOf(changeTo(owners(1, 0, 5))), both, shared],
  ['change that needs the attacker, too', () => fileOf(changeTo(owners(3, 0, 1, 5))), both, shared],
  [
    'change to the attacker',
    () => fileOf(changeTo(thief)),
    both,
    {
      ...taken,
      warns: ['FOREIGN_CHANGE!'],
    },
  ],
  [
    'change to the attacker, not called so: a payment',
    () => fileOf(withoutChange(thief)),
    both,
    {
      ...taken,
      warns: [],
    },
  ],
  [
    'change to the other owner of the vault alone',
    () => fileOf(changeTo(owners(1, 1))),
    [0],
    {
      ...taken,
      warns: ['FOREIGN_CHANGE!'],
    },
  ],
  [
    'change to us alone, from the vault',
    () => fileOf(changeTo(owners(1, 0))),
    [0],
    {
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'ours', true]],
      warns: ['WEAKER_CHANGE!'],
    },
  ],
  [
    'change to 2 of 3 of which one is a stranger',
    () => fileOf(changeTo(owners(2, 0, 1, 5))),
    both,
    {
      // The attacker can neither spend it nor prevent us from spending it.
      pays: [1_000_000],
      returns: [[rest(99_000_000), 'ours', true]],
      warns: [],
    },
  ],
  [
    'the same for one of the two, who needs the stranger',
    () => fileOf(changeTo(owners(2, 0, 1, 5))),
    [0],
    shared,
  ],
  [
    'change to all owners, where two were enough before',
    () => fileOf({ ...changeTo(owners(3, 0, 1, 2)), spend: [[other, 100_000_000]] }),
    [0],
    shared,
  ],
  [
    'change to two of three owners',
    () => fileOf({ ...changeTo(vault), spend: [[other, 100_000_000]] }),
    [0],
    shared,
  ],
  [
    'a real UTXO of 2 of 4 that the attacker adds, and change to 2 of 4',
    () =>
      fileOf({
        ...changeTo(wide),
        spend: [
          [vault, 100_000_000 - 1],
          [wide, 1],
        ],
      }),
    [0],
    shared,
  ],
  [
    'a UTXO of a stranger, who is paid, read without keys',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [thief, 1],
        ],
        pay: [[thief, rest(100_000_001)]],
        change: [[thief, rest(100_000_001)]],
      }),
    undefined,
    { pays: [rest(100_000_001)], returns: [], warns: ['FOREIGN_CHANGE!'] },
  ],
  [
    'a stranger who gets back less than he put in, read without keys',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [thief, 5_000_000],
        ],
        pay: [
          [vault, 99_000_000],
          [thief, 4_000_000],
          [owners(1, 3), rest(2_000_000)],
        ],
      }),
    undefined,
    {
      pays: [rest(2_000_000)],
      returns: [
        [99_000_000, 'vault', false],
        [4_000_000, 'vault', false],
      ],
      warns: [],
    },
  ],
  [
    'the same with a key of the vault: what the stranger gets is not ours',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [thief, 5_000_000],
        ],
        pay: [
          [vault, 99_000_000],
          [thief, rest(6_000_000)],
        ],
      }),
    [0],
    { pays: [rest(6_000_000)], returns: [[99_000_000, 'vault', false]], warns: [] },
  ],
  [
    'a UTXO of one of us that is to hide that the change is weaker',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [owners(1, 0), 1],
        ],
        pay: [[owners(1, 0), rest(100_000_001)]],
        change: [[owners(1, 0), rest(100_000_001)]],
      }),
    both,
    { pays: [], returns: [[rest(100_000_001), 'ours', true]], warns: ['WEAKER_CHANGE!'] },
  ],
  [
    'a payment to the attacker of the same amount as the change',
    () =>
      fileOf({
        spend: [[vault, 100_000_000 + FEE]],
        pay: [
          [vault, 50_000_000],
          [thief, 50_000_000],
        ],
        change: [[vault, 50_000_000]],
      }),
    [0],
    { pays: [50_000_000], returns: [[50_000_000, 'vault', true]], warns: [] },
  ],
  [
    'a stranger who takes out what he put in: not ours, so a payment',
    () =>
      fileOf({
        spend: [
          [vault, 100_000_000],
          [thief, 50_000_000],
        ],
        pay: [
          [thief, 50_000_000],
          [vault, rest(100_000_000)],
        ],
      }),
    [0, 1],
    { pays: [50_000_000], returns: [[rest(100_000_000), 'ours', false]], warns: [] },
  ],
  [
    'UTXOs of two groups with a common owner, all to that owner',
    () =>
      fileOf({
        spend: [
          [vault, 5_000_000],
          [owners(1, 0), 5_000_000 + FEE],
        ],
        pay: [[owners(1, 0), 10_000_000]],
      }),
    [1],
    { pays: [10_000_000], warns: [] },
  ],
  [
    'the same, for the owner who gains',
    () =>
      fileOf({
        spend: [
          [vault, 5_000_000],
          [owners(1, 0), 5_000_000 + FEE],
        ],
        pay: [[owners(1, 0), 10_000_000]],
      }),
    [0],
    { returns: [[10_000_000, 'ours', false]], warns: ['WEAKER_CHANGE!'] },
  ],
  [
    'a swap of thresholds between two groups of the same owners',
    () =>
      fileOf({
        spend: [
          [vault, 9_000_000 + FEE],
          [owners(1, 0, 1), 1_000_000],
        ],
        pay: [
          [owners(1, 0, 1), 9_000_000],
          [vault, 1_000_000],
        ],
      }),
    [0],
    {
      pays: [9_000_000],
      returns: [[1_000_000, 'vault', false]],
      warns: ['SHARED_OUTPUT!'],
    },
  ],
  [
    'a hundred equal outputs, of which one goes to the attacker',
    () =>
      fileOf({
        spend: [[vault, 100_000_000 + FEE]],
        pay: [[thief, 1_000_000], ...Array.from({ length: 99 }, (): Put => [vault, 1_000_000])],
        change: [[vault, 1_000_000]],
      }),
    [0],
    {
      pays: [1_000_000],
      returns: Array.from({ length: 99 }, () => [1_000_000, 'vault', true] as const),
      warns: [],
    },
  ],
]
