import { describe, expect, it } from 'vitest'
import { cb58 } from '../../../src/core/base/encoding/cb58.ts'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { WatchAccount } from '../../../src/core/crypto/hd/index.ts'
import { type LedgerApp, LedgerError, ledgerApp } from '../../../src/signers/ledger/index.ts'
import { vectors } from '../../helpers/vectors.ts'
import { EmulatedLedger, type EmulatedOptions, type Exchange } from './emulated-ledger.ts'

type Args = {
  readonly path: string
  readonly show?: boolean
  readonly hrp?: string
  readonly chainID?: string
  readonly account: number
  readonly prefix: string
  readonly signers: readonly string[]
  readonly change?: readonly string[]
  readonly unsignedHex: string
}

type Transcript = {
  readonly name: string
  readonly method: keyof LedgerApp
  readonly args: Args
  readonly exchanges: readonly Exchange[]
}

/** Calls the client as the vendor's client was called. */
function call(app: LedgerApp, method: keyof LedgerApp, args: Args): Promise<unknown> {
  const { path, show, hrp, chainID, account, prefix, signers, change, unsignedHex } = args
  switch (method) {
    case 'info':
      return app.info()
    case 'publicKey':
      return app.publicKey({ path, show, hrp, chainID: chainID ? cb58.decode(chainID) : undefined })
    case 'extendedPublicKey':
      return app.extendedPublicKey({ account })
    case 'signTransaction':
      return app.signTransaction({
        prefix,
        signers,
        change,
        unsignedBytes: hex.decode(unsignedHex),
      })
    case 'signMessage':
      return Promise.resolve()
  }
}

const isInfo = ([command]: Exchange) => command.startsWith('b001')
const prefix = "m/44'/9000'/0'"
const transcripts = vectors<Transcript[]>('ledger-apdus.json')
const [transfer] = transcripts.filter(({ method }) => method === 'signTransaction')

function opened(options?: EmulatedOptions) {
  const device = new EmulatedLedger(options)
  return { device, app: ledgerApp(device) }
}

async function failureOf(work: Promise<unknown>): Promise<LedgerError> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(LedgerError)
  return error as LedgerError
}

