import * as library from '@avalabs/avalanchejs'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { KeyChain } from '../../../src/core/crypto/keychain.ts'
import { publicKeyOf } from '../../../src/core/crypto/secp256k1.ts'
import { signMessage } from '../../../src/signers/message/index.ts'

/** As much of avalanchejs as is used here: its own declarations do not resolve for modules. */
type Library = {
  readonly utils: {
    readonly hexToBuffer: (text: string) => Uint8Array
    readonly bufferToHex: (bytes: Uint8Array) => string
    readonly addChecksum: (bytes: Uint8Array) => Uint8Array
    readonly unpackWithManager: (vm: string, bytes: Uint8Array) => Tx
    readonly getManagerForVM: (vm: string) => { getDefaultCodec(): unknown }
    readonly getTransferableInputsByTx: (tx: Tx) => unknown[]
    readonly AddressMap: { fromJSON(addresses: [string, number][]): unknown }
    readonly AddressMaps: {
      new (maps: unknown[]): Maps
      fromTransferableInputs(
        inputs: unknown[],
        utxos: unknown[],
        now: bigint,
        from?: Uint8Array[],
      ): Maps
    }
  }
  readonly Utxo: { fromBytes(bytes: Uint8Array, codec: unknown): [unknown, Uint8Array] }
  readonly UnsignedTx: new (tx: Tx, utxos: unknown[], maps: Maps) => Unsigned
  readonly EVMUnsignedTx: new (tx: Tx, utxos: unknown[], maps: Maps) => Unsigned
  readonly addTxSignatures: (job: {
    unsignedTx: Unsigned
    privateKeys: Uint8Array[]
  }) => Promise<void>
}
type Tx = { readonly _type: string; readonly importedInputs?: unknown[] }
type Maps = { getAddresses(): unknown[] }
type Unsigned = {
  hasAllSignatures(): boolean
  getSignedTx(): { toBytes(): Uint8Array }
}

const { utils, Utxo, UnsignedTx, EVMUnsignedTx, addTxSignatures } = library as unknown as Library

const VMS = { X: 'AVM', P: 'PVM', C: 'EVM' } as const

/** What a reply of the Core extension, of Core for mobile devices, and of older versions looks like. */
export type ReplyStyle = 'hex' | 'object' | 'json' | '0xjson'

/**
 * A provider that follows the handlers of ava-labs/core-vm-modules (packages/avalanche-module/src/handlers) and signs with
 * avalanchejs. It never looks UTXOs up: without those in the request it cannot sign.
 */
export class ReferenceCore {
  readonly keys: KeyChain
  readonly requests: { readonly method: string; readonly params: unknown }[] = []
  style: ReplyStyle = 'hex'
  private readonly privateKeys: readonly Uint8Array[]
  private readonly accountKey: Uint8Array
  private readonly issue: (signedHex: string, chain: 'X' | 'P' | 'C') => Promise<string>

  /**
   * The first key is that of the active account on X and P, the others are at external indices 1, 2 …
   *
   * @param accountKey - the key on the C-Chain, which Core derives from another path
   */
  constructor(
    privateKeys: readonly Uint8Array[],
    issue: (signedHex: string, chain: 'X' | 'P' | 'C') => Promise<string>,
    accountKey: Uint8Array = privateKeys[0]!,
  ) {
    this.privateKeys = privateKeys
    this.accountKey = accountKey
    this.keys = new KeyChain(privateKeys)
    this.issue = issue
  }

  request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    this.requests.push({ method, params })
    switch (method) {
      case 'avalanche_getAccountPubKey': {
        const [xp, evm] = [this.privateKeys[0]!, this.accountKey].map(publicKeyOf)
        return { evm: hex.encode(evm!), xp: hex.encode(xp!) }
      }
      case 'avalanche_signTransaction': {
        const signed = await this.signed(params)
        const reply = { signedTransactionHex: signed, signatures: [] }
        if (this.style === 'hex') return signed
        if (this.style === 'object') return reply
        return `${this.style === 'json' ? '' : '0x'}${JSON.stringify(reply)}`
      }
      case 'avalanche_sendTransaction':
        return this.issue(await this.signed(params), (params as Params).chainAlias)
      case 'avalanche_signMessage': {
        const [message] = params as [string]
        return signMessage(message, this.keys, { address: this.keys.addresses[0]! })
      }
    }
    throw Object.assign(new Error(`unsupported ${method}`), { code: 4200 })
  }

  private async signed(params: unknown): Promise<string> {
    const { chainAlias, externalIndices = [] } = params as Params
    const unsignedTx = chainAlias === 'C' ? this.onC(params as Params) : unsigned(params as Params)
    const indices = new Set([0, ...externalIndices])
    const privateKeys =
      chainAlias === 'C' ? [this.accountKey] : this.privateKeys.filter((_, i) => indices.has(i))
    await addTxSignatures({ unsignedTx, privateKeys })
    if (!unsignedTx.hasAllSignatures()) throw new Error('Signing error, missing signatures.')
    return utils.bufferToHex(utils.addChecksum(unsignedTx.getSignedTx().toBytes()))
  }

  /** On the C-Chain Core knows one key. Exports have it in place of an owner of UTXOs. */
  private onC({ transactionHex, utxos = [] }: Params): Unsigned {
    const tx = utils.unpackWithManager('EVM', utils.hexToBuffer(transactionHex))
    const from = new KeyChain([this.accountKey]).addresses[0]!
    if (tx.importedInputs === undefined) {
      const map = utils.AddressMap.fromJSON([[utils.bufferToHex(from), 0]])
      return new EVMUnsignedTx(tx, [], new utils.AddressMaps([map]))
    }
    const inputs = utxosOf('EVM', utxos)
    const maps = utils.AddressMaps.fromTransferableInputs(tx.importedInputs, inputs, now(), [from])
    return new UnsignedTx(tx, inputs, maps)
  }
}

function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

function utxosOf(vm: string, utxos: readonly string[]): unknown[] {
  const codec = utils.getManagerForVM(vm).getDefaultCodec()
  return utxos.map((text) => Utxo.fromBytes(utils.hexToBuffer(text), codec)[0])
}

function unsigned(params: Params): Unsigned {
  const { transactionHex, chainAlias, externalIndices = [], utxos = [] } = params
  const vm = VMS[chainAlias]
  const inputs = utxosOf(vm, utxos)
  const tx = utils.unpackWithManager(vm, utils.hexToBuffer(transactionHex))
  const spent = utils.getTransferableInputsByTx(tx)
  const maps = utils.AddressMaps.fromTransferableInputs(spent, inputs, now())
  if (maps.getAddresses().length > 1 && externalIndices.length === 0)
    throw new Error('Transaction contains multiple addresses, but indices were not provided')
  return new UnsignedTx(tx, inputs, maps)
}

type Params = {
  readonly transactionHex: string
  readonly chainAlias: 'X' | 'P' | 'C'
  readonly externalIndices?: readonly number[]
  readonly utxos?: readonly string[]
}
