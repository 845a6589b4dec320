import { createInterface } from 'node:readline'

// The protocol of the kit: a case per line on standard input, an answer per line on standard output.

/** Answers lines until standard input ends. An error that is no refusal ends the process. */
export async function answerLines(answer) {
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`)
}
