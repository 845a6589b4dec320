import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import {
  addressText,
  Cursor,
  chainOf,
  type Item,
  ParserError,
  sha256,
  ViewError,
} from './app-fields.ts'
import { parseTransaction, toggleOutputs } from './app-parser.ts'

/** The seed of the app's own tests, tests_zemu/tests/common.ts. */
const APP_SEED = 'equip will roof matter pink blind book anxiety banner elbow sun young'

const BUFFER_SIZE = 0x4000
const HARDENED = 0x80000000

/** Status words of app/rust/src/constants.rs. */
const STATUS = {
  ok: 0x9000,
  wrongLength: 0x6700,
  dataInvalid: 0x6a80,
  conditions: 0x6985,
  rejected: 0x6986,
  root: 0x6984,
  p1p2: 0x6b00,
  ins: 0x6d00,
  cla: 0x6e00,
  locked: 0x5515,
  busy: 0x9001,
  execution: 0x6400,
} as const

class Status extends Error {
  readonly word: number
  constructor(name: keyof typeof STATUS) {
    super(name)
    this.word = STATUS[name]
  }
}

/** Settings of an emulated device. */
export type EmulatedOptions = {
  readonly version?: string
  readonly app?: string
  readonly mnemonic?: string
  /** Decides on each review; approves by default. */
  readonly approve?: (items: readonly Item[]) => boolean
}

/** One command and its reply, in hex. */
export type Exchange = readonly [command: string, reply: string]

/**
 * A device with the Avalanche app: reads the APDU stream as the handlers of the app do (app/rust/src/handlers at 1.4.4)
 * and signs with a seed. Versions from 1.4.6 to 1.4.12 refuse other roots than 9000', as users reported.
 */
export class EmulatedLedger {
  locked = false
  app: string
  readonly reviews: (readonly Item[])[] = []
  readonly exchanges: Exchange[] = []
  private readonly version: string
  private readonly root: HDKey
  private readonly approve: (items: readonly Item[]) => boolean
  private upload: { readonly ins: number; readonly first: Uint8Array; data: Uint8Array } | undefined
  private prefix: readonly number[] | undefined
  private hash: Uint8Array | undefined

  constructor({
    version = '1.4.14',
    app = 'Avalanche',
    mnemonic = APP_SEED,
    approve,
  }: EmulatedOptions = {}) {
    this.version = version
    this.app = app
    this.root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
    this.approve = approve ?? (() => true)
  }

