import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allGuides, guidesByRole, llmsIndex } from '../../scripts/guides.js'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const guides = [...guidesByRole().values()].flat()

describe('guidesByRole', () => {
  it('has every guide once, under the role of its readers', () => {
    const files = readdirSync(docs).filter((name) => /\.md$/.test(name))
    const others = ['README.md', 'errors.md']
    expect(guides.map(({ file }) => file).toSorted()).toEqual(
      files.filter((name) => !others.includes(name)).toSorted(),
    )
    expect([...guidesByRole().keys()]).toEqual([
      'Start',
      'Wallets',
      'Exchanges',
      'Air gap',
      'Testing',
    ])
    for (const { file, title } of guides)
      expect(readFileSync(`${docs}${file}`, 'utf8'), file).toMatch(
        new RegExp(`^# ${title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`, 'm'),
      )
  })
})

describe('allGuides', () => {
  it('has the tested programs of all guides, in order and unchanged', () => {
    const blocksOf = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? []
    const expected = guides.flatMap(({ file }) => blocksOf(readFileSync(`${docs}${file}`, 'utf8')))
    expect(blocksOf(allGuides())).toEqual(expected)
    expect(expected.length).toBeGreaterThan(20)
  })

  it('links between guides inside itself', () => {
    const text = allGuides()
    const anchors = new Set(
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    )
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!)
    expect(links.length).toBeGreaterThan(0)
    for (const anchor of links) expect(anchors, anchor).toContain(anchor)
    for (const { file } of guides) expect(text).not.toContain(`](${file}`)
  })
})

describe('llmsIndex', () => {
  it('lists every guide under its role', () => {
    const text = llmsIndex({ name: 'avmkit', description: 'a library' })
    expect(text).toMatch(/^# avmkit\n\n> a library\n/)
    for (const { title, file } of guides) expect(text).toContain(`- [${title}](../${file}): `)
  })
})
