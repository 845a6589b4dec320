import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Loads the table of error texts, by class and code, from its TypeScript sources. */
export async function loadErrorTexts() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/cli/error-texts/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    write: false,
    charset: 'utf8',
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  return (await import(`data:text/javascript;base64,${code}`)).errorTexts
}
