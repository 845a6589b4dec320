import { spawn } from 'node:child_process'
import { once } from 'node:events'

// The process that answers with avalanchego's packages.

/** Starts the program; with a folder it writes there which of its code was run. */
export function startJudge(program, coverage) {
  const env = { ...process.env, ...(coverage && { GOCOVERDIR: coverage }) }
  const child = spawn(program, ['-answers'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
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
    /** Lets the process end, and with it write its coverage. */
    async close() {
      child.stdin.end()
      await ended
    },
  }
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
