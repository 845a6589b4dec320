/**
 * Ways in which a script could send something to `url`, or to `udp`, the host and port of a UDP socket. They run in the
 * page, with what the browser offers there. Those in `REACHING` reach the sockets from a page without protection.
 */
export const ATTEMPTS: { readonly [name: string]: string } = {
  fetch: 'fetch(url).catch(() => {})',
  XMLHttpRequest: 'const x = new XMLHttpRequest(); x.open("POST", url); x.send("x")',
  WebSocket: 'new WebSocket(url.replace("http", "ws"))',
  EventSource: 'new EventSource(url)',
  WebTransport: 'new WebTransport(url.replace("http", "https"))',
  sendBeacon: 'navigator.sendBeacon(url, "x")',
  'link ping': 'element("a", { href: "#x", ping: url }).click()',
  image: 'element("img", { src: url })',
  'image constructor': 'new Image().src = url',
  'image button': 'element("input", { type: "image", src: url })',
  video: 'element("video", { src: url })',
  'video poster': 'element("video", { poster: url })',
  audio: 'new Audio(url).play()',
  'SVG image': 'document.body.append(vector("image", { href: url }))',
  'SVG use': 'document.body.append(vector("use", { href: url + "#x" }))',
  object: 'element("object", { data: url })',
  embed: 'element("embed", { src: url })',
  script: 'element("script", { src: url })',
  import: 'import(url).catch(() => {})',
  Worker: 'new Worker(url)',
  'Worker of a blob': 'new Worker(URL.createObjectURL(new Blob(["fetch(\'" + url + "\')"])))',
  'CSS url() in an attribute': 'document.body.style.backgroundImage = "url(" + url + ")"',
  'CSS url() in a style':
    'element("style", { textContent: "@import url(" + url + "); b { background: url(" + url + ") }" })',
  'CSS url() in a rule':
    'document.styleSheets[0].insertRule("main { background: url(" + url + ") }")',
  'CSS url() in a new sheet':
    'const sheet = new CSSStyleSheet(); sheet.replaceSync("main { background: url(" + url + ") }"); document.adoptedStyleSheets = [sheet]',
  'CSS url() of a font': 'new FontFace("f", "url(" + url + ")").load().catch(() => {})',
  ...Object.fromEntries(
    [
      'prefetch',
      'preload',
      'preconnect',
      'dns-prefetch',
      'modulepreload',
      'prerender',
      'stylesheet',
      'icon',
      'manifest',
    ].map((rel) => [`link ${rel}`, `element("link", { rel: "${rel}", href: url, as: "image" })`]),
  ),
  'speculation rules':
    'element("script", { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ urls: [url] }] }) })',
  'form.submit': 'element("form", { method: "post", action: url }).submit()',
  'form.submit into a window':
    'element("form", { method: "post", action: url, target: "_blank" }).submit()',
  'form.submit in a frame':
    'const form = frame().document.createElement("form"); form.action = url; frame().document.body.append(form); form.submit()',
  'button with formAction': 'const b = element("button", { formAction: url }); b.click()',
  'iframe.src': 'element("iframe", { src: url })',
  'iframe.src of an empty frame': 'frame().location = url',
  'frame of another namespace':
    'const f = document.createElementNS("http://www.w3.org/1999/xhtml", "iframe"); f.src = url; document.body.append(f)',
  'frame by an object that converts twice':
    'let n = 0; const f = document.createElement({ toString: () => n++ ? "iframe" : "div" }); f.src = url; document.body.append(f)',
  'frame by a class':
    'class F extends HTMLIFrameElement {}; customElements.define("x-f", F, { extends: "iframe" }); const f = new F(); f.src = url; document.body.append(f)',
  'frame by XSLT': `
    const xsl = "http://www.w3.org/1999/XSL/Transform", doc = document.implementation.createDocument(xsl, "xsl:stylesheet")
    const add = (parent, name, attributes) => { const e = doc.createElementNS(xsl, name); for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v); parent.append(e); return e }
    doc.documentElement.setAttribute("version", "1.0")
    const made = add(add(doc.documentElement, "xsl:template", { match: "/" }), "xsl:element", { name: "iframe", namespace: "http://www.w3.org/1999/xhtml" })
    add(made, "xsl:attribute", { name: "src" }).textContent = url
    const p = new XSLTProcessor(); p.importStylesheet(doc); document.body.append(p.transformToFragment(document, document))`,
  'frame by markup': 'document.body.insertAdjacentHTML("beforeend", "<iframe src=" + url + ">")',
  'frame by execCommand':
    'const d = element("div", { contentEditable: true }); d.focus(); document.execCommand("insertHTML", false, "<iframe src=" + url + ">")',
  'frame by parsing':
    'document.body.append(new DOMParser().parseFromString("<iframe src=" + url + ">", "text/html").body.firstChild)',
  'frame by document.write': 'document.write("<iframe src=" + url + ">")',
  WebRTC: 'connect(RTCPeerConnection)',
  'WebRTC by its old name': 'connect(webkitRTCPeerConnection)',
  'WebRTC of an empty frame': 'connect(frame().RTCPeerConnection)',
  'WebRTC of a frame in a frame':
    'const inner = frame().document.createElement("iframe"); frame().document.body.append(inner); connect(inner.contentWindow.RTCPeerConnection)',
  'WebRTC over TCP':
    'const p = new RTCPeerConnection({ iceServers: [{ urls: "turn:" + new URL(url).host + "?transport=tcp", username: "u", credential: "c" }] }); p.createDataChannel("x"); p.setLocalDescription()',
  'window.open': 'window.open(url)',
  'document.open': 'document.open(url, "", "noopener")',
  'open of a frame': 'frame().open(url)',
  'document.open of a frame': 'frame().document.open(url, "", "noopener")',
  'link into a window': 'element("a", { href: url, target: "_blank" }).click()',
  'link in a detached node':
    'Object.assign(document.createElement("a"), { href: url, target: "_blank" }).click()',
  'link in a detached node by an event':
    'Object.assign(document.createElement("a"), { href: url, target: "_blank" }).dispatchEvent(new MouseEvent("click"))',
  'link in a shadow root':
    'const a = Object.assign(document.createElement("a"), { href: url, target: "_blank" }); element("div", {}).attachShadow({ mode: "closed" }).append(a); a.click()',
  'link in a frame':
    'const a = Object.assign(frame().document.createElement("a"), { href: url, target: "_blank" }); frame().document.body.append(a); a.click()',
  'link of SVG':
    'const a = vector("a", { href: url, target: "_blank" }).firstChild; document.body.append(a); a.dispatchEvent(new MouseEvent("click"))',
  'area of a map': 'element("area", { href: url, target: "_blank" }).click()',
  'link that downloads': 'element("a", { href: url, download: "x" }).click()',
  'link of the page, when it saves': `
    const { click } = HTMLElement.prototype
    HTMLElement.prototype.click = HTMLAnchorElement.prototype.click = function () { this.removeAttribute("download"); this.target = "_blank"; this.href = url; click.call(this) }
    const { createObjectURL } = URL; URL.createObjectURL = () => url
    Element.prototype.setAttribute = new Proxy(Element.prototype.setAttribute, { apply: (f, self, args) => { if (self.localName === "a") self.href = url; return Reflect.apply(f, self, args) } })
    HTMLElement.prototype.click = click; document.querySelectorAll("button").forEach((b) => b.textContent === "Save without encryption" && click.call(b))`,
  link: 'element("a", { href: url }).click()',
  refresh: 'element("meta", { httpEquiv: "refresh", content: "0; url=" + url })',
  'refresh by the policy':
    'const m = document.querySelector("meta[http-equiv]").cloneNode(); m.httpEquiv = "refresh"; m.content = "0; url=" + url; document.head.append(m)',
  'payment manifest':
    'new PaymentRequest([{ supportedMethods: url }], { total: { label: "x", amount: { currency: "USD", value: "1" } } }).canMakePayment().catch(() => {})',
  'identity provider':
    'navigator.credentials.get({ identity: { providers: [{ configURL: url, clientId: "x" }] } }).catch(() => {})',
  notification: 'new Notification("x", { icon: url, image: url })',
  navigation: 'navigation.navigate(url).finished.catch(() => {})',
  location: 'location.href = url',
}

