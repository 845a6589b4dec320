import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { answerLines } from '../adapters/lines.js'

// metaljs reads some C-Chain transactions that were cut off until the memory is used up: it runs in a thread that may end.

let worker

await answerLines(async (item) => {
  worker ??= new Worker(new URL('answers.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.postMessage(item)
  try {
    const [answer] = await once(worker, 'message')
    return answer
  } catch (error) {
    worker = undefined
    return { error: error.code }
  }
})
await worker?.terminate()
