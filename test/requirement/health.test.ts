import { expect } from 'vitest'
import { createNodeClient } from '../../src/node/index.ts'
import { answering } from '../node/recorded.ts'
import { requirement, SUBNET, type World } from './world.ts'

/** Answers of all seven ways to ask, by name. */
const ways = ({ client }: World) => ({
  'health.health': () => client.health.health(),
  'GET /ext/health': () => client.healthGet.root(),
  'GET /ext/health/health': () => client.healthGet.health(),
})

type Engine = {
  readonly engine: { readonly consensus: object; readonly vm: unknown }
  readonly networking: { readonly percentConnected: number }
}

requirement({
  'Health resources': [
    [
      'Health result: checks by name, and healthy',
      async (world) => {
        for (const ask of Object.values(ways(world))) {
          const { healthy, checks } = await ask()
          expect(healthy).toBe(true)
          expect(Object.keys(checks)).toEqual(
            expect.arrayContaining(['C', 'P', 'X', 'bootstrapped', 'database', 'diskspace']),
          )
        }
      },
    ],
    [
      'Health result: healthy is true when all included checks pass',
      async (world) => {
        world.node.setHealthCheck('database', 'disk full')
        for (const ask of Object.values(ways(world)))
          expect(await ask()).toMatchObject({
            healthy: false,
            checks: { database: { error: 'disk full' } },
          })
        world.node.setHealthCheck('database', undefined)
      },
    ],
    [
      'Check result: message, error, timestamp, duration, contiguousFailures, timeOfFirstFailure',
      async (world) => {
        world.node.setHealthCheck('network', 'no peers')
        const { checks } = await world.client.health.health()
        expect(checks.network).toEqual({
          message: expect.any(Object),
          error: 'no peers',
          timestamp: '2023-11-14T22:13:20Z',
          duration: expect.any(BigInt),
          contiguousFailures: 1n,
          timeOfFirstFailure: '2023-11-14T22:13:20Z',
        })
        expect(checks.router).toMatchObject({ error: undefined, contiguousFailures: undefined })
        world.node.setHealthCheck('network', undefined)
      },
    ],
    [
      'Check result: message and error may be anything',
      async () => {
        for (const value of ['"text"', '5', '[1]', '{"a":{"b":18446744073709551615}}', 'false']) {
          const client = answering(
            `{"checks":{"x":{"message":${value},"error":${value}}},"healthy":false}`,
          )
          const { x } = (await client.health.health()).checks
          expect(x!.message).toEqual(x!.error)
          expect(x!.message).not.toBeUndefined()
        }
      },
    ],
    [
      'Chain checks: message.engine.consensus, message.engine.vm, message.networking.percentConnected',
      async (world) => {
        const { X } = (await world.client.health.health()).checks
        const { engine, networking } = X!.message as unknown as Engine
        expect(Object.keys(engine.consensus)).toEqual(
          expect.arrayContaining([
            ...['lastAcceptedHeight', 'lastAcceptedID', 'longestProcessingBlock'],
            'processingBlocks',
          ]),
        )
        expect([engine.vm, networking.percentConnected]).toEqual([null, 1])
      },
    ],
    [
      'diskspace: availableDiskBytes',
      async (world) =>
        expect((await world.client.health.health()).checks.diskspace!.message).toMatchObject({
          availableDiskBytes: expect.any(Number),
        }),
    ],
    [
      'network: connectedPeers, sendFailRate, timeSinceLastMsgReceived, timeSinceLastMsgSent',
      async (world) =>
        expect((await world.client.health.health()).checks.network!.message).toEqual({
          connectedPeers: 2,
          sendFailRate: 0,
          timeSinceLastMsgReceived: '0s',
          timeSinceLastMsgSent: '0s',
        }),
    ],
    [
      'router: longestRunningRequest, outstandingRequests; bootstrapped: a list',
      async (world) => {
        const { router, bootstrapped } = (await world.client.health.health()).checks
        expect(router!.message).toEqual({ longestRunningRequest: '0s', outstandingRequests: 0 })
        expect(bootstrapped!.message).toEqual([])
      },
    ],
  ],

  'A. Node RPC: health': [
    [
      'GET /ext/health and /ext/health/health: the same result, 200 when healthy',
      async (world) => {
        const root = await world.client.healthGet.root()
        expect([world.last().verb, world.last().target, world.last().status]).toEqual([
          'GET',
          '/ext/health',
          200,
        ])
        expect(await world.client.healthGet.health()).toEqual(root)
        expect(world.last().target).toBe('/ext/health/health')
      },
    ],
    [
      'GET /ext/health: 503 when unhealthy, which is an answer',
      async (world) => {
        world.node.setHealthCheck('router', 'stuck')
        expect((await world.client.healthGet.root()).healthy).toBe(false)
        expect(world.last().status).toBe(503)
        world.node.setHealthCheck('router', undefined)
      },
    ],
    [
      'GET /ext/health/readiness: healthy once the node has finished initializing',
      async (world) => {
        expect(await world.client.healthGet.readiness()).toMatchObject({ healthy: true })
        expect(world.last().target).toBe('/ext/health/readiness')
        world.node.setBootstrapping('platform')
        expect(await world.client.healthGet.readiness()).toMatchObject({ healthy: false })
        expect(world.last().status).toBe(503)
        world.node.setBootstrapping('done')
      },
    ],
    [
      'GET /ext/health/liveness: healthy once the endpoint is available',
      async (world) => {
        world.node.setBootstrapping('platform')
        expect(await world.client.healthGet.liveness()).toEqual({ healthy: true, checks: {} })
        expect(world.last().target).toBe('/ext/health/liveness')
        world.node.setBootstrapping('done')
      },
    ],
    [
      'POST health.health: tags, optional',
      async (world) => {
        await world.client.health.health({ tags: [SUBNET] })
        expect(world.last()).toMatchObject({
          verb: 'POST',
          target: '/ext/health',
          body: { method: 'health.health', params: { tags: [SUBNET] } },
        })
        await world.client.health.health()
        expect(world.last().body!.params).toEqual({})
      },
    ],
    [
      'POST health.readiness: the startup checks',
      async (world) => {
        const { checks } = await world.client.health.readiness({ tags: [SUBNET] })
        expect(Object.keys(checks)).toEqual(['bootstrapped'])
        expect(world.last().body).toMatchObject({ params: { tags: [SUBNET] } })
      },
    ],
    [
      'POST health.liveness: checks empty, healthy true',
      async (world) =>
        expect(await world.client.health.liveness()).toEqual({ healthy: true, checks: {} }),
    ],
    [
      'Body shape of the GET responses: not shown, so with another body the status decides',
      async () => {
        for (const [status, healthy] of [
          [200, true],
          [503, false],
        ] as const)
          for (const body of ['', 'fine', '{"state":"x"}']) {
            const fetch = async () => new Response(body, { status })
            const client = createNodeClient({ url: 'http://node.test', fetch })
            expect(await client.healthGet.root()).toEqual({ healthy, checks: {} })
          }
      },
    ],
  ],

  'Tag filtering': [
    [
      'Results contain only checks that match the tags, and global checks',
      async (world) => {
        const primary = '11111111111111111111111111111111LpoYY'
        const names = async (tags: string[]) =>
          Object.keys((await world.client.healthGet.root({ tags })).checks)
        expect(await names([primary])).toEqual(expect.arrayContaining(['X', 'network']))
        expect(await names([SUBNET])).not.toContain('X')
        expect(await names([SUBNET])).toEqual(expect.arrayContaining(['network', 'database']))
      },
    ],
    [
      'A filtered result can be healthy while the node is not',
      async (world) => {
        world.node.setHealthCheck('X', 'stuck')
        expect((await world.client.healthGet.root()).healthy).toBe(false)
        expect((await world.client.healthGet.root({ tags: [SUBNET] })).healthy).toBe(true)
        expect((await world.client.health.health({ tags: [SUBNET] })).healthy).toBe(true)
        world.node.setHealthCheck('X', undefined)
      },
    ],
    [
      'Several tag parameters are sent, one each',
      async (world) => {
        await world.client.healthGet.health({ tags: [SUBNET, 'other'] })
        expect(world.last().target).toBe(`/ext/health/health?tag=${SUBNET}&tag=other`)
      },
    ],
  ],
})
