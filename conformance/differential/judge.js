import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

// The process that answers with avalanchego's packages.

/** Starts the program; one that counts which of its code runs needs a folder to write that to. */
export function startJudge(program, args, coverage) {
  const env = { ...process.env, ...(coverage && { GOCOVERDIR: coverage }) }
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let rest = ''
  let lines = []
  let wanted = { count: Number.POSITIVE_INFINITY }
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()
    lines.push(...parts)
    if (lines.length >= wanted.count) wanted.resolve()
  })
  return {
    pid: child.pid,
    /** Sends cases at once and returns their answers in the same order. */
    async ask(cases) {
      if (cases.length === 0) return []
      const { promise, resolve, reject } = withResolvers()
      wanted = { count: cases.length, resolve }
      ended.then(() => reject(new Error('the judge stopped')))
      child.stdin.write(`${cases.map((item) => JSON.stringify(item)).join('\n')}\n`)
      await promise
      const answers = lines.map((line) => JSON.parse(line))
      lines = []
      return answers
    },
    /** Lets the process end. */
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

/** What the judge in a folder answers to cases, without their names. */
export async function answersOf(folder, cases) {
  const judge = startJudge(join(folder, 'judge'), ['-answers'])
  const answers = await judge.ask(cases)
  await judge.close()
  return answers.map(({ kind: _, id: __, ...answer }) => answer)
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers() {
  let resolve
  let reject
  const promise = new Promise((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}
