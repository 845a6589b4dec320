import { hash } from 'node:crypto'
import { instantiateSecp256k1, instantiateSecp256k1Wasm } from '@bitauth/libauth'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  addressOf,
  checkedHex,
  createdUTXOs,
  createRequest,
  decodeTx,
  decodeUTXO,
  encodeTx,
  encodeUTXO,
  explainRequest,
  formatRequest,
  generatePrivateKey,
  KeyChain,
  networks,
  parseRequest,
  publicKeyOf,
  requireSigned,
  signDraft,
} from 'avmkit'
import {
  decodeUnsignedTx,
  encodeUnsignedTx,
  hashToSign,
  nobleBackend,
  signedSize,
} from 'avmkit/codec'
import { nativeBackend } from 'avmkit/native'
import { wasmBackend } from 'avmkit/wasm'
import { assertSame, row, time } from './lib/harness.js'
import { avalanchejs, RIVAL, rival } from './lib/rival.js'

const INPUTS = 400

/** Rows `sign …`: from private keys to signed bytes, and what signing costs beyond the curve. */
export default async function* sign() {
  const backends = await loadBackends()
  yield* drafts(backends)
  yield* curve(backends)
  yield* requests()
}

/** Our backends compared with direct calls of the libraries they use. The native one is measured if its addon loads. */
async function loadBackends() {
  const libauth = await instantiateSecp256k1()
  const backends = [
    {
      name: 'noble',
      alone: '@noble/curves 2.4.0 alone',
      backend: nobleBackend,
      sign: (hash, key) => secp256k1.sign(hash, key, { prehash: false, format: 'recovered' }),
      recover: (hash, { signature, recoveryID }) =>
        secp256k1.Signature.fromBytes(signature, 'compact')
          .addRecoveryBit(recoveryID)
          .recoverPublicKey(hash)
          .toBytes(true),
    },
    {
      name: 'wasm',
      alone: '@bitauth/libauth 3.0.0 alone',
      backend: wasmBackend(await instantiateSecp256k1Wasm()),
      sign: (hash, key) => libauth.signMessageHashRecoverableCompact(key, hash),
      recover: (hash, { signature, recoveryID }) =>
        libauth.recoverPublicKeyCompressed(signature, recoveryID, hash),
    },
  ]
  try {
    const { default: bindings } = await import('secp256k1/bindings.js')
    backends.push({
      name: 'native',
      alone: 'secp256k1 5.0.2 alone',
      backend: nativeBackend(bindings),
      sign: (hash, key) => bindings.ecdsaSign(hash, key),
      recover: (hash, { signature, recoveryID }) =>
        bindings.ecdsaRecover(signature, recoveryID, hash, true),
    })
  } catch {
    // There is no addon for this platform: its rows are omitted.
  }
  return backends
}

/** The result of a library's signing function in the form that its recovery function takes. */
function recoverable(result) {
  if (result instanceof Uint8Array) return { signature: result.subarray(1), recoveryID: result[0] }
  return { signature: result.signature, recoveryID: result.recoveryId ?? result.recid }
}

/** The same for a signature of the chain: 65 bytes `r‖s‖v`. */
function parts(signature) {
  return { signature: signature.subarray(0, 64), recoveryID: signature[64] }
}

