import decodeQR from 'qr/decode.js'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { FrameCollector, isFrame, type Joined } from '../../inspect/bbqr.ts'
import { encodeUR, isUR, type UR, URCollector } from '../../signers/keystone/ur.ts'
import { actions, button, el, setChildren } from '../dom.ts'
import { errorElement } from '../elements/error.ts'
import { PageError } from '../errors.ts'

/** A panel with the picture of the camera. Calls `done` with the text of a QR code or of a complete series. */
export function scanner(done: (text: string) => void): HTMLElement {
  const video = el('video', { muted: true, playsinline: true, 'aria-label': 'camera' })
  const status = el(
    'p',
    { class: 'hint', role: 'status' },
    'Hold the QR code in front of the camera.',
  )
  const problem = el('div')
  const panel = el('div', { class: 'scanner' }, video, status, problem)
  const collector = new FrameCollector()
  const urs = new URCollector()
  let stream: MediaStream | undefined
  const stop = () => {
    for (const track of stream?.getTracks() ?? []) track.stop()
    panel.remove()
  }
  const opener = document.activeElement as HTMLElement | null
  const close = () => {
    stop()
    // The button that was pressed is gone.
    opener?.focus()
  }
  panel.append(actions(button('Stop camera', close)))

  const take = async (text: string) => {
    setChildren(problem)
    if (isUR(text)) return takeUR(text)
    if (!isFrame(text)) return finish(text)
    const complete = collector.add(text)
    const { read, count } = collector.progress
    status.textContent = `${read} of ${count} QR codes read`
    if (complete) finish(textOfJoined(await collector.join()))
  }
  const takeUR = (text: string) => {
    const ur = urs.add(text)
    const { read, count } = urs.progress
    status.textContent = `${read} of ${count} QR codes read`
    if (ur !== undefined) finish(textOfUR(ur))
  }
  const finish = (text: string) => {
    stop()
    done(text)
  }
  const run = async () => {
    stream = await openCamera()
    // The user may have closed the panel while the browser asked for permission.
    if (!panel.isConnected) return stop()
    video.srcObject = stream
    await video.play()
    const canvas = el('canvas')
    let last = ''
    // Opening another view hides the panel and stops the camera.
    while (panel.offsetParent !== null) {
      const text = readFrom(video, video.videoWidth, video.videoHeight, canvas)
      if (text !== undefined && text !== last) {
        last = text
        try {
          await take(text)
        } catch (error) {
          setChildren(problem, errorElement(error))
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    stop()
  }
  queueMicrotask(() => run().catch((error) => setChildren(problem, errorElement(error))))
  return panel
}

async function openCamera(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      video: { facingMode: 'environment', width: { ideal: 1280 } },
    })
  } catch (cause) {
    throw new PageError('CAMERA_UNAVAILABLE', 'the camera cannot be used', {
      cause,
      hint: 'allow the camera for this page, or open an image of the QR code',
    })
  }
}

/** The text of the QR code in an image file. */
export async function readImage(file: Blob): Promise<string> {
  const image = await createImageBitmap(file).catch(() => undefined)
  const text = image && readFrom(image, image.width, image.height, el('canvas'))
  if (text === undefined)
    throw new PageError('QR_NOT_FOUND', 'there is no readable QR code in the image')
  if (!isFrame(text)) return text
  const collector = new FrameCollector()
  if (collector.add(text)) return textOfJoined(await collector.join())
  throw new PageError('QR_FRAME', `the image holds one of ${collector.progress.count} QR codes`, {
    hint: 'scan the series with the camera',
  })
}

/** The largest side of an image that is searched. */
const MAX_SIDE = 1600

function readFrom(
  source: CanvasImageSource,
  width: number,
  height: number,
  canvas: HTMLCanvasElement,
): string | undefined {
  if (width === 0 || height === 0) return undefined
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  try {
    return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height))
  } catch {
    // Most frames of a camera contain no complete QR code.
    return undefined
  }
}

function textOfJoined({ fileType, bytes }: Joined): string {
  if (fileType === 'J' || fileType === 'U') return new TextDecoder().decode(bytes)
  return checkedHex.encode(bytes)
}

/** A UR as one text, however many QR codes it was read from. */
function textOfUR(ur: UR): string {
  return encodeUR(ur, ur.bytes.length)[0]!
}
