import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildPage, builtPage } from './harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { folder, file } = builtPage()

describe('the file', () => {
  it('is the same from sources in any folder, prints its hash and is small', () => {
    const copy = mkdtempSync(join(tmpdir(), 'avmkit-copy-of-the-sources-'))
    const html = readFileSync(file)
    try {
      for (const name of ['src', 'scripts', 'package.json'])
        cpSync(join(root, name), join(copy, name), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
      const printed = buildPage(join(copy, 'scripts'), join(copy, 'scripts/page.js'))
      expect(readFileSync(join(copy, 'scripts/avmkit.html'))).toEqual(html)
      const hash = createHash('sha256').update(html).digest('hex')
      expect(printed).toMatch(new RegExp(`^${hash}  avmkit.html  `))
      expect(readFileSync(`${file}.sha256`, 'utf8')).toBe(`${hash}  avmkit.html\n`)
    } finally {
      rmSync(copy, { recursive: true })
    }
    expect(buildPage(folder)).toContain('avmkit.html')
    expect(readFileSync(file)).toEqual(html)
    expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(160 * 1024)
  })

  it('allows nothing but its own script and style', () => {
    const html = readFileSync(file, 'utf8')
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(html)!
    const [, code] = /<script type="module">([\s\S]*?)<\/script>/.exec(html)!
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${hash(code!)}'`,
      `style-src 'sha256-${hash(style!)}'`,
      "connect-src 'none'",
      "frame-src 'none'",
      "worker-src 'none'",
      "form-action 'none'",
      "base-uri 'none'",
      "webrtc 'block'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(html.match(/<script/g)).toHaveLength(1)
  })
})
