import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Child, ended } from './cli/child.ts'

const folder = new URL('../examples/', import.meta.url)

/**
 * Lines that each program prints, in this order and with others between them. Amounts are worked out by hand
 * from what the program says that it does and the fee of 0.001; IDs differ from run to run.
 */
const details: { readonly [program: string]: readonly string[] } = {
  // 100 times 0.5; 4 times 100 and both deposits. Fees depend on how the workers share the queue.
  'custody.js': [
    'requested  100 withdrawals',
    'again      0 withdrawals',
    'paid       50 AVAX',
    'deposit 1  3 AVAX for alice, plain',
    'deposit 2  0.25 AVAX for alice, plain',
    'audit      balanced: 403.25 AVAX received, 50 paid',
  ],
  // 60 and 40 arrive; 12.5 + 0.001 leave. The node funds by imports from P. P and C return 5 less a fee of 0.001, and theirs.
  'hd-wallet.js': [
    'balance   60 AVAX',
    "used      m/44'/9000'/0'/0/4",
    'received  100 AVAX',
    'transfer on local (network 12345), X-Chain',
    'history   in ImportTx P 60',
    'history   in ImportTx P 40',
    'history   out BaseTx X 12.50 rent',
    'history   out ExportTx P 5.001',
    'history   in ImportTx P 4.999 back from P',
    'history   out ExportTx C 5.001',
    'history   in ImportTx C 4.999 back from C',
  ],
  // 4 + 0.001 leave 10; of 2 and of 0.5 + 0.5 a fee is taken.
  'import-export.js': [
    'X-Chain           10 AVAX',
    'export to the P-Chain on local (network 12345), X-Chain',
    'exported to P     4 AVAX, by ID',
    'X-Chain           5.999 AVAX',
    'waiting from P    2 AVAX',
    'imported from P   by ID',
    'still waiting     0 AVAX',
    'waiting from C    1 AVAX',
    'imported from C   by ID',
    'still waiting     0 AVAX',
    'X-Chain           8.997 AVAX',
    'taken by P        1 of 1 exported UTXOs',
  ],
  // 2.5 + 0.001 leave 10.
  'kms-signer.js': ['calls     GetPublicKey, Sign', 'left      7.499 AVAX'],
  // 7.5 + 0.001 leave 25, signed by two of three: one of the three pairs.
  'multisig.js': [
    'vault before  25 AVAX, any 2 of 3 sign',
    'Anna          sees 7.5 AVAX to X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2',
    'Carla         sees 7.5 AVAX to X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2',
    'signer sets   1 of 3 complete',
    'accepted      ID',
    'vault after   17.499 AVAX',
  ],
  // 1 + 2 + … + 250 thousandths.
  'payouts.js': [
    'payer started',
    '  paid     100 withdrawals by ID',
    'payer ended by SIGKILL',
    'payer started',
    '  resumed  ID, accepted',
    '  paid     50 withdrawals by ID',
    'payer ended by itself, exit code 0',
    'payer started',
    'payer ended by itself, exit code 0',
    '250 of 250 receivers have exactly their amount',
    'received 31.375 AVAX',
  ],
  // 5 + 0.001 leave 3 + 3, signed by two keys at once.
  'pkcs11-signer.js': ['keys       2, non-extractable', 'addresses  2', 'left       0.999 AVAX'],
  // 200 times 0.01 + 0.02 + 0.03, and 5 that are locked; 406 inputs of one key each fit into 64 KiB.
  'sweep.js': [
    'deposits     12 AVAX in 600 UTXOs, 5 AVAX locked',
    'plan         2 transactions',
    'progress     0 of 2 transactions, 0 UTXOs',
    'progress     2 of 2 transactions, 600 UTXOs',
    'moved        11.998 AVAX, 600 UTXOs',
    'fees         0.002 AVAX',
    'left behind  5 AVAX, locked until 2100-01-01T00:00:00.000Z',
    'again        0 transactions',
    'cold wallet  11.998 AVAX in 2 UTXOs',
    'deposits     0 AVAX in 0 UTXOs, 5 AVAX locked',
  ],
  // 100 - 12.5 - 20 - 10 and four fees; 12.5 + 5 and one; 10 and three.
  'tour.js': [
    '  pay      12.5    AVAX  to ADDRESS',
    '  accepted ID',
    'export 20 AVAX to the P-Chain',
    '  accepted ID',
    'import 5 AVAX from the C-Chain',
    '  accepted ID',
    '  swept 1000 UTXOs by 3 transactions',
    'look up all 8 transactions: only accepted ones are found',
    '  alice           100.000000000   57.496000000',
    '  bob               0.000000000   17.499000000',
    '  shop              0.000000000    0.000000000',
    '  cold              0.000000000    9.997000000',
    '  waiting from C    5.000000000    0.000000000',
    '  waiting for P     0.000000000   20.000000000',
    '  fees                             0.008000000',
    '  sum             105.000000000  105.000000000',
    'every unit is accounted for',
  ],
  // 1.5 + 0.001 leave 10.
  'transfer.js': [
    'spend   10      AVAX  ID:0 from ADDRESS',
    'pay      1.5    AVAX  to X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2',
    'return   8.499  AVAX  to ADDRESS (change)',
    'fee      0.001  AVAX',
    'memo    "invoice 42", 0x696e766f696365203432',
    'accepted  for good',
    'sender    8.499 AVAX',
    'receiver  1.5 AVAX',
  ],
  // 1 + 0.25 + 2 and 3 + 0.5; neither the 7 of both nor the 9 that are locked.
  'watch-deposits.js': [
    'read up to block 1',
    'block 2: 3 AVAX for bob, ID:2',
    'read up to block 2',
    'block 3: 0.5 AVAX for bob, ID:0',
    'block 4: 2 AVAX for alice, ID:0',
    'read up to block 4',
    'read up to block 4',
    'alice  3.25 AVAX',
    'bob    3.5 AVAX',
  ],
}

