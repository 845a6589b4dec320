import { answer } from '../avmkit/answer.js'
import { answerLines } from './lines.js'

await answerLines(answer)
