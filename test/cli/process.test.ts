import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { avmkit, Child, ended, MAIN, onTerminal } from './child.ts'
import { BOB, BOB_WORDS, devNode, EWOQ, EWOQ_KEY, folder, secretFile } from './shell.ts'

describe('the program, piped', () => {
  it('reads standard input and prints JSON without colors', async () => {
    const { code, out, err } = await ended(avmkit(['decode', '-', '--json']), `${EWOQ}\n`)
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toMatchObject({ kind: 'address', hrp: 'local' })
  })

  it('exits with 1 for a failure and 2 for wrong usage, with errors on standard error', async () => {
    const failed = await ended(avmkit(['decode', '-']), 'nonsense')
    expect([failed.code, failed.out]).toEqual([1, ''])
    expect(failed.err).toMatch(/^error NOT_RECOGNIZED: [^\n]+\n$/)
    const wrong = await ended(avmkit(['decod', '--json']))
    expect([wrong.code, wrong.out]).toEqual([2, ''])
    expect(JSON.parse(wrong.err).error.code).toBe('UNKNOWN_COMMAND')
    const refused = await ended(
      avmkit(['send', BOB, '1', '--url', 'http://127.0.0.1:1'], { AVMKIT_KEY: EWOQ_KEY }),
    )
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('CONFIRMATION_NEEDED')
  })

  it('exits silently when its output is closed', async () => {
    const pipe = `set -o pipefail; '${process.execPath}' '${MAIN}' completion fish | head -1`
    const { code, out, err } = await ended(new Child('bash', ['--norc', '-c', pipe]))
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^# avmkit completion/)
  })

  it('pays and prints the transaction ID although standard error is closed', async () => {
    const node = await devNode()
    const { url } = await node.listen()
    const before = node.stateDigest()
    const key = secretFile(EWOQ_KEY)
    chmodSync(key, 0o644)
    const pay = `'${process.execPath}' '${MAIN}' send ${BOB} 1 --yes --key-file '${key}' --url ${url}`
    const script = `exec 9> >(exec true); wait $!; ${pay} 2>&9`
    const { code, out } = await ended(new Child('bash', ['--norc', '-c', script]))
    expect([code, out]).toEqual([0, expect.stringMatching(/^accepted [1-9A-HJ-NP-Za-km-z]+\n$/)])
    expect(node.stateDigest()).not.toEqual(before)
  })

  it.skipIf(!existsSync('/dev/full'))('fails if the result cannot be written', async () => {
    for (const json of ['', '--json']) {
      const script = `'${process.execPath}' '${MAIN}' decode ${EWOQ} ${json} >/dev/full`
      const { code, err } = await ended(new Child('bash', ['--norc', '-c', script]))
      expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*FILE_UNWRITABLE[^\n]*\n$/)])
    }
  })

  it('pays, signs in a pipe, issues and is interrupted, with a development node', async () => {
    const node = avmkit(['devnode', '--port', '0', '--fund', `${BOB}=1`])
    const url = (await node.says(/url +(\S+)/))[1]!
    const env = { AVMKIT_URL: url, AVMKIT_KEY: EWOQ_KEY }
    const paid = await ended(avmkit(['send', BOB, '2', '--yes'], env))
    expect([paid.code, paid.err]).toEqual([0, ''])
    const program = `'${process.execPath}' '${MAIN}'`
    const steps = [
      `request create ${BOB} 4 --from ${EWOQ}`,
      'request sign - --yes',
      'request finish -',
      'issue - --yes',
    ]
    const pipe = `set -o pipefail; ${steps.map((step) => `${program} ${step}`).join(' | ')}`
    const issued = await ended(new Child('bash', ['--norc', '-c', pipe], env))
    expect([issued.code, issued.err]).toEqual([0, ''])
    expect(issued.out).toMatch(/^accepted /)
    const balance = await ended(avmkit(['balance', BOB, '--json'], env))
    expect(JSON.parse(balance.out)).toMatchObject({ assets: [{ spendable: '7000000000' }] })
    node.process.kill('SIGINT')
    expect((await node.exited).code).toBe(130)
  })
})