describe('ledgerApp', () => {
  for (const { name, method, args, exchanges } of transcripts.filter(
    (t) => t.method !== 'signMessage',
  ))
    it(`sends the same bytes as the vendor's client: ${name}`, async () => {
      const { device, app } = opened()
      await call(app, method, args)
      const sent = method === 'info' ? device.exchanges : device.exchanges.filter((e) => !isInfo(e))
      expect(sent).toEqual(exchanges)
      // The app is checked first, once per call.
      expect(device.exchanges.filter(isInfo).length).toBe(1)
    })

  it('derives the account that the device has', async () => {
    const { device, app } = opened()
    const account = new WatchAccount(await app.extendedPublicKey({ account: 2 }))
    expect(account.account).toBe(2)
    const expected = device.keyAt("m/44'/9000'/2'/1/7").publicKey
    expect(account.publicKey({ change: 1, index: 7 })).toEqual(expected)
    const { publicKey, address } = await app.publicKey({ path: "m/44'/9000'/2'/1/7" })
    expect(publicKey).toEqual(expected)
    expect(address).toEqual(account.address({ change: 1, index: 7 }))
  })

  it('refuses another app and an outdated version with advice', async () => {
    const other = opened({ app: 'Bitcoin' })
    expect(await failureOf(other.app.extendedPublicKey())).toMatchObject({
      code: 'LEDGER_WRONG_APP',
    })
    const account = { path: "m/44'/60'/0'/0/0" }
    for (const version of ['1.4.4', '1.4.6', '1.4.12', '0.9.99', '1.3.20', 'dev']) {
      const { device, app } = opened({ version })
      const { code, hint } = await failureOf(app.publicKey(account))
      expect([version, code, hint]).toEqual([
        version,
        'LEDGER_APP_OUTDATED',
        'update the Avalanche app to 1.4.13 or later',
      ])
      // Nothing but the question about the app was sent.
      expect(device.exchanges.length).toBe(1)
      await app.publicKey({ path: `${prefix}/0/0` })
    }
    for (const version of ['1.4.13', '1.5.0', '2.0.0-rc1'])
      await opened({ version }).app.publicKey(account)
  })

  it('explains status words', async () => {
    const cases: readonly (readonly [word: number, code: string, text?: string])[] = [
      [0x5515, 'LEDGER_LOCKED'],
      [0x6982, 'LEDGER_LOCKED'],
      [0x6e00, 'LEDGER_WRONG_APP'],
      [0x6d00, 'LEDGER_WRONG_APP'],
      [0x6e01, 'LEDGER_WRONG_APP'],
      [0x6986, 'LEDGER_REJECTED'],
      [0x6985, 'LEDGER_REJECTED'],
      [0x6984, 'LEDGER_APP_OUTDATED'],
      [0x6983, 'LEDGER_TOO_LARGE'],
      [0x6808, 'LEDGER_BLIND_SIGNING'],
      [0x6a80, 'LEDGER_BLIND_SIGNING', 'Blind signing must be enabled'],
      [0x6a80, 'LEDGER_DATA_REFUSED'],
      [0x9001, 'LEDGER_BUSY'],
      [0x6f00, 'LEDGER_STATUS'],
    ]
    for (const [word, code, text = ''] of cases) {
      const reply = Uint8Array.from([...Buffer.from(text), word >> 8, word & 0xff])
      const replies = ledgerApp({ send: async () => reply })
      expect(await failureOf(replies.info())).toMatchObject({ code, status: word })
      // Ledger's own transports throw the status word.
      const throws = ledgerApp({
        send: () => Promise.reject(Object.assign(new Error('status'), { statusCode: word })),
      })
      if (text === '') expect(await failureOf(throws.info())).toMatchObject({ code, status: word })
    }
  })

  it('reports a broken connection and malformed replies', async () => {
    const fails = ledgerApp({ send: () => Promise.reject(new Error('unplugged')) })
    expect(await failureOf(fails.info())).toMatchObject({ code: 'LEDGER_TRANSPORT' })
    const ok = [0x90, 0x00]
    for (const reply of [
      undefined,
      [],
      [0x90],
      ok,
      [1, ...ok],
      [1, 200, 65, ...ok],
      [2, 1, 65, 1, 65, ...ok],
    ]) {
      const bytes = reply && Uint8Array.from(reply)
      const app = ledgerApp({ send: async () => bytes as Uint8Array })
      expect(await failureOf(app.info())).toMatchObject({ code: 'LEDGER_REPLY' })
    }
  })

  it('refuses a key whose address is not its own', async () => {
    const device = new EmulatedLedger()
    const app = ledgerApp({
      async send(cla, ins, p1, p2, data) {
        const reply = await device.send(cla, ins, p1, p2, data)
        if (ins === 2) reply[40]! ^= 1
        return reply
      },
    })
    const failure = await failureOf(app.publicKey({ path: `${prefix}/0/0` }))
    expect(failure).toMatchObject({ code: 'LEDGER_REPLY' })
  })

  it('refuses paths of another form before it sends anything', async () => {
    const { device, app } = opened()
    for (const path of ["m/44'/9000'/0'/0", 'm/44/9000/0/0/0', "m/44'/9000'/0'/0/4294967296", 'x'])
      expect(await failureOf(app.publicKey({ path }))).toMatchObject({ code: 'LEDGER_PATH' })
    const { unsignedHex } = transfer!.args
    const unsignedBytes = hex.decode(unsignedHex)
    for (const signers of [['0'], ["0'/0"], ['0/0/0'], ['0/2147483648']])
      expect(
        await failureOf(app.signTransaction({ prefix, signers, unsignedBytes })),
      ).toMatchObject({ code: 'LEDGER_PATH' })
    expect(device.exchanges).toEqual([])
  })

  it('uploads what just fits in the buffer, and refuses one byte more', async () => {
    const { device, app } = opened()
    const room = 0x4000 - 1 - 13 - 1
    const upload = (size: number) =>
      app.signTransaction({
        prefix,
        signers: ['0/0'],
        change: [],
        unsignedBytes: new Uint8Array(size),
      })
    expect(await failureOf(upload(room + 1))).toMatchObject({ code: 'LEDGER_TOO_LARGE' })
    expect(device.exchanges).toEqual([])
    // The device received all of it, and then refused to parse zeros.
    expect(await failureOf(upload(room))).toMatchObject({ code: 'LEDGER_DATA_REFUSED' })
    const last = device.exchanges.at(-1)!
    expect(last[0].startsWith('800502')).toBe(true)
    expect(device.exchanges.slice(0, -1).every(([, reply]) => reply.endsWith('9000'))).toBe(true)
  })

  it('tells a rejection on the device', async () => {
    const { device, app } = opened({ approve: () => false })
    const { prefix: root, signers, unsignedHex } = transfer!.args
    const signing = app.signTransaction({
      prefix: root,
      signers,
      unsignedBytes: hex.decode(unsignedHex),
    })
    expect(await failureOf(signing)).toMatchObject({ code: 'LEDGER_REJECTED', status: 0x6986 })
    expect(device.exchanges.some(([command]) => command.startsWith('8004'))).toBe(false)
  })

  it('does not mix two transactions on one device', async () => {
    const { device, app } = opened()
    const again = ledgerApp(device)
    const signed = transcripts.filter(({ method }) => method === 'signTransaction')
    const alone = await Promise.all(
      signed.map(({ args }) => call(ledgerApp(new EmulatedLedger()), 'signTransaction', args)),
    )
    const together = await Promise.all(
      signed.map(({ args }, i) => call(i % 2 ? app : again, 'signTransaction', args)),
    )
    expect(together).toEqual(alone)
  })
})
