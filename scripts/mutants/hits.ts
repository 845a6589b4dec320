import { mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

// Set-up of the run that finds which test files execute which mutants: the places of mutants call `avmkitHit`.

const folder = process.env.AVMKIT_MUTANT_HITS as string
const executed = new Set<number>()
Object.assign(globalThis, { avmkitHit: (number: number) => executed.add(number) })

let loading: number[] = []
beforeAll(() => {
  // Modules are shared by the files of a process: what runs while they are loaded is seen by the first one only.
  loading = [...executed]
  executed.clear()
})
afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath as string).replaceAll('\\', '/')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    `${folder}/${file.replaceAll('/', '+')}.json`,
    JSON.stringify({ file, loading, executed: [...executed] }),
  )
})
