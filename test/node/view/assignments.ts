import { fc } from '@fast-check/vitest'

/** Which servers lie, and how many must agree. */
export type Assignment = { readonly isLiar: readonly boolean[]; readonly quorum: number }

/** Fewer liars than the quorum, and at least as many honest servers as it requires, in any order. */
export function honestMajority(minQuorum = 1): fc.Arbitrary<Assignment> {
  return fc.integer({ min: minQuorum, max: 3 }).chain((quorum) =>
    fc
      .tuple(fc.integer({ min: 0, max: quorum - 1 }), fc.integer({ min: quorum, max: 5 }))
      .chain(([liars, honest]) => {
        const roles = [...Array(liars).fill(true), ...Array(honest).fill(false)] as boolean[]
        return fc
          .shuffledSubarray(roles, { minLength: roles.length })
          .map((isLiar) => ({ isLiar, quorum }))
      }),
  )
}