/** Attempts that must reach a socket from a page without protection, or this test would prove nothing. */
export const REACHING: readonly string[] = [
  'fetch',
  'form.submit into a window',
  'form.submit in a frame',
  'iframe.src',
  'iframe.src of an empty frame',
  'frame of another namespace',
  'frame by a class',
  'frame by execCommand',
  'frame by parsing',
  'WebRTC',
  'WebRTC of an empty frame',
  'WebRTC over TCP',
  'document.open',
  'open of a frame',
  'link in a detached node',
  'link in a detached node by an event',
  'link in a shadow root',
  'link in a frame',
  'link of SVG',
  'link that downloads',
  'payment manifest',
  'identity provider',
  'location',
]

/** Functions that the attempts use. */
export const HELPERS = `
  const element = (tag, members) => {
    const made = Object.assign(document.createElement(tag), members)
    document.body.append(made)
    return made
  }
  const vector = (tag, attributes) => {
    const image = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    image.append(document.createElementNS('http://www.w3.org/2000/svg', tag))
    for (const [name, value] of Object.entries(attributes)) image.firstChild.setAttribute(name, value)
    return image
  }
  let empty
  const frame = () => {
    empty ??= element('iframe', {})
    return empty.contentWindow
  }
  const connect = (Connection) => {
    const connection = new Connection({ iceServers: [{ urls: 'stun:' + udp }] })
    connection.createDataChannel('x')
    connection.setLocalDescription()
    globalThis.connections = [...(globalThis.connections ?? []), connection]
  }`
