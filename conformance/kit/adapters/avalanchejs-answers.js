import { createHash } from 'node:crypto'

// How avalanchejs answers, and packages with the same functions. Only what its users can call is asked: where it has
// no function, a case is unsupported or a member is left out.

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const bytesOf = ({ bytes, parts }) =>
  Buffer.from(parts?.map(([piece, times]) => piece.repeat(times)).join('') ?? bytes, 'hex')
const toHex = (bytes) => Buffer.from(bytes).toString('hex')

/** Returns the function that answers a case. */
export function avalanchejsAnswers(sdk) {
  const { avaxSerial, secp256k1, utils, Utxo } = sdk
  const { base58check, base58 } = utils
  const idText = (bytes) => base58.encode(Buffer.concat([bytes, sha256(bytes).subarray(-4)]))
  const version = Buffer.alloc(2)

  const encoded = (vm, value) =>
    Buffer.concat([version, value.toBytes(utils.getManagerForVM(vm).getDefaultCodec())])

  function unpacked(vm, bytes, type) {
    return utils.getManagerForVM(vm).unpack(new Uint8Array(bytes), type)
  }

  function tx(vm, bytes) {
    const signed = unpacked(vm, bytes, avaxSerial.SignedTx)
    const again = Buffer.from(signed.toBytes(utils.getManagerForVM(vm).getDefaultCodec()))
    return { ok: true, txID: idText(sha256(bytes)), reencode: again.equals(bytes) }
  }

  function utxo(vm, bytes) {
    const value = unpacked(vm, bytes, Utxo)
    return {
      ok: true,
      txID: value.utxoId.txID.toString(),
      outputIndex: value.utxoId.outputIdx.value(),
      assetID: value.getAssetId(),
      utxoID: value.utxoId.ID(),
      reencode: encoded(vm, value).equals(bytes),
    }
  }

  const value = (bytes) => ({ value: toHex(bytes) })
  const ofLength = (length, bytes) => {
    if (bytes.length !== length) throw new Error(`not ${length} bytes`)
    return bytes
  }
  const texts = {
    id: (text) => value(ofLength(32, base58check.decode(text))),
    shortID: (text) => value(ofLength(20, base58check.decode(text))),
    cb58: (text) => value(base58check.decode(text)),
    nodeID: (text) => value(sdk.NodeId.fromString(text).toBytes()),
    hexnc: (text) => {
      if (!text.startsWith('0x')) return { unsupported: true }
      return value(utils.hexToBuffer(text))
    },
    bech32: (text) => {
      const [hrp, bytes] = utils.parseBech32(text)
      return { hrp, ...value(bytes) }
    },
    address: (text) => {
      const [alias, hrp, bytes] = utils.parse(text)
      return { alias, hrp, ...value(bytes) }
    },
  }

  async function sign({ what, privateKey, hash, message }) {
    if (what !== 'hash' && what !== 'message') return { unsupported: true }
    const key = Buffer.from(privateKey, 'hex')
    const signature =
      what === 'hash'
        ? await secp256k1.signHash(Buffer.from(hash, 'hex'), key)
        : await secp256k1.sign(Buffer.from(message, 'hex'), key)
    const publicKey = secp256k1.getPublicKey(key)
    return {
      ok: true,
      signature: toHex(signature),
      publicKey: toHex(publicKey),
      address: toHex(secp256k1.publicKeyBytesToAddress(publicKey)),
    }
  }

  function recover({ hash, signature }) {
    const key = secp256k1.recoverPublicKey(
      Buffer.from(hash, 'hex'),
      new Uint8Array(Buffer.from(signature, 'hex')),
    )
    return {
      ok: true,
      publicKey: toHex(key),
      address: toHex(secp256k1.publicKeyBytesToAddress(key)),
    }
  }

  const withoutReencode = ({ reencode, ...answer }) =>
    reencode
      ? { ...answer, decodedOnly: true }
      : { ...answer, decodedOnly: true, size: 'encodes otherwise' }

  const kinds = {
    tx: (item) => tx(sdk.AVM, bytesOf(item)),
    utxo: (item) => utxo(sdk.AVM, bytesOf(item)),
    'p-tx': ({ signed }) => withoutReencode(tx(sdk.PVM, Buffer.from(signed, 'hex'))),
    'c-tx': ({ signed }) => withoutReencode(tx(sdk.EVM, Buffer.from(signed, 'hex'))),
    text: (item) => {
      const parse = texts[item.as]
      return parse === undefined ? { unsupported: true } : { ok: true, ...parse(item.text) }
    },
    sign,
    recover,
  }

  return async (item) => {
    const run = kinds[item.kind]
    if (run === undefined) return { unsupported: true }
    try {
      return await run(item)
    } catch {
      return { ok: false }
    }
  }
}
