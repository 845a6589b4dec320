import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Surroundings } from '../../../src/cli/surroundings.ts'
import { ask } from '../../../src/cli/terminal/prompt.ts'

/** Two ends of a connection. Unlike a stream in memory, what one end writes is read when the event loop polls. */
async function connected(): Promise<[near: Socket, far: Socket]> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [near] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    for (const end of [near, far]) end.destroy()
    server.close()
  })
  return [near, far]
}

/** Asks `count` times, with a `y` typed before each question and Enter after it. */
async function answers(count: number, setRawMode: () => void): Promise<string[]> {
  const [near, far] = await connected()
  const stdin = Object.assign(near, { setRawMode })
  const stderr = { write: (text: string) => text === 'Sign? ' && far.write('\r') }
  const given: string[] = []
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => far.write('y', resolve))
    given.push(await ask({ stdin, stderr } as unknown as Surroundings, 'Sign? '))
  }
  return given
}

describe('ask', () => {
  it('discards input typed before each of several questions', async () => {
    expect(await answers(3, () => {})).toEqual(['', '', ''])
  })

  it('discards input typed before the question if the process was suspended meanwhile', async () => {
    // Longer than the pause after which earlier input is considered complete.
    const suspend = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    expect(await answers(1, () => process.nextTick(suspend))).toEqual([''])
  })
})
