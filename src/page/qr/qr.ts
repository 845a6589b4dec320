import encodeQR from 'qr'
import { actions, button, el } from '../dom.ts'
import { qrElement } from '../elements/qr.ts'

/** A QR code as an image. */
export function qrImage(text: string, label: string): SVGElement {
  return qrElement(encodeQR(text, 'raw', { ecc: 'low', border: 4 }), label)
}

/** Milliseconds for which each frame of a series is shown. */
const FRAME_MS = 400

/** A series of frames that shows one after the other until it leaves the page, with buttons to step through it. */
export function qrSeries(frames: readonly string[]): HTMLElement {
  const holder = el('div', { class: 'qr-holder' })
  const count = el('p', { class: 'hint' })
  let at = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const draw = () => {
    const label = `QR code ${at + 1} of ${frames.length}`
    holder.replaceChildren(qrImage(frames[at]!, label))
    count.textContent = label
  }
  const step = (by: number) => {
    at = (at + by + frames.length) % frames.length
    draw()
  }
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    toggle.textContent = 'Play'
  }
  const play = () => {
    timer = setInterval(() => (holder.isConnected ? step(1) : stop()), FRAME_MS)
    toggle.textContent = 'Pause'
  }
  const toggle = button('Pause', () => (timer === undefined ? play() : stop()))
  const move = (by: number) => () => {
    stop()
    step(by)
  }
  draw()
  if (frames.length === 1) return el('div', { class: 'qr-series' }, holder, count)
  play()
  return el(
    'div',
    { class: 'qr-series', 'data-frames': frames.length },
    holder,
    count,
    actions(button('Previous', move(-1)), toggle, button('Next', move(1))),
  )
}