async function* drafts(backends) {
  const one = caseOf(1)
  const many = caseOf(INPUTS)
  const signed = ({ draft }, keys) => requireSigned(signDraft(draft, keys)).bytes
  const chain = ({ keys }, { backend }) => new KeyChain(keys, { backend })
  for (const work of [one, many])
    assertSame(
      `${INPUTS} inputs of ${work.keys.length} keys`,
      await work.theirs(work.prepare()),
      ...backends.map((entry) => signed(work, chain(work, entry))),
    )

  // Programs keep their key chain; avalanchejs has none and derives the public keys every time.
  const oneChain = chain(one, backends[0])
  const oneKey = await race({ ours: () => signed(one, oneChain) }, one)
  yield row({
    name: `sign draft of ${INPUTS} inputs, one key, noble`,
    unit: 'µs',
    ...oneKey,
    rivalName: RIVAL,
    // Every signature is verified, which takes three times as long as making it. avalanchejs verifies none.
    atLeast: 3,
  })
  const contestants = backends.flatMap((entry) => {
    const kept = chain(many, entry)
    return [
      [entry.name, () => signed(many, kept)],
      [`key chain made anew, ${entry.name}`, () => signed(many, chain(many, entry))],
    ]
  })
  const { rival: theirs, ...ours } = await race(Object.fromEntries(contestants), many)
  const bounds = { noble: { atLeast: 2.5 }, wasm: { atLeast: 20 } }
  for (const [name, took] of Object.entries(ours))
    yield row({
      name: `sign draft of ${INPUTS} inputs, ${INPUTS} keys, ${name}`,
      unit: 'µs',
      ours: took,
      rival: theirs,
      rivalName: RIVAL,
      ...bounds[name],
    })

  const hash = hashToSign(many.draft.unsignedTx)
  for (const entry of backends) {
    const kept = chain(many, entry)
    const took = time(
      {
        ours: () => signed(many, kept),
        rival: () =>
          many.keys.map((key) => entry.recover(hash, recoverable(entry.sign(hash, key)))),
      },
      { windows: 15, windowMs: 100 },
    )
    yield row({
      name: `sign draft against its ${INPUTS} signatures and recoveries alone, ${entry.name}`,
      unit: 'µs',
      ...took,
      rivalName: entry.alone,
      cost: true,
    })
  }
}

function* curve(backends) {
  const key = generatePrivateKey()
  const publicKey = publicKeyOf(key)
  // Every call gets another hash, as in real use; the hashes are the same for all contestants.
  const hashes = Array.from({ length: 64 }, generatePrivateKey)
  const signatures = hashes.map((hash) => nobleBackend.sign(hash, key))
  for (const { name, alone, backend, sign, recover } of backends) {
    hashes.forEach((hash, i) => {
      assertSame('a signature', backend.sign(hash, key), signatures[i])
      assertSame('a key', backend.recover(hash, signatures[i]), recover(hash, parts(signatures[i])))
    })
    const turns = (run) => {
      let i = 0
      return () => {
        i = (i + 1) % hashes.length
        return run(hashes[i], signatures[i])
      }
    }
    const options = { windows: 25 }
    const signing = time(
      {
        ours: turns((hash) => backend.sign(hash, key, undefined, publicKey)),
        rival: turns((hash) => recover(hash, recoverable(sign(hash, key)))),
        alone: turns((hash) => sign(hash, key)),
      },
      options,
    )
    const recovering = time(
      {
        ours: turns(backend.recover),
        rival: turns((hash, signature) => recover(hash, parts(signature))),
      },
      options,
    )
    yield row({
      name: `sign signature, verified, ${name}`,
      unit: 'µs',
      ours: signing.ours,
      rival: signing.rival,
      rivalName: `${alone}, signature and recovery`,
      atMost: 1.1,
    })
    yield row({
      name: `sign cost of verifying a signature, ${name}`,
      unit: 'µs',
      ours: signing.ours - signing.alone,
      rival: signing.alone,
      rivalName: `${alone}, signature`,
      cost: true,
    })
    yield row({
      name: `sign recovery, ${name}`,
      unit: 'µs',
      ...recovering,
      rivalName: alone,
      atMost: 1.1,
    })
    for (const [what, took] of [
      ['verified signatures', signing],
      ['recoveries', recovering],
    ])
      yield row({
        name: `sign ${what} per second, ${name}`,
        unit: '/s',
        ours: 1e6 / took.ours,
        rival: 1e6 / took.rival,
        rivalName: alone,
        cost: true,
      })
  }
}

