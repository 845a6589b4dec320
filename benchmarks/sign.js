import { instantiateSecp256k1, instantiateSecp256k1Wasm } from '@bitauth/libauth'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  addressOf,
  encodeUnsignedTx,
  encodeUTXO,
  generatePrivateKey,
  hashToSign,
  KeyChain,
  networks,
  nobleBackend,
  publicKeyOf,
  requireSigned,
  signDraft,
  signedSize,
} from 'avmkit'
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
}

/** Our backends beside the bare calls of what they are made of. Native is there where its addon loads. */
async function loadBackends() {
  const libauth = await instantiateSecp256k1()
  const backends = [
    {
      name: 'noble',
      alone: '@noble/curves 2.4.0 alone',
      backend: nobleBackend,
      sign: (hash, key) => secp256k1.sign(hash, key, { prehash: false, format: 'recovered' }),
      recover: (hash, signature) =>
        secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
          .addRecoveryBit(signature[64])
          .recoverPublicKey(hash)
          .toBytes(true),
    },
    {
      name: 'wasm',
      alone: '@bitauth/libauth 3.0.0 alone',
      backend: wasmBackend(await instantiateSecp256k1Wasm()),
      sign: (hash, key) => libauth.signMessageHashRecoverableCompact(key, hash),
      recover: (hash, signature) =>
        libauth.recoverPublicKeyCompressed(signature.subarray(0, 64), signature[64], hash),
    },
  ]
  try {
    const { default: bindings } = await import('secp256k1/bindings.js')
    backends.push({
      name: 'native',
      alone: 'secp256k1 5.0.2 alone',
      backend: nativeBackend(bindings),
      sign: (hash, key) => bindings.ecdsaSign(hash, key),
      recover: (hash, signature) =>
        bindings.ecdsaRecover(signature.subarray(0, 64), signature[64], hash, true),
    })
  } catch {
    // No addon for this platform: the rows of the others say enough.
  }
  return backends
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

  // Programs keep their key chain; the incumbent has none and derives the public keys every time.
  const oneChain = chain(one, backends[0])
  const oneKey = await race({ ours: () => signed(one, oneChain) }, one)
  yield row({
    name: `sign draft of ${INPUTS} inputs, one key, noble`,
    unit: 'µs',
    ...oneKey,
    rivalName: RIVAL,
    atLeast: 5,
  })
  const contestants = backends.flatMap((entry) => {
    const kept = chain(many, entry)
    return [
      [entry.name, () => signed(many, kept)],
      [`key chain made anew, ${entry.name}`, () => signed(many, chain(many, entry))],
    ]
  })
  const { rival: theirs, ...ours } = await race(Object.fromEntries(contestants), many)
  const bounds = { noble: { atLeast: 5 }, wasm: { atLeast: 20 } }
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
        rival: () => many.keys.map((key) => entry.sign(hash, key)),
      },
      { windows: 15, windowMs: 100 },
    )
    yield row({
      name: `sign draft against its ${INPUTS} signatures alone, ${entry.name}`,
      unit: 'µs',
      ...took,
      rivalName: entry.alone,
      cost: true,
    })
  }
}

function* curve(backends) {
  const key = generatePrivateKey()
  // Other hashes each time, as in life; the same for all contestants.
  const hashes = Array.from({ length: 64 }, generatePrivateKey)
  const signatures = hashes.map((hash) => nobleBackend.sign(hash, key))
  for (const { name, alone, backend, sign, recover } of backends) {
    hashes.forEach((hash, i) => {
      assertSame('a signature', backend.sign(hash, key), signatures[i])
      assertSame('a key', backend.recover(hash, signatures[i]), recover(hash, signatures[i]))
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
        ours: turns((hash) => backend.sign(hash, key)),
        rival: turns((hash) => sign(hash, key)),
      },
      options,
    )
    const recovering = time({ ours: turns(backend.recover), rival: turns(recover) }, options)
    for (const [what, took] of [
      ['signature', signing],
      ['recovery', recovering],
    ])
      yield row({
        name: `sign ${what}, ${name}`,
        unit: 'µs',
        ...took,
        rivalName: alone,
        atMost: 1.1,
      })
    for (const [what, took] of [
      ['signatures', signing],
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

/** A draft of one-signature inputs, and the same for the incumbent. */
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

/** Signing changes the incumbent's transaction, so each round gets a fresh one, outside of the clock. */
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
 * Like `time`, but the incumbent is asynchronous and wants a fresh transaction for every call: one call of
 * it, then windows of ours, in turns; of each the best counts.
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
