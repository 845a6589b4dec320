import { readFileSync, writeFileSync } from 'node:fs'
import { answersOf } from './judge.js'
import { withPrograms } from './programs.js'

// Cases that were found by searching for new code of the node, in test-vectors/corpus.json.

const path = new URL('../../test-vectors/corpus.json', import.meta.url)

/** Inputs with the node's answers. */
export function corpusVectors() {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** The inputs of the corpus. */
export function corpusCases() {
  return corpusVectors().map(({ input }) => input)
}

/** Writes cases with the node's answers, except those whose inputs the judge cannot read. */
export async function writeCorpus(folder, cases) {
  const answers = await answersOf(folder, cases)
  const lines = cases
    .map((input, i) => ({ input, answer: answers[i] }))
    .filter(({ answer }) => answer.error === undefined)
    .map((vector) => JSON.stringify(vector))
  writeFileSync(path, `[\n${lines.join(',\n')}\n]\n`)
  console.log(`${lines.length} cases of the corpus`)
  return true
}

/** Judges the corpus again. */
export function judgeCorpus() {
  return withPrograms(['judge'], (folder) => writeCorpus(folder, corpusCases()))
}
