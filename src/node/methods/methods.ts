import { avmMethods, walletMethods } from './avm.ts'
import { healthMethods } from './health.ts'
import { infoMethods } from './info.ts'

/** All JSON-RPC methods of the clients, by service. The client, its types and its tests are derived from it. */
export const methods: {
  readonly avm: typeof avmMethods
  readonly wallet: typeof walletMethods
  readonly info: typeof infoMethods
  readonly health: typeof healthMethods
} = { avm: avmMethods, wallet: walletMethods, info: infoMethods, health: healthMethods }

/** Name of a service: the part of a method name before the dot. */
export type Service = keyof typeof methods

/** Returns the route of a service; `chain` is an alias or an ID. */
export function routeOf(service: Service, chain: string): string {
  switch (service) {
    case 'avm':
      return `/ext/bc/${encodeURIComponent(chain)}`
    case 'wallet':
      return `/ext/bc/${encodeURIComponent(chain)}/wallet`
    case 'info':
      return '/ext/info'
    case 'health':
      return '/ext/health'
  }
}
