import { readFileSync } from 'node:fs'
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

type Mutant = {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
}

const mutants: readonly Mutant[] = JSON.parse(
  readFileSync(new URL('machine.json', import.meta.url), 'utf8'),
)
const mutant = mutants.find(({ name }) => name === process.env.AVMKIT_MUTANT)

/** The tests with one change of the source, which `AVMKIT_MUTANT` names, while it is loaded. */
const config: ViteUserConfig = mergeConfig(base, {
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform(code: string, id: string) {
        if (mutant === undefined || !id.endsWith(mutant.file)) return undefined
        if (code.split(mutant.from).length !== 2)
          throw new Error(`${mutant.name}: ${mutant.file} does not have this text once`)
        return code.replace(mutant.from, () => mutant.to)
      },
    },
  ],
})

export default config