  /** What a transport calls. */
  async send(
    cla: number,
    ins: number,
    p1: number,
    p2: number,
    data: Uint8Array = new Uint8Array(),
  ): Promise<Uint8Array> {
    // The length of the data is one byte.
    if (data.length > 255) throw new Error('data too long for an APDU')
    let reply: Uint8Array = new Uint8Array()
    let word: number = STATUS.ok
    try {
      reply = this.handle(cla, ins, p1, p2, new Uint8Array(data))
    } catch (error) {
      if (error instanceof Status) word = error.word
      else if (error instanceof ParserError) word = STATUS.dataInvalid
      else if (error instanceof ViewError) word = STATUS.execution
      else throw error
    }
    const answer = Uint8Array.from([...reply, word >> 8, word & 0xff])
    const hex = (bytes: Iterable<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex')
    this.exchanges.push([hex([cla, ins, p1, p2, data.length, ...data]), hex(answer)])
    return answer
  }

  /** The key at a path, for comparison. */
  keyAt(path: string): HDKey {
    return this.root.derive(path)
  }

  private handle(cla: number, ins: number, p1: number, p2: number, data: Uint8Array): Uint8Array {
    if (this.locked) throw new Status('locked')
    if (cla === 0xb0 && ins === 1) return this.info()
    if (cla !== 0x80 || this.app !== 'Avalanche') throw new Status('cla')
    if (ins === 0)
      return Uint8Array.from([0, ...this.version.split('.').map(Number), 0, 0x33, 0, 0, 4])
    if (ins === 2) return this.publicKey(p1, data)
    if (ins === 3) return this.extendedKey(data)
    if (ins === 4) return this.signHash(p1, data)
    if (ins === 5 || ins === 6) return this.receive(ins, p1, p2, data)
    throw new Status('ins')
  }

  /** Answered by the operating system. */
  private info(): Uint8Array {
    const text = (value: string) => [value.length, ...Buffer.from(value, 'ascii')]
    return Uint8Array.from([1, ...text(this.app), ...text(this.version), 1, 0])
  }

  private keyFor(path: readonly number[]): HDKey {
    return path.reduce((key, number) => key.deriveChild(number), this.root)
  }

  private publicKey(p1: number, data: Uint8Array): Uint8Array {
    const c = new Cursor(data)
    const { hrp, chain, path } = this.keyRequest(c, data)
    const key = this.keyFor(path).publicKey!
    const text = `${chain}-${addressText(hrp, keyHash(key))}`
    if (p1 >= 1) this.review([['Address', text]])
    return Uint8Array.from([key.length, ...key, ...keyHash(key), ...Buffer.from(text, 'ascii')])
  }

  private extendedKey(data: Uint8Array): Uint8Array {
    const { path } = this.keyRequest(new Cursor(data), data)
    const { publicKey, chainCode } = this.keyFor(path)
    return Uint8Array.from([publicKey!.length, ...publicKey!, ...chainCode!])
  }

  private keyRequest(c: Cursor, data: Uint8Array) {
    const hrp = Buffer.from(c.take(c.u8())).toString('ascii')
    const chainID = c.take(c.u8())
    if (hrp.length > 24 || ![0, 32].includes(chainID.length)) throw new Status('dataInvalid')
    const path = this.readPath(data.slice(c.at))
    return {
      hrp: hrp || 'avax',
      chain: chainOf(chainID.length === 0 ? new Uint8Array(32) : chainID),
      path,
    }
  }

  /** `BIP32Path::read`: the number of components, then each. */
  private readPath(bytes: Uint8Array, size?: number): readonly number[] {
    const c = new Cursor(bytes)
    const count = c.u8()
    if (count > 6 || bytes.length !== 1 + 4 * count) throw new Status('dataInvalid')
    const path = c.list(() => c.u32(), count)
    if (size !== undefined && count !== size) throw new Status('wrongLength')
    if (size !== 2) this.checkRoot(path)
    return path
  }

  private checkRoot([, coin]: readonly number[]): void {
    const patch = /^1\.4\.(\d+)$/.exec(this.version)?.[1]
    const refuses = Number(patch) >= 6 && Number(patch) < 13
    if (refuses && coin !== HARDENED + 9000) throw new Status('root')
  }

  /** `Uploader::upload`. The buffer holds P2, the first packet and the others. */
  private receive(ins: number, p1: number, _p2: number, data: Uint8Array): Uint8Array {
    if (p1 > 2) throw new Status('p1p2')
    if (p1 === 0) {
      this.upload = { ins, first: data, data: new Uint8Array() }
      return new Uint8Array()
    }
    const { upload } = this
    if (upload === undefined) throw new Status('execution')
    if (upload.ins !== ins) throw new Status('busy')
    upload.data = Uint8Array.from([...upload.data, ...data])
    if (1 + upload.first.length + upload.data.length > BUFFER_SIZE) throw new Status('dataInvalid')
    if (p1 === 1) return new Uint8Array()
    this.upload = undefined
    if (ins === 5) this.startTransaction(upload.first, upload.data)
    else this.startMessage(upload.first, upload.data)
    return new Uint8Array()
  }

  private startTransaction(first: Uint8Array, data: Uint8Array): void {
    const prefix = this.readPath(first, 3)
    const c = new Cursor(data)
    const change = c.list(() => this.readPath(c.take(9), 2), c.u8())
    const bytes = data.slice(c.at)
    const tx = parseTransaction(bytes)
    for (const suffix of change)
      toggleOutputs(tx, keyHash(this.keyFor([...prefix, ...suffix]).publicKey!))
    const items = tx.items()
    if (items.length > 255) throw new ViewError('Unknown')
    this.review(items)
    this.prefix = prefix
    this.hash = sha256(bytes)
  }

  private startMessage(first: Uint8Array, data: Uint8Array): void {
    const prefix = this.readPath(first, 3)
    const header = Buffer.from('\x1AAvalanche Signed Message:\n', 'ascii')
    if (Buffer.compare(data.slice(0, header.length), header) !== 0) throw new Status('dataInvalid')
    const c = new Cursor(data.slice(header.length))
    const size = c.u32()
    if (data.length !== header.length + 4 + size) throw new Status('dataInvalid')
    this.review([['Sign', 'Avax Message'], ...messageItems(c.take(size))])
    this.prefix = prefix
    this.hash = sha256(data)
  }

  private signHash(p1: number, data: Uint8Array): Uint8Array {
    // A hash that the device does not know needs a review of its own, which the library never asks for.
    if (p1 === 1) throw new Status('conditions')
    const { prefix, hash } = this
    if (prefix === undefined || hash === undefined) throw new Status('conditions')
    const { privateKey } = this.keyFor([...prefix, ...this.readPath(data, 2)])
    const [v, ...rs] = secp256k1.sign(hash, privateKey!, { prehash: false, format: 'recovered' })
    if (p1 === 2) {
      this.prefix = undefined
      this.hash = undefined
    }
    return Uint8Array.from([...rs, v! & 1])
  }

  private review(items: readonly Item[]): void {
    this.reviews.push(items)
    if (this.approve(items)) return
    this.prefix = undefined
    this.hash = undefined
    throw new Status('rejected')
  }
}

/** Chunks of 100 characters; bytes that are not ASCII take four. */
function messageItems(message: Uint8Array): Item[] {
  const shown = [...message].map((byte) => {
    if (byte > 0x7f) return `\\x${byte.toString(16).padStart(2, '0')}`
    return [9, 10, 12, 13, 32].includes(byte) ? ' ' : String.fromCharCode(byte)
  })
  const items: Item[] = []
  let text = ''
  for (const part of shown) {
    if (text.length + part.length > 100) {
      items.push(['Message', text])
      text = ''
    }
    text += part
  }
  return text === '' ? items : [...items, ['Message', text]]
}

/** RIPEMD-160 of SHA-256. */
function keyHash(publicKey: Uint8Array): Uint8Array {
  return ripemd160(sha256(publicKey))
}