/** The largest request of one-signature inputs, each UTXO with the transaction that created it. */
function* requests() {
  const { draft, parents } = provenDraft(406)
  const request = createRequest(draft, { parents })
  const text = formatRequest(request)
  const ours = { ours: draft.utxos[0].output.addresses, now: 0n }
  const { warnings, spends } = explainRequest(request, ours)
  if (warnings.length > 0 || !spends.every(({ proven }) => proven)) throw new Error('not proven')
  const { proofs, utxos, signerSets } = JSON.parse(text)
  const bytes = {
    proofs: proofs.map(checkedHex.decode),
    utxos: utxos.map(checkedHex.decode),
    unsignedTx: checkedHex.decode(signerSets[0].unsignedTx),
  }
  const took = time({
    explaining: () => explainRequest(request, ours),
    // A transaction proves a UTXO only by its ID, the hash of its bytes.
    decodingWithIDs: () => [
      ...bytes.proofs.map((proof) => [decodeTx(proof), hash('sha256', proof, 'hex')]),
      ...bytes.utxos.map((utxo) => decodeUTXO(utxo)),
      decodeUnsignedTx(bytes.unsignedTx),
    ],
    decodingBytes: () => [
      ...bytes.proofs.map((proof) => decodeTx(proof)),
      ...bytes.utxos.map((utxo) => decodeUTXO(utxo)),
      decodeUnsignedTx(bytes.unsignedTx),
    ],
    // As they are in the file: hex with a checksum.
    decodingHex: () => [
      ...proofs.map((proof) => decodeTx(checkedHex.decode(proof))),
      ...utxos.map((utxo) => decodeUTXO(checkedHex.decode(utxo))),
      decodeUnsignedTx(checkedHex.decode(signerSets[0].unsignedTx)),
    ],
    reading: () => parseRequest(text, { network: networks.fuji }),
  })
  yield row({
    name: 'sign explain a request of 406 inputs with proofs, against decoding its bytes with the IDs of the proofs',
    unit: 'µs',
    ours: took.explaining,
    rival: took.decodingWithIDs,
    rivalName: 'decodeTx and SHA-256 of the proofs, decodeUTXO, decodeUnsignedTx',
    atMost: 3,
  })
  yield row({
    name: 'sign explain a request of 406 inputs with proofs, against decoding its bytes without IDs',
    unit: 'µs',
    ours: took.explaining,
    rival: took.decodingBytes,
    rivalName: 'decodeTx, decodeUTXO, decodeUnsignedTx',
    cost: true,
  })
  yield row({
    name: 'sign explain a request of 406 inputs with proofs, against decoding the hex of its file',
    unit: 'µs',
    ours: took.explaining,
    rival: took.decodingHex,
    rivalName: 'the same with checkedHex.decode',
    cost: true,
  })
  yield row({
    name: 'sign explain a request of 406 inputs, against reading it',
    unit: 'µs',
    ours: took.explaining,
    rival: took.reading,
    rivalName: 'parseRequest',
    cost: true,
  })
  yield row({
    name: 'sign size of a request of 406 inputs with proofs',
    unit: 'KB',
    ours: text.length / 1024,
    rival: formatRequest(createRequest(draft)).length / 1024,
    rivalName: 'the same without proofs',
    cost: true,
  })
}

/** Parents as they usually are: one input, a payment to us and change to somebody else, one signature. */
function provenDraft(count) {
  const { chainID, assetID, networkID, txFee } = networks.fuji
  const owner = addressOf(publicKeyOf(generatePrivateKey()))
  const stranger = addressOf(publicKeyOf(generatePrivateKey()))
  const amount = 1_000_000_000n
  const made = Array.from({ length: count }, (_, i) => {
    const tx = {
      unsignedTx: {
        type: 'BaseTx',
        networkID,
        blockchainID: chainID,
        outputs: [
          { assetID, output: output(amount, owner) },
          { assetID, output: output(amount + BigInt(i), stranger) },
        ],
        inputs: [
          {
            txID: Uint8Array.from({ length: 32 }, (_, k) => (k < 2 ? (i >> (8 * k)) & 255 : k)),
            outputIndex: 0,
            assetID,
            input: {
              type: 'secp256k1fx.TransferInput',
              amount: 3n * amount,
              signatureIndices: [0],
            },
          },
        ],
        memo: new Uint8Array(0),
      },
      credentials: [{ type: 'secp256k1fx.Credential', signatures: [new Uint8Array(65).fill(i)] }],
    }
    const bytes = encodeTx(tx)
    return { bytes, utxo: createdUTXOs(tx)[0] }
  })
  made.sort((a, b) => Buffer.compare(a.utxo.txID, b.utxo.txID))
  const utxos = made.map(({ utxo }) => utxo)
  const total = amount * BigInt(count) - txFee
  const unsignedTx = {
    type: 'BaseTx',
    networkID,
    blockchainID: chainID,
    outputs: [{ assetID, output: output(total, owner) }],
    inputs: utxos.map(({ txID, outputIndex }) => ({
      txID,
      outputIndex,
      assetID,
      input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
    })),
    memo: new Uint8Array(0),
  }
  const draft = {
    unsignedTx,
    utxos,
    context: networks.fuji,
    fee: txFee,
    change: [{ assetID, amount: total }],
    burned: [],
    signedSize: signedSize(unsignedTx),
  }
  return { draft, parents: made.map(({ bytes }) => bytes) }
}

