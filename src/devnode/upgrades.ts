/** The upgrade schedule of a network, with the names and in the order of `info.upgrades`. */
export type Upgrades = {
  readonly apricotPhase1Time: string
  readonly apricotPhase2Time: string
  readonly apricotPhase3Time: string
  readonly apricotPhase4Time: string
  readonly apricotPhase4MinPChainHeight: number
  readonly apricotPhase5Time: string
  readonly apricotPhasePre6Time: string
  readonly apricotPhase6Time: string
  readonly apricotPhasePost6Time: string
  readonly banffTime: string
  /** When the X-Chain switched to blocks: the time of its block 0. */
  readonly cortinaTime: string
  /** The parent of block 0; the zero ID if the node derives it from the chain ID. */
  readonly cortinaXChainStopVertexID: string
  readonly durangoTime: string
  readonly etnaTime: string
  readonly fortunaTime: string
  readonly graniteTime: string
  /** Nanoseconds. */
  readonly graniteEpochDuration: number
  readonly heliconTime: string
}

const UNSCHEDULED = '9999-12-01T00:00:00Z'
/** Of upgrades that are in force from the genesis on. */
const FROM_THE_BEGINNING = '2020-12-05T05:00:00Z'

const MAINNET: Upgrades = {
  apricotPhase1Time: '2021-03-31T14:00:00Z',
  apricotPhase2Time: '2021-05-10T11:00:00Z',
  apricotPhase3Time: '2021-08-24T14:00:00Z',
  apricotPhase4Time: '2021-09-22T21:00:00Z',
  apricotPhase4MinPChainHeight: 793_005,
  apricotPhase5Time: '2021-12-02T18:00:00Z',
  apricotPhasePre6Time: '2022-09-05T01:30:00Z',
  apricotPhase6Time: '2022-09-06T20:00:00Z',
  apricotPhasePost6Time: '2022-09-07T03:00:00Z',
  banffTime: '2022-10-18T16:00:00Z',
  cortinaTime: '2023-04-25T15:00:00Z',
  cortinaXChainStopVertexID: 'jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga',
  durangoTime: '2024-03-06T16:00:00Z',
  etnaTime: '2024-12-16T17:00:00Z',
  fortunaTime: '2025-04-08T15:00:00Z',
  graniteTime: '2025-11-19T16:00:00Z',
  graniteEpochDuration: 300_000_000_000,
  heliconTime: '2026-09-22T15:00:00Z',
}

const FUJI: Upgrades = {
  apricotPhase1Time: '2021-03-26T14:00:00Z',
  apricotPhase2Time: '2021-05-05T14:00:00Z',
  apricotPhase3Time: '2021-08-16T19:00:00Z',
  apricotPhase4Time: '2021-09-16T21:00:00Z',
  apricotPhase4MinPChainHeight: 47_437,
  apricotPhase5Time: '2021-11-24T15:00:00Z',
  apricotPhasePre6Time: '2022-09-06T20:00:00Z',
  apricotPhase6Time: '2022-09-06T20:00:00Z',
  apricotPhasePost6Time: '2022-09-07T06:00:00Z',
  banffTime: '2022-10-03T14:00:00Z',
  cortinaTime: '2023-04-06T15:00:00Z',
  cortinaXChainStopVertexID: '2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ',
  durangoTime: '2024-02-13T16:00:00Z',
  etnaTime: '2024-11-25T16:00:00Z',
  fortunaTime: '2025-03-13T15:00:00Z',
  graniteTime: '2025-10-29T15:00:00Z',
  graniteEpochDuration: 300_000_000_000,
  heliconTime: '2026-07-28T15:00:00Z',
}

const OTHERS: Upgrades = {
  apricotPhase1Time: FROM_THE_BEGINNING,
  apricotPhase2Time: FROM_THE_BEGINNING,
  apricotPhase3Time: FROM_THE_BEGINNING,
  apricotPhase4Time: FROM_THE_BEGINNING,
  apricotPhase4MinPChainHeight: 0,
  apricotPhase5Time: FROM_THE_BEGINNING,
  apricotPhasePre6Time: FROM_THE_BEGINNING,
  apricotPhase6Time: FROM_THE_BEGINNING,
  apricotPhasePost6Time: FROM_THE_BEGINNING,
  banffTime: FROM_THE_BEGINNING,
  cortinaTime: FROM_THE_BEGINNING,
  cortinaXChainStopVertexID: '11111111111111111111111111111111LpoYY',
  durangoTime: FROM_THE_BEGINNING,
  etnaTime: FROM_THE_BEGINNING,
  fortunaTime: FROM_THE_BEGINNING,
  graniteTime: FROM_THE_BEGINNING,
  graniteEpochDuration: 30_000_000_000,
  heliconTime: UNSCHEDULED,
}

/** Returns the upgrade schedule of a network (avalanchego `upgrade/upgrade.go`). */
export function upgradesOf(networkID: number): Upgrades {
  return networkID === 1 ? MAINNET : networkID === 5 ? FUJI : OTHERS
}

/** When Helicon is in force from: according to the network's schedule, unless an option says always or never. */
export function heliconTimeOf(networkID: number, isInForce: boolean | undefined): string {
  if (isInForce === undefined) return upgradesOf(networkID).heliconTime
  return isInForce ? FROM_THE_BEGINNING : UNSCHEDULED
}
