import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevNode, type DevNode } from '../../src/devnode/index.ts'
import { BOB, cli, EWOQ, EWOQ_KEY, folder, LOCAL_AVAX, secretFile } from './shell.ts'

let node: DevNode
beforeAll(async () => {
  node = await createDevNode()
})
afterAll(() => node.close())

const P_BOB = BOB.replace('X-', 'P-')
const EVM = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC'

const hintOf = async (argv: readonly string[]) => {
  const env = { AVMKIT_KEY: EWOQ_KEY, XDG_STATE_HOME: folder() }
  const ended = await cli([...argv], { node, env })
  expect([argv, ended.code === 0, ended.out]).toEqual([argv, false, ''])
  return ended.error().hint
}

const csv = (address: string, amount: string) =>
  secretFile(`key,address,amount\nk,${address},"${amount}"\n`, 'payments.csv')

describe('an amount', () => {
  const from = ['--from', EWOQ, '--out', '/dev/null']
  const commands: readonly ((amount: string) => readonly string[])[] = [
    (amount) => ['send', BOB, amount, '--yes'],
    (amount) => ['send', `${BOB}=${amount}`, '--yes'],
    (amount) => ['export', P_BOB, amount, '--destination-chain', 'P', '--yes'],
    (amount) => ['move', amount, '--from', 'C', '--to', 'X', '--yes'],
    (amount) => ['move', '1', '--from', 'C', '--to', 'X', '--yes', '--max-fee', amount],
    (amount) => ['request', 'create', `${BOB}=${amount}`, ...from],
    (amount) => ['asset', 'create', 'Gold', 'AU', `${BOB}=${amount}`, '--yes'],
    (amount) => ['asset', 'mint', LOCAL_AVAX, BOB, amount, '--yes'],
    (amount) => ['request', 'mint', LOCAL_AVAX, BOB, amount, ...from],
    (amount) => ['payout', csv(BOB, amount), '--yes'],
    (amount) => ['balance', EWOQ, '--min', amount],
    (amount) => ['utxos', EWOQ, '--min', amount],
    (amount) => ['devnode', '--balance', amount, '--port', '0'],
    (amount) => ['devnode', '--fund', `${BOB}=${amount}`, '--port', '0'],
    (amount) => ['devnode', 'fund', BOB, amount],
    (amount) => ['devnode', 'export-from', 'P', `${BOB}=${amount}`],
  ]
  it('that is negative or has an exponent causes a specific hint in every command', async () => {
    for (const argvOf of commands) {
      expect(await hintOf(argvOf('-1'))).toContain('cannot be negative')
      expect(await hintOf(argvOf('1e9'))).toContain('instead of an exponent')
    }
  })

  it.each([
    ['1,5', 'point: 1.5'],
    ['.5', 'before the point: 0.5'],
    ['5.', 'after the point'],
    ['1.5AVAX', 'without a unit'],
    ['1.5 nAVAX', 'without a unit'],
    ['1.0000000001', '9 decimals'],
    ['+1', 'without a sign'],
    ['\u22121', 'cannot be negative'],
    ['2.5E+3', 'instead of an exponent'],
    ['1000_000', 'without separators'],
    ["10'000", 'without separators'],
    ['1 000 000', 'without separators'],
    ['1,000.5', 'without separators'],
    ['0x10', 'decimal number'],
    ['9'.repeat(30), 'cannot exceed'],
  ])('%s causes a specific hint in arguments and files', async (amount, hint) => {
    expect(await hintOf(['devnode', 'fund', BOB, amount])).toContain(hint)
    expect(await hintOf(['payout', csv(BOB, amount), '--plan'])).toContain(hint)
  })
})

describe('an address of another chain', () => {
  const from = ['--from', EWOQ, '--out', '/dev/null']
  it.each([
    [EVM, 'EVM address'],
    [P_BOB, 'avmkit move'],
    [BOB.replace('X-', 'C-'), 'avmkit move'],
  ])('%s causes a specific hint', async (address, hint) => {
    const commands = [
      ['send', `2:${address},${BOB}=1`, '--yes'],
      ['send', BOB, '1', '--change-to', address, '--yes'],
      ['request', 'create', BOB, '1', '--from', address, '--out', '/dev/null'],
      ['request', 'asset-create', 'Gold', 'AU', `${address}=1`, ...from],
      ['sweep', address, '--plan'],
      ['consolidate', '--to', address, '--plan'],
      ['payout', csv(address, '1'), '--plan'],
      ['balance', address],
      ['history', address],
    ]
    for (const argv of commands) expect(await hintOf(argv)).toContain(hint)
  })
})
