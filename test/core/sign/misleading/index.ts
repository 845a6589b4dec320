import type { Case } from '../verdicts.ts'
import { crossChainCases } from './cross-chain.ts'
import { lockAndBurnCases } from './locks-and-burns.ts'
import { operationCases } from './operations.ts'
import { ownerCases } from './owners.ts'
import { proofCases } from './proofs.ts'

/** Honest and misleading requests, by what may mislead the reader. */
export const misleadingCases: { readonly [topic: string]: readonly Case[] } = {
  owners: ownerCases,
  'locks and burns': lockAndBurnCases,
  proofs: proofCases,
  operations: operationCases,
  'exports and imports': crossChainCases,
}