/** The fixed receiver stays readable; what is made anew in every run does not. */
function masked(out: string): string[] {
  return out
    .replace(/X-local1(?!g65uqn6t7)[0-9a-z]{38}/g, 'ADDRESS')
    .replace(/\b[1-9A-HJ-NP-Za-km-z]{45,52}\b/g, 'ID')
    .split('\n')
}

/** Those of the lines that were printed, as far as they come in this order. */
function inOrder(printed: readonly string[], lines: readonly string[]): string[] {
  let at = 0
  return lines.filter((line) => {
    const found = printed.indexOf(line, at)
    if (found >= 0) at = found + 1
    return found >= 0
  })
}

describe('examples', () => {
  const programs = readdirSync(folder).filter((name) => name.endsWith('.js'))

  it('are all covered', () => {
    expect(programs.sort()).toEqual(Object.keys(details).sort())
  })

  const hasSoftHSM = [
    process.env.SOFTHSM2_MODULE ?? '',
    '/usr/lib/softhsm/libsofthsm2.so',
    '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
    '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
    '/usr/lib64/libsofthsm2.so',
    '/opt/homebrew/lib/softhsm/libsofthsm2.so',
  ].some((path) => path !== '' && existsSync(path))

  for (const [name, lines] of Object.entries(details)) {
    const isMissing =
      name === 'pkcs11-signer.js' && !hasSoftHSM && !process.env.AVMKIT_REQUIRE_SOFTHSM
    const note = isMissing ? ' (not run: SoftHSM2 is not installed)' : ''
    it.skipIf(isMissing)(`has a ${name} that works as documented${note}`, async () => {
      const path = fileURLToPath(new URL(name, folder))
      const { code, out, err } = await ended(new Child(process.execPath, [path]))
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(inOrder(masked(out), lines)).toEqual(lines)
      // The output is not a terminal, so it has no colors.
      expect(out).not.toContain('\x1b')
    })
  }

  it.runIf(!hasSoftHSM)('has a pkcs11-signer.js that reports a missing SoftHSM2', async () => {
    const path = fileURLToPath(new URL('pkcs11-signer.js', folder))
    const { code, err } = await ended(new Child(process.execPath, [path]))
    expect([code, err]).toEqual([1, expect.stringMatching(/^SoftHSM2 is not installed/)])
  })

  it('has a hd-wallet.js of at most 50 lines, the program of the first guide for wallets', () => {
    const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
    expect(read('hd-wallet.js').trimEnd().split('\n').length).toBeLessThanOrEqual(50)
    expect(read('../README.md')).toMatch(/^\| wallets \| \[[^\]]+\]\(docs\/hd-wallet\.md\)/m)
    expect(read('../docs/hd-wallet.md')).toContain('(../examples/hd-wallet.js)')
  })

  it('has a tour.js that detects a difference of one unit', async () => {
    const tour = readFileSync(new URL('tour.js', folder), 'utf8')
    const other = tour.replace("parseAmount('12.5')", "parseAmount('12.500000001')")
    expect(other).not.toBe(tour)
    const argv = ['--input-type=module']
    const child = new Child(process.execPath, argv, {}, fileURLToPath(folder))
    const { code, out } = await ended(child, other)
    expect(code).toBe(1)
    expect(out).toContain('WRONG: alice should have 57.496000000, has 57.495999999\n')
    expect(out).toContain('WRONG: bob should have 17.499000000, has 17.499000001\n')
    expect(out).not.toContain('every unit is accounted for')
  })
})
