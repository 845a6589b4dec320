/**
 * Closes the ways to a server that the content security policy leaves open: WebRTC, new windows and navigation, whose
 * URL could carry data away. It is the first module that runs. Frames would have all of this anew, and links in nodes
 * that are not in the document fire no event here, so the page can create only the elements that it shows.
 *
 * Natives are kept in this module and called by `apply`: code that replaces them later cannot get hold of a link.
 */

const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect

/** The elements of HTML that the page creates: no frame, form, link, object or script. */
export type PageTag = (typeof HTML_TAGS)[number]

const HTML_TAGS = [
  'button',
  'canvas',
  'code',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'em',
  'fieldset',
  'figcaption',
  'figure',
  'h2',
  'h3',
  'input',
  'label',
  'legend',
  'li',
  'nav',
  'ol',
  'option',
  'output',
  'p',
  'pre',
  'section',
  'select',
  'span',
  'strong',
  'summary',
  'textarea',
  'ul',
  'video',
] as const

/** The elements of SVG that the page creates. */
export type PageShape = (typeof SVG_TAGS)[number]

const SVG_TAGS = ['g', 'path', 'rect', 'svg', 'text', 'title'] as const

const HTML = 'http://www.w3.org/1999/xhtml'
const SVG = 'http://www.w3.org/2000/svg'

/** Interfaces that no policy covers, or not in every browser: connections, windows, and other makers of elements. */
const GLOBALS = [
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'mozRTCPeerConnection',
  'DocumentPictureInPicture',
  'documentPictureInPicture',
  'PaymentRequest',
  'PresentationRequest',
  'Notification',
  'MediaMetadata',
  'XSLTProcessor',
  'DOMParser',
]

const NAVIGATOR = ['credentials', 'presentation', 'serviceWorker', 'share']

const native = {
  createElement: Document.prototype.createElement,
  createElementNS: Document.prototype.createElementNS,
  setAttribute: Element.prototype.setAttribute,
  click: HTMLElement.prototype.click,
  preventDefault: Event.prototype.preventDefault,
  createObjectURL: URL.createObjectURL,
  revokeObjectURL: URL.revokeObjectURL,
  setTimeout,
}

/** An object without a prototype, so that nothing can be added to it from elsewhere. */
function setOf(names: readonly string[]): { readonly [name: string]: true | undefined } {
  const set: { [name: string]: true } = Object.create(null)
  for (const name of names) set[name] = true
  return Object.freeze(set)
}

function replace(object: object, name: string, value: unknown): void {
  if (!defineProperty(object, name, { value, writable: false, configurable: false }))
    throw new TypeError(`${name} cannot be replaced`)
}

function forbidElements(): void {
  const allowed = { [HTML]: setOf(HTML_TAGS), [SVG]: setOf(SVG_TAGS) }
  const isAllowed = (namespace: string, name: string) =>
    (namespace === HTML || namespace === SVG) && allowed[namespace][name] === true
  // Arguments are converted once: an object could have another text the second time.
  replace(Document.prototype, 'createElement', function (this: Document, given: unknown) {
    const name = `${given}`
    if (!isAllowed(HTML, name)) throw new TypeError(`the page creates no element ${name}`)
    return apply(native.createElement, this, [name])
  })
  replace(
    Document.prototype,
    'createElementNS',
    function (this: Document, givenSpace: unknown, given: unknown) {
      const [namespace, name] = [`${givenSpace}`, `${given}`]
      if (!isAllowed(namespace, name)) throw new TypeError(`the page creates no element ${name}`)
      return apply(native.createElementNS, this, [namespace, name])
    },
  )
  replace(CustomElementRegistry.prototype, 'define', undefined)
  // The policy stays in force without its element, which could become a `refresh`.
  for (const element of document.querySelectorAll('meta, script')) element.remove()
}

function forbidWindows(): void {
  replace(window, 'open', () => null)
  // With three arguments it opens a window.
  replace(Document.prototype, 'open', undefined)
  // A page that has opened this one could be navigated or sent a message.
  window.opener = null
}

type Getter = (this: unknown) => unknown

/** Prevents every navigation but reloads and downloads of what the page itself has made. */
function forbidNavigation(): void {
  // Not in every browser yet.
  if (globalThis.navigation === undefined) return
  const getter = (prototype: object, name: string): Getter =>
    getOwnPropertyDescriptor(prototype, name)!.get!
  const type = getter(NavigateEvent.prototype, 'navigationType')
  const request = getter(NavigateEvent.prototype, 'downloadRequest')
  navigation.addEventListener('navigate', (event) => {
    const isDownload = apply(request, event, []) !== null && isSaving
    if (!isDownload && apply(type, event, []) !== 'reload') apply(native.preventDefault, event, [])
  })
}

/** Whether `saveFile` has just clicked its own link. */
let isSaving = false

/** Offers a file for saving. This is the only link that the page ever makes. */
export function saveFile(name: string, text: string, type: string = 'application/json'): void {
  const url = apply(native.createObjectURL, URL, [new Blob([text], { type })])
  const link = apply(native.createElement, document, ['a'])
  apply(native.setAttribute, link, ['href', url])
  apply(native.setAttribute, link, ['download', name])
  isSaving = true
  apply(native.click, link, [])
  isSaving = false
  // The download has started by then.
  apply(native.setTimeout, window, [() => apply(native.revokeObjectURL, URL, [url]), 60_000])
}

for (const name of GLOBALS) deleteProperty(globalThis, name)
for (const name of NAVIGATOR) deleteProperty(Navigator.prototype, name)
forbidElements()
forbidWindows()
forbidNavigation()
