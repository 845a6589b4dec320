import type { Route } from '../route.ts'
import { controlRoutes } from './control.ts'
import { depositRoutes } from './deposits.ts'
import { operationRoutes } from './operations.ts'
import { payoutRoutes } from './payouts.ts'

/** All routes of the service. */
export const routes: readonly Route[] = [
  ...depositRoutes,
  ...payoutRoutes,
  ...controlRoutes,
  ...operationRoutes,
]
