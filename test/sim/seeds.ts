import { quarterFrom } from '../helpers/quarter.ts'

/** The seeds that `npm run test:sim -- SEEDS FIRST` asks for; otherwise those of `count` that are run today. */
export function seedsToRun(count: number): number[] {
  const { AVMKIT_SIM_SEEDS, AVMKIT_SIM_FIRST = 1 } = process.env
  return AVMKIT_SIM_SEEDS === undefined
    ? quarterFrom(1, count)
    : Array.from({ length: Number(AVMKIT_SIM_SEEDS) }, (_, i) => Number(AVMKIT_SIM_FIRST) + i)
}
