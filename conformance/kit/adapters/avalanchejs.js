import * as sdk from '@avalabs/avalanchejs'
import { avalanchejsAnswers } from './avalanchejs-answers.js'
import { answerLines } from './lines.js'

await answerLines(avalanchejsAnswers(sdk))