/** A draft of one-signature inputs, and the same for avalanchejs. */
function caseOf(keyCount) {
  const keys = Array.from({ length: keyCount }, generatePrivateKey)
  const owners = keys.map((key) => addressOf(publicKeyOf(key)))
  const { chainID, assetID, networkID, txFee } = networks.fuji
  const amount = 1_000_000_000n
  const utxos = Array.from({ length: INPUTS }, (_, i) => ({
    // In ascending order, as inputs have to be.
    txID: Uint8Array.from({ length: 32 }, (_, k) => (k < 2 ? (i >> (8 * (1 - k))) & 255 : k)),
    outputIndex: 0,
    assetID,
    output: output(amount, owners[i % keyCount]),
  }))
  const unsignedTx = {
    type: 'BaseTx',
    networkID,
    blockchainID: chainID,
    outputs: [{ assetID, output: output(amount * BigInt(INPUTS) - txFee, owners[0]) }],
    inputs: utxos.map(({ txID, outputIndex }) => ({
      txID,
      outputIndex,
      assetID,
      input: { type: 'secp256k1fx.TransferInput', amount, signatureIndices: [0] },
    })),
    memo: new Uint8Array(0),
  }
  const draft = {
    unsignedTx,
    utxos,
    context: networks.fuji,
    fee: txFee,
    change: [],
    burned: [],
    signedSize: signedSize(unsignedTx),
  }
  return { keys, draft, ...incumbent(unsignedTx, utxos, owners, keys) }
}

/** Signing changes avalanchejs's transaction, so each round gets a fresh one, outside of the clock. */
function incumbent(unsignedTx, utxos, owners, privateKeys) {
  const { UnsignedTx, Utxo, addTxSignatures, utils } = avalanchejs
  const manager = utils.getManagerForVM('AVM')
  const codec = manager.getDefaultCodec()
  const [, rest] = manager.getCodecFromBuffer(encodeUnsignedTx(unsignedTx))
  const [tx] = codec.UnpackPrefix(rest)
  const theirUTXOs = utxos.map((utxo) => manager.unpack(encodeUTXO(utxo), Utxo))
  const { Address, AddressMap, AddressMaps } = { ...avalanchejs, ...utils }
  return {
    prepare() {
      const maps = utxos.map(
        (_, i) => new AddressMap([[new Address(owners[i % owners.length]), 0]]),
      )
      return new UnsignedTx(tx, theirUTXOs, new AddressMaps(maps))
    },
    async theirs(unsigned) {
      await addTxSignatures({ unsignedTx: unsigned, privateKeys })
      return rival.encodeTx(unsigned.getSignedTx())
    },
  }
}

function output(amount, owner) {
  return {
    type: 'secp256k1fx.TransferOutput',
    amount,
    locktime: 0n,
    threshold: 1,
    addresses: [owner],
  }
}

/**
 * Like `time`, but avalanchejs is asynchronous and needs a fresh transaction for every call. One call of it and one
 * window of each of ours alternate; the best of each counts.
 */
async function race(contestants, work) {
  const best = { rival: Number.POSITIVE_INFINITY }
  for (const name of Object.keys(contestants)) best[name] = Number.POSITIVE_INFINITY
  let spent = 0
  for (let round = 0; round < 4 || (round < 40 && spent < 1500); round++) {
    const prepared = work.prepare()
    const start = performance.now()
    await work.theirs(prepared)
    const elapsed = performance.now() - start
    spent += elapsed
    best.rival = Math.min(best.rival, 1000 * elapsed)
    const ours = time(contestants, { windows: 1, windowMs: 50, warmUpMs: round === 0 ? 200 : 0 })
    for (const [name, took] of Object.entries(ours)) best[name] = Math.min(best[name], took)
  }
  return best
}
