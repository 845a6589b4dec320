/**
 * Forbids what the content security policy does not cover: WebRTC, and navigation, whose URL could carry data away.
 * Downloads, reloads and what the user enters in the address bar are not affected.
 */
export function forbidLeaving(): void {
  window.open = () => null
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection'])
    Reflect.deleteProperty(globalThis, name)
  // Not in every browser yet.
  globalThis.navigation?.addEventListener('navigate', (event) => {
    const isDownload = event.downloadRequest !== null
    const isSamePage = event.destination.sameDocument || event.navigationType === 'reload'
    if (!isDownload && !isSamePage) event.preventDefault()
  })
  // Links into another window do not fire `navigate` here.
  addEventListener(
    'click',
    (event) => {
      const link = event.target instanceof Element ? event.target.closest('a, area') : null
      if (link !== null && !link.hasAttribute('download')) event.preventDefault()
    },
    { capture: true },
  )
}
