import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from '../command.ts'
import { explainRules, openNamedCustody, parseRules } from '../connections/custody.ts'
import { UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import { writeText } from '../files/write-file.ts'
import type { Invocation } from '../invocation.ts'

/** Pause between looks at the requests that are open. */
const LOOK_MS = 1_000

/** `custody refill` */
export async function refill(invocation: Invocation): Promise<Result> {
  const { values, io } = invocation
  const rules = values.required('rules', 'for example --rules sweeps.json')
  const out = values.required('out', 'for example --out refill.json')
  const hot = values.list('hot')
  if (hot.length === 0)
    throw new UsageError('MISSING_OPTION', 'the option --hot is required', {
      hint: 'name the addresses of the hot wallet, which is refilled',
    })
  const sweeps = parseRules(await readText(rules, io))
  const custody = await openNamedCustody(invocation, { hot, sweeps }).catch(explainRules)
  const requests = await custody.refill().catch(explainRules)
  const files = requests.map(({ request }, i) => {
    const file = i === 0 ? out : `${out}.${i + 1}`
    writeText(file, request)
    return file
  })
  const todo = `sign ${files.join(', ')} with avmkit request sign, then request finish and issue`
  const ids = new Set(requests.map(({ id }) => id))
  const isOpen = async () => (await custody.requests()).some(({ id }) => ids.has(id))
  if (values.has('until-paid') && files.length > 0) {
    io.stderr.write(`${todo}; waiting for the refill\n`)
    const { signal } = io
    while (!signal?.aborted && (await isOpen()))
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  const open = files.length > 0 && (await isOpen())
  const text = open ? todo : 'no refill is open'
  return { json: { files, open }, text }
}
