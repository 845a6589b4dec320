import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { image, text } from './image.js'

/** Runs programs one after the other and returns their lines, each with its time in milliseconds. */
export async function record(programs) {
  const started = performance.now()
  const lines = []
  for (const program of programs) {
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout }))
      lines.push([Math.round(performance.now() - started), line])
  }
  return lines
}

/** A terminal in which the lines of a recording appear at their times, and scroll. */
export function session(recorded) {
  // Waits are shortened to half a second.
  let shortened = 0
  const lines = recorded.map(([at, line], i) => {
    shortened += Math.max(0, at - (recorded[i - 1]?.[0] ?? 0) - 500)
    return [at - shortened, line]
  })
  const [rows, high, width] = [26, 17, 880]
  const last = lines.at(-1)[0]
  const whole = last + 6000
  const percent = (at) => ((at / whole) * 100).toFixed(2)
  const steps = lines.flatMap(([at], i) =>
    i < rows ? [] : [`${percent(at)}%{transform:translateY(${-(i - rows + 1) * high}px)}`],
  )
  const style = `
text{font:13px ui-monospace,monospace;fill:#dfe5ec;white-space:pre}
.dim{fill:#8fa0b3}
.good{fill:#6fdd8b}
#screen{animation:scroll ${whole}ms step-end infinite}
@keyframes scroll{0%{transform:translateY(0)}${steps.join('')}}
@keyframes appear{0%{opacity:0}100%{opacity:1}}
.late{animation:appear 1ms both}
@media (prefers-reduced-motion:reduce){#screen{animation:none;transform:translateY(${-Math.max(0, lines.length - rows) * high}px)}.late{animation:none}}`
  const body = lines.map(([at, line], i) => {
    const kind = /accounted for$/.test(line) ? 'good' : line.startsWith('  ') ? 'dim' : ''
    return text(14, 60 + i * high, line, `class="late ${kind}" style="animation-delay:${at}ms"`)
  })
  return image(
    width,
    rows * high + 66,
    'A recorded run of npm start',
    style,
    `<rect width="${width}" height="${rows * high + 66}" rx="8" fill="#12171d"/>`,
    text(14, 26, '$ npm start', 'class="good"'),
    `<clipPath id="view"><rect y="42" width="${width}" height="${rows * high + 14}"/></clipPath>`,
    `<g clip-path="url(#view)"><g id="screen">${body.join('\n')}</g></g>`,
  )
}
