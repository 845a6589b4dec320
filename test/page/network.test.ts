import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hasChromium } from './browser.ts'
import { usePage } from './harness.ts'

/** Ways in which a script could send something to `url`. They run in the page, with what the browser offers there. */
const ATTEMPTS: { readonly [name: string]: string } = {
  fetch: 'fetch(url).catch(() => {})',
  XMLHttpRequest: 'const x = new XMLHttpRequest(); x.open("POST", url); x.send("x")',
  WebSocket: 'new WebSocket(url.replace("http", "ws"))',
  EventSource: 'new EventSource(url)',
  sendBeacon: 'navigator.sendBeacon(url, "x")',
  'link ping': 'element("a", { href: "#x", ping: url }).click()',
  image: 'element("img", { src: url })',
  video: 'element("video", { src: url })',
  'SVG image': 'document.body.insertAdjacentElement("beforeend", svgImage(url))',
  frame: 'element("iframe", { src: url })',
  object: 'try { element("object", { data: url }) } catch {}',
  script: 'try { element("script", { src: url }) } catch {}',
  import: 'import(url).catch(() => {})',
  Worker: 'try { new Worker(url) } catch {}',
  'CSS url() in an attribute': 'document.body.style.backgroundImage = "url(" + url + ")"',
  'CSS url() in a style':
    'element("style", { textContent: "@import url(" + url + "); b { background: url(" + url + ") }" })',
  'CSS url() in a rule':
    'document.styleSheets[0].insertRule("main { background: url(" + url + ") }")',
  'CSS url() of a font': 'new FontFace("f", "url(" + url + ")").load().catch(() => {})',
  ...Object.fromEntries(
    [
      'prefetch',
      'preload',
      'preconnect',
      'modulepreload',
      'prerender',
      'stylesheet',
      'icon',
      'manifest',
    ].map((rel) => [`link ${rel}`, `element("link", { rel: "${rel}", href: url, as: "image" })`]),
  ),
  'speculation rules':
    'try { element("script", { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ urls: [url] }] }) }) } catch {}',
  'form post': 'element("form", { method: "post", action: url }).submit()',
  'form post into a window':
    'element("form", { method: "post", action: url, target: "_blank" }).submit()',
  WebRTC:
    'const p = new RTCPeerConnection({ iceServers: [{ urls: "turn:" + new URL(url).host + "?transport=tcp", username: "u", credential: "c" }] }); p.createDataChannel("x"); p.setLocalDescription()',
  'window.open': 'window.open(url)',
  'link into a window': 'element("a", { href: url, target: "_blank" }).click()',
  link: 'element("a", { href: url }).click()',
  refresh: 'element("meta", { httpEquiv: "refresh", content: "0; url=" + url })',
  location: 'location.href = url',
}

describe.runIf(hasChromium('the network of the offline page'))('the network of the page', () => {
  const { browser, url: file } = usePage()

  it('cannot be reached by any script', async () => {
    const received: string[] = []
    const sockets: Socket[] = []
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`)
      response.end()
    })
    server.on('connection', (socket) => sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const context = await browser().newContext()
    const page = await context.newPage()
    await page.goto(file)
    for (const [name, code] of Object.entries(ATTEMPTS)) {
      const helpers = `const url = ${JSON.stringify(origin + encodeURIComponent(name))}
        const element = (tag, members) => {
          const made = Object.assign(document.createElement(tag), members)
          document.body.append(made)
          return made
        }
        const svgImage = (href) => {
          const image = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
          image.append(document.createElementNS('http://www.w3.org/2000/svg', 'image'))
          image.firstChild.setAttribute('href', href)
          return image
        }`
      // What is missing in the page, such as WebRTC, fails here.
      await page.evaluate(`{ ${helpers}; ${code} }; undefined`).catch(() => {})
    }
    // A request that the browser has begun by now arrives before this one, from the same browser, is answered.
    const other = await context.newPage()
    await other.goto(`${origin}control`)
    await expect.poll(() => received).toContain('GET /control')
    expect(received.filter((line) => !/control|favicon/.test(line))).toEqual([])
    // Chromium connects ahead to where a frame or a form would lead, and sends nothing.
    const spoken = sockets.filter(({ bytesRead }) => bytesRead > 0)
    expect(spoken.length).toBeLessThanOrEqual(2)
    expect(page.url()).toBe(file)
    expect(context.pages()).toHaveLength(2)
    await context.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