describe('the program, on a terminal', () => {
  it('asks for the key without showing it, explains in color, and sends after yes', async () => {
    const { url } = await (await devNode()).listen()
    const child = onTerminal(['send', BOB, '3', '--url', url])
    await child.says(/private key or mnemonic \(hidden\): /)
    child.process.stdin.write(`${EWOQ_KEY}\n`)
    await child.says(/pay +3 +AVAX[\s\S]*Sign and send this\? \[y\/N\] /)
    expect(child.out).toContain('\u001b[1mtransfer on local')
    expect(child.out).not.toContain('ewoqjP7')
    child.process.stdin.write('y\n')
    await child.says(/accepted [1-9A-HJ-NP-Za-km-z]+/)
    expect((await ended(child)).code).toBe(0)
  })

  it('shows progress of a sweep', async () => {
    const node = await devNode()
    for (let i = 0; i < 3; i++) node.fund(BOB, 1_000_000_000n)
    const { url } = await node.listen()
    const words = secretFile(BOB_WORDS)
    const journal = join(folder(), 'journal')
    const argv = ['sweep', EWOQ, '--key-file', words, '--journal', journal, '--url', url]
    const child = onTerminal(argv, { NO_COLOR: '1' })
    await child.says(/Sign and send all of this\? \[y\/N\] /)
    child.process.stdin.write('y\n')
    await child.says(/\[#+\] 1\/1 transactions accepted, 3 UTXOs/)
    const { code, out } = await ended(child)
    expect(code).toBe(0)
    expect(out).not.toContain('\u001b[1m')
  })

  it.each([80, 200])('fits tables to a width of %i columns', async (columns) => {
    const node = await devNode()
    node.fund(BOB, 1_000_000_000n)
    const { url } = await node.listen()
    const shown = async (...argv: string[]) => {
      const child = onTerminal([...argv, '--url', url], { NO_COLOR: '1' }, columns)
      const { code, out } = await ended(child)
      expect(code).toBe(0)
      // A carriage return starts the line again, after a line of progress.
      const lines = stripVTControlCharacters(out).trimEnd().split(/\r?\n/)
      return lines.map((line) => line.replace(/^[\s\S]*\r/, ''))
    }
    for (const command of ['utxos', 'history', 'balance']) {
      const lines = await shown(command, BOB)
      const isTable = /^(UTXO|height|asset) +\S+ +\S/.test(lines[0]!.trimStart())
      expect([command, isTable]).toEqual([command, columns === 200])
      const widest = Math.max(
        ...lines.filter((line) => !/^source|^checked/.test(line)).map((l) => l.length),
      )
      expect(widest).toBeLessThanOrEqual(columns)
    }
  })

  it('shows rate and remaining time, and ends at Ctrl-C with 130', async () => {
    const node = await devNode()
    for (let i = 0; i < 60; i++) node.fund(BOB, 1_000_000_000n)
    // Every block takes a while, so that there is something to measure.
    node.injectFault({ kind: 'latency', on: 'avm.getBlockByHeight', times: 1000, ms: 700 })
    const { url } = await node.listen()
    const argv = ['history', BOB, '--from-height', '0', '--url', url]
    const child = onTerminal(argv, { NO_COLOR: '1' })
    await child.says(/\[#* *\] \d+\/61 blocks read, [\d.]+\/s, \d+ s left/)
    child.process.stdin.write('\u0003')
    const { code, out } = await child.exited
    expect([code, stripVTControlCharacters(out)]).toEqual([
      130,
      expect.stringContaining('error INTERRUPTED: interrupted'),
    ])
  })

  it('asks twice for a new password and shows neither answer', async () => {
    const place = folder()
    const child = onTerminal(['keys', 'new', '--encrypt', '--out', join(place, 'new.json')])
    await child.says(/new password \(hidden\): /)
    child.process.stdin.write('first dromedary secret\n')
    await child.says(/repeat the new password \(hidden\): /)
    child.process.stdin.write('another dromedary secret\n')
    const { code, out } = await child.exited
    expect([code, /PASSWORD_MISMATCH/.test(out), /secret/.test(out)]).toEqual([1, true, false])
    expect(existsSync(join(place, 'new.json'))).toBe(false)
  })

  it('exits at Ctrl-C without sending anything', async () => {
    const node = await devNode()
    const { url } = await node.listen()
    const child = onTerminal(['send', BOB, '3', '--url', url], { AVMKIT_KEY: EWOQ_KEY })
    await child.says(/Sign and send this\?/)
    const before = node.stateDigest()
    child.process.stdin.write('\u0003')
    const { code, out } = await child.exited
    expect(code).toBe(130)
    expect(stripVTControlCharacters(out)).toContain('error INTERRUPTED')
    expect(node.stateDigest()).toEqual(before)
  })
})
