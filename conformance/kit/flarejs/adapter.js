import * as sdk from '@flarenetwork/flarejs'
import { avalanchejsAnswers } from '../adapters/avalanchejs-answers.js'
import { answerLines } from '../adapters/lines.js'

await answerLines(avalanchejsAnswers(sdk))
