import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { senderTo } from '../../../src/custody/service/webhooks/send.ts'

it('a message is not sent once the service stops, and is given up while it is sent', async () => {
  let asked = 0
  const stop = new AbortController()
  const server = createServer(() => {
    // Never answers.
    asked++
    stop.abort()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { send, close } = senderTo(`http://127.0.0.1:${port}`, {
    timeoutMs: 60_000,
    connections: 1,
  })
  onTestFinished(close)
  expect(await send('{}', {}, AbortSignal.abort())).toBe('the service stops')
  expect(asked).toBe(0)
  expect(await send('{}', {}, stop.signal)).toBe('the service stops')
  expect(asked).toBe(1)
})
