import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { encodeTx, encodeUTXO, hex } from 'avmkit'
import * as cChain from 'avmkit/c-chain'
import { encodeBlock, encodeUnsignedTx } from 'avmkit/codec'
import * as pChain from 'avmkit/p-chain'
import { build } from 'esbuild'
import fc from 'fast-check'

// Cases from the generators of the property tests.

/** Bundles a helper of the tests, which is TypeScript and takes fast-check from the runner's package. */
async function load(name) {
  const folder = mkdtempSync(join(tmpdir(), 'avmkit-arbitraries-'))
  try {
    const shim = join(folder, 'shim.js')
    const outfile = join(folder, 'bundle.mjs')
    writeFileSync(shim, "export { default as fc } from 'fast-check'\n")
    await build({
      entryPoints: [fileURLToPath(new URL(`../../test/helpers/${name}.ts`, import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: { '@fast-check/vitest': shim },
      nodePaths: [fileURLToPath(new URL('../../node_modules', import.meta.url))],
      outfile,
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const x = await load('arbitraries')
const peers = await load('chain-arbitraries')

const text = (bytes) => hex.encode(bytes)

const generators = {
  tx: x.anyTx.map((tx) => ({ kind: 'tx', network: 12345, bytes: text(encodeTx(tx)) })),
  syntactic: x.anyTx.map((tx) => ({ kind: 'syntactic', bytes: text(encodeTx(tx)) })),
  'utxos-of-tx': x.anyTx.map((tx) => ({ kind: 'utxos-of-tx', bytes: text(encodeTx(tx)) })),
  utxo: x.anyUTXO.map((utxo) => ({ kind: 'utxo', network: 12345, bytes: text(encodeUTXO(utxo)) })),
  block: x.anyBlock.map((block) => ({
    kind: 'block',
    network: 12345,
    bytes: text(encodeBlock(block)),
  })),
  size: x.anyUnsignedTx.map((tx) => ({ kind: 'size', unsigned: text(encodeUnsignedTx(tx)) })),
  'p-tx': peers.anyPTx.map((tx) => ({
    kind: 'p-tx',
    network: 'local',
    signed: text(pChain.encodeTx(tx)),
    prices: ['1', '250'],
  })),
  'p-utxo': peers.anyPUTXO.map((utxo) => ({ kind: 'p-utxo', utxo: text(pChain.encodeUTXO(utxo)) })),
  'c-tx': peers.anyCTx.map((tx) => ({
    kind: 'c-tx',
    network: 'local',
    signed: text(cChain.encodeTx(tx)),
    prices: ['25000000000'],
  })),
}

/** Values of every generator. */
export function generate(seed, count) {
  return Object.values(generators).flatMap((arbitrary) =>
    fc.sample(arbitrary, { seed, numRuns: count }),
  )
}
