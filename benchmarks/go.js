import {
  cb58,
  checkedHex,
  decodeTx,
  encodeTx,
  encodeUTXO,
  formatAddress,
  parseAddress,
} from 'avmkit'
import { decodeUTXOPage } from 'avmkit/codec'
import * as pChain from 'avmkit/p-chain'
import { loadWasmBackend } from 'avmkit/wasm'
import { assetID, baseTx, importTx, utxoBytes } from './lib/fixtures.js'
import { GoRival, goIsMissing } from './lib/go.js'
import { row } from './lib/harness.js'

const RIVAL = 'avalanchego 1.14.2'
const plain = (bytes) => Buffer.from(bytes).toString('hex')

/** Rows `go …`: the node's own packages on the same bytes, if Go is on the machine. */
export default async function* rows() {
  if (goIsMissing !== undefined) {
    console.error(`go: left out, needs ${goIsMissing}`)
    return
  }
  let rival
  try {
    rival = new GoRival()
  } catch (error) {
    console.error(`go: left out, ${error.message}`)
    return
  }
  try {
    for (const { name, work, texts, run, result, atLeast } of await contests()) {
      const spent = await rival.contest(work, texts, run, result)
      yield row({ name: `go ${name}`, unit: 'µs', ...spent, rivalName: RIVAL, atLeast })
    }
  } finally {
    await rival.close()
  }
}

async function contests() {
  const backend = await loadWasmBackend()
  const name = 'signed BaseTx, 100 inputs 2 outputs'
  const bytes = encodeTx(baseTx(100, 2))
  const tx = decodeTx(bytes)
  const moved = pChain.encodeTx(importTx(100))
  const page = utxoBytes(1024).map(checkedHex.encode)
  const id = cb58.encode(assetID)
  const address = assetID.slice(0, 20)
  const written = formatAddress({ chain: 'X', hrp: 'fuji', address })
  const secret = new Uint8Array(32).fill(7)
  const publicKey = backend.publicKey(secret)
  const signature = backend.sign(assetID, secret)
  return [
    {
      name: `decode ${name}`,
      work: 'decode',
      texts: [plain(bytes)],
      run: () => decodeTx(bytes),
      result: plain(encodeTx(tx)),
      atLeast: 10,
    },
    {
      name: `encode ${name}`,
      work: 'encode',
      texts: [plain(bytes)],
      run: () => encodeTx(tx),
      result: plain(encodeTx(tx)),
      atLeast: 5,
    },
    {
      name: 'decode page of 1024 UTXOs from hex, checksums verified',
      work: 'page',
      texts: page,
      run: () => decodeUTXOPage(page),
      result: plain(Buffer.concat(decodeUTXOPage(page).utxos.map(encodeUTXO))),
      atLeast: 5,
    },
    {
      name: 'cb58 encode 32 bytes',
      work: 'cb58 encode',
      texts: [plain(assetID)],
      run: () => cb58.encode(assetID),
      result: id,
      atLeast: 1,
    },
    {
      name: 'cb58 decode 32 bytes, checksum verified',
      work: 'cb58 decode',
      texts: [id],
      run: () => cb58.decode(id),
      result: plain(cb58.decode(id)),
      atLeast: 1,
    },
    {
      name: 'address format',
      work: 'address format',
      texts: [plain(address)],
      run: () => formatAddress({ chain: 'X', hrp: 'fuji', address }),
      result: written,
      atLeast: 2,
    },
    {
      name: 'address parse',
      work: 'address parse',
      texts: [written],
      run: () => parseAddress(written),
      result: plain(parseAddress(written).address),
      atLeast: 2,
    },
    {
      name: 'sign a hash, ours verified, wasm',
      work: 'sign',
      texts: [plain(secret), plain(assetID)],
      run: () => backend.sign(assetID, secret, undefined, publicKey),
      result: plain(signature),
    },
    {
      name: 'recover a public key, wasm',
      work: 'recover',
      texts: [plain(assetID), plain(signature)],
      run: () => backend.recover(assetID, signature),
      result: plain(backend.recover(assetID, signature)),
    },
    {
      name: 'decode signed P ImportTx, 100 inputs 1 output',
      work: 'decode P',
      texts: [plain(moved)],
      run: () => pChain.decodeTx(moved),
      result: plain(pChain.encodeTx(pChain.decodeTx(moved))),
    },
  ]
}
