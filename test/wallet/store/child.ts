import { fileStore } from '../../../src/wallet/store/index.ts'
import { binding, payment } from './samples.ts'

/*
 * A process with a store, for tests: `child.mjs COMMAND PATH [ARGUMENT]`. It prints one line per event.
 *
 *   hold    takes the store, prints `held`, and keeps it until it is killed or its input ends
 *   try     takes the store, prints `held` or the code of the refusal, and ends without closing it
 *   contend waits for a line of input, then does the same as `try`, but keeps the store until its input ends
 *   claim   claims `ARGUMENT-0`, `ARGUMENT-1`, … for ever, and prints each key after it was confirmed
 *   fill    claims until it is refused, and prints the number of confirmed claims and the code
 */
const [command, path, argument = ''] = process.argv.slice(2) as [string, string, string?]
const store = fileStore(path)

const take = () =>
  store.bind(binding).then(
    () => 'held',
    (error: { code: string }) => error.code,
  )
const say = (line: string) => process.stdout.write(`${line}\n`)
const input = () => new Promise((resolve) => process.stdin.once('data', resolve))
const inputEnd = () => new Promise((resolve) => process.stdin.once('end', resolve).resume())
const claim = (i: number) => {
  const key = `${argument}-${i}`
  return store.claim({
    ...payment(key, 'a'),
    bytes: payment(key, String.fromCodePoint(256 + i)).bytes,
  })
}

switch (command) {
  case 'hold':
  case 'try':
    say(await take())
    if (command === 'hold') await inputEnd()
    break
  case 'contend':
    say('ready')
    await input()
    say(await take())
    await inputEnd()
    break
  case 'claim':
    await store.bind(binding)
    for (let i = 0; ; i += 3) {
      await Promise.all(
        [i, i + 1, i + 2].map((number) => claim(number).then(() => say(`${argument}-${number}`))),
      )
    }
  case 'fill': {
    await store.bind(binding)
    let count = 0
    const error = await (async () => {
      for (; ; count++) await claim(count)
    })().catch((error: { code: string }) => error)
    say(`${count} ${error.code}`)
  }
}
process.exit()
