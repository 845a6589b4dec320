import { argument, boolean, list, text } from '../../core/base/argument.ts'
import { svg } from './dom.ts'

/**
 * A QR code as an image, dark on light in every color scheme.
 *
 * @param rows - the modules with their quiet zone, `true` for dark, as `encodeQR(text, 'raw')` of the package `qr` returns them
 * @param label - what assistive technology says instead of the image
 */
export function qrElement(rows: readonly (readonly boolean[])[], label: string): SVGElement {
  const name = argument('qrElement', label, text, 'label')
  const modules = argument('qrElement', rows, list(list(boolean)), 'rows')
  let path = ''
  modules.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) if (row[x]) path += `M${x} ${y}h1v1h-1z`
  })
  const size = modules.length
  return svg(
    'svg',
    {
      class: 'qr',
      role: 'img',
      'aria-label': name,
      viewBox: `0 0 ${size} ${size}`,
      'shape-rendering': 'crispEdges',
    },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: path, fill: '#000' }),
  )
}
