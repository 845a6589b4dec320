import { answer } from '../kit/avmkit/answer.js'
import { corpusVectors } from './corpus.js'
import { disagreements } from './verdict.js'

// Compares this library with the recorded answers to the cases of the corpus. Needs no Go.

const differing = corpusVectors()
  .map(({ input, answer: expected }) => ({ input, expected, actual: answer(input) }))
  .filter(({ input, expected, actual }) => disagreements(input.kind, expected, actual).length > 0)
for (const entry of differing) console.log(JSON.stringify(entry))
console.log(`${corpusVectors().length} cases, ${differing.length} differing`)
process.exit(differing.length > 0 ? 1 : 0)
