import encodeQR from 'qr'

const SIDE = 480

/**
 * A video without compression (YUV4MPEG2) that shows QR codes, each for 0.8 seconds: long enough for a slow machine to
 * read each of them in one pass.
 */
export function videoOf(texts: readonly (string | undefined)[], repeat = 4): Buffer {
  const parts = [Buffer.from(`YUV4MPEG2 W${SIDE} H${SIDE} F5:1 Ip A1:1 C420jpeg\n`)]
  for (const text of texts) {
    const frame = Buffer.concat([Buffer.from('FRAME\n'), picture(text)])
    for (let i = 0; i < repeat; i++) parts.push(frame)
  }
  return Buffer.concat(parts)
}

/** Gray values of a QR code in the middle of a light picture, and no color. */
function picture(text: string | undefined): Buffer {
  const pixels = Buffer.alloc((SIDE * SIDE * 3) / 2, 128)
  pixels.fill(220, 0, SIDE * SIDE)
  if (text === undefined) return pixels
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: 4 })
  const scale = Math.floor(SIDE / rows.length)
  const margin = Math.floor((SIDE - scale * rows.length) / 2)
  rows.forEach((row, y) => {
    row.forEach((isDark, x) => {
      for (let dy = 0; dy < scale; dy++) {
        const at = (margin + y * scale + dy) * SIDE + margin + x * scale
        pixels.fill(isDark ? 20 : 235, at, at + scale)
      }
    })
  })
  return pixels
}
