import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { todaysOf } from '../helpers/todays-cases.ts'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'
import { ATTEMPTS, HELPERS, REACHING } from './ways-out.ts'

/** What reached the sockets from a page in which attempts were made. */
type Arrivals = {
  /** Numbers of connections, of requests by name, and of datagrams. */
  readonly connections: number
  readonly requests: readonly string[]
  readonly datagrams: number
  readonly url: string
  readonly windows: number
}

/** Makes attempts in a page and reports what arrives at a TCP and a UDP socket of this machine. */
async function arrivalsFrom(
  browser: Browser,
  file: string,
  names: readonly string[],
  prepare: (click: (name: string) => Promise<void>) => Promise<void> = async () => {},
): Promise<Arrivals> {
  const requests: string[] = []
  const sockets: Socket[] = []
  let datagrams = 0
  const tcp = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      requests.push(decodeURIComponent(/^\w+ \/(\S*)/.exec(data.toString('latin1'))?.[1] ?? '?'))
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  const udp = createSocket('udp4', () => datagrams++)
  tcp.listen(0, '127.0.0.1')
  udp.bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
  const origin = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(file)
    await prepare((name) => page.getByRole('button', { name, exact: true }).last().click())
    for (const name of names) {
      const values = `const url = ${JSON.stringify(origin + encodeURIComponent(name))}, udp = '127.0.0.1:${udp.address().port}'`
      // What is missing in the page fails here.
      await page.evaluate(`{ ${values}; ${HELPERS}; ${ATTEMPTS[name]} }; undefined`).catch(() => {})
    }
    // Requests that the browser has begun by now arrive before this one, from the same browser, is answered. Datagrams
    // take a little longer: an unprotected page has sent its first before the second of these requests.
    for (const control of ['control-1', 'control-2']) {
      const other = await context.newPage()
      await other.goto(`${origin}${control}`)
      await other.evaluate('new Promise((resolve) => setTimeout(resolve, 300))')
      await other.close()
    }
    const isControl = (name: string) => /^(control|favicon)/.test(name)
    const controls = requests.filter(isControl).length
    return {
      connections: sockets.length - controls,
      requests: requests.filter((name) => !isControl(name)),
      datagrams,
      url: page.url(),
      windows: context.pages().length,
    }
  } finally {
    await context.close()
    for (const socket of sockets) socket.destroy()
    tcp.close()
    udp.close()
  }
}

describe.runIf(hasChromium('the network of the offline page'))('the network of the page', () => {
  const { browser, folder, url: file } = usePage()

  it('cannot be reached by any script: no connection, no datagram, no window', async () => {
    const arrivals = await arrivalsFrom(browser(), file, Object.keys(ATTEMPTS), async (click) => {
      await click('Generate')
      await click('Generate')
    })
    expect(arrivals).toEqual({ connections: 0, requests: [], datagrams: 0, url: file, windows: 1 })
  })

  it('could be reached in these ways without protection', async () => {
    const path = join(folder, 'unprotected.html')
    writeFileSync(path, '<!doctype html><meta charset=utf-8><title>x</title><main></main>')
    const unprotected = pathToFileURL(path).href
    for (const name of todaysOf(REACHING)) {
      const { connections, datagrams } = await arrivalsFrom(browser(), unprotected, [name])
      expect(connections + datagrams, name).toBeGreaterThan(0)
    }
  })

  it('does not run inside a frame of another page', async () => {
    const path = join(folder, 'framing.html')
    writeFileSync(path, `<!doctype html><title>x</title><iframe src="avmkit.html"></iframe>`)
    const context = await browser().newContext()
    const page = await context.newPage()
    await page.goto(pathToFileURL(path).href)
    const inner = page.frameLocator('iframe')
    await inner.getByText('does not run inside another page').waitFor()
    expect(await inner.locator('textarea, input, button').count()).toBe(0)
    await context.close()
  })
})
