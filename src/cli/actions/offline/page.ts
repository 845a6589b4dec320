import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Result } from '../../command.ts'
import { CliError } from '../../errors.ts'
import { writeNew } from '../../files/write-file.ts'
import type { Invocation } from '../../invocation.ts'

/** Beside the bundle, or in the folder dist of a clone. */
const places = ['avmkit.html', '../../../../dist/avmkit.html'].map(
  (path) => new URL(path, import.meta.url),
)

/** Writes the page that decodes, explains and signs in a browser without a network. */
export async function page({ values }: Invocation): Promise<Result> {
  const file = values.required('out', 'page --out FILE writes the page there')
  const { html, sha256 } = readPageFile()
  writeNew(file, html)
  return { json: { file, sha256 }, text: `${sha256}  ${file}` }
}

/** Reads the page and compares it with the hash that the build wrote, to detect a damaged installation. */
function readPageFile(): { readonly html: string; readonly sha256: string } {
  const built = places.find((place) => existsSync(place)) ?? places[0]!
  let html: string
  let expected: string
  try {
    html = readFileSync(built, 'utf8')
    expected = readFileSync(new URL(`${built.href}.sha256`), 'utf8').slice(0, 64)
  } catch (cause) {
    throw new CliError(
      'FILE_UNREADABLE',
      'cannot read avmkit.html: it is not part of this installation',
      {
        cause,
        hint: 'install the package from the registry, or run npm run build in a clone',
      },
    )
  }
  const sha256 = createHash('sha256').update(html).digest('hex')
  if (sha256 !== expected)
    throw new CliError(
      'FILE_UNREADABLE',
      'cannot read avmkit.html: its SHA-256 is not that of the build',
    )
  return { html, sha256 }
}
