import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// Bundles typical programs for the browser and prints their sizes, minified and gzipped. Exits with 1 if one exceeds
// its budget.

const KB = 1024

/** Programs as a user would write them, and the largest size of each, gzipped. */
const uses = [
  {
    name: 'decode a transaction',
    budget: 8 * KB,
    program: `
      import { decodeTx } from 'avmkit'
      export const read = (bytes) => decodeTx(bytes).unsignedTx.outputs`,
  },
  {
    name: 'addresses and IDs',
    budget: 8 * KB,
    program: `
      import { formatAddress, formatID, parseAddress, parseID } from 'avmkit'
      export const address = (text) => formatAddress({ ...parseAddress(text), chain: 'P' })
      export const id = (text) => formatID(parseID(text))`,
  },
  {
    name: 'build and sign a transfer',
    budget: 31 * KB,
    program: `
      import { buildTransfer, chooseCoins, decodeUTXO, KeyChain, networks, requireSigned, signDraft } from 'avmkit'
      export function pay(key, utxos, to, amount, now) {
        const keys = new KeyChain([key])
        const funds = chooseCoins(utxos.map(decodeUTXO), { owners: keys.addresses, now })
        const draft = buildTransfer({ context: networks.mainnet, funds, outputs: [{ to, amount }] })
        return requireSigned(signDraft(draft, keys)).bytes
      }`,
  },
  {
    name: 'the same, coins selected',
    budget: 44 * KB,
    program: `
      import { buildTransfer, KeyChain, networks, requireSigned, signDraft, UTXOSet } from 'avmkit'
      export function pay(key, page, to, amount, now) {
        const keys = new KeyChain([key])
        const utxos = new UTXOSet()
        utxos.add(page)
        const funds = { utxos, owners: keys.addresses, now }
        const draft = buildTransfer({ context: networks.mainnet, funds, outputs: [{ to, amount }] })
        return requireSigned(signDraft(draft, keys)).bytes
      }`,
  },
  {
    name: 'client',
    budget: 40 * KB,
    program: `
      import { createNodeClient } from 'avmkit/client'
      export const open = (url) => createNodeClient({ url })`,
  },
  {
    name: 'client and wallet',
    budget: 121 * KB,
    program: `
      import { KeyChain } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createWallet } from 'avmkit/wallet'
      export const open = (url, key) =>
        createWallet({ client: createNodeClient({ url }), keys: new KeyChain([key]) })`,
  },
]

async function measure(program) {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    // Where the package is installed, there is no tsconfig.json of its own.
    tsconfigRaw: {},
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    bundle: true,
    minify: true,
    legalComments: 'none',
    write: false,
  })
  const [{ contents }] = outputFiles
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length }
}

const json = process.argv.includes('--json')
if (!json) console.log(`${' '.repeat(26)}   minified       gzip     budget`)
for (const { name, budget, program } of uses) {
  const { minified, gzipped } = await measure(program)
  const holds = gzipped <= budget
  if (!holds) process.exitCode = 1
  if (json) console.log(JSON.stringify({ name, minified, gzipped, budget }))
  else {
    const kb = (bytes) => `${(bytes / KB).toFixed(1)} KB`.padStart(9)
    const sizes = [minified, gzipped, budget].map(kb).join('  ')
    console.log(`${name.padEnd(26)}  ${sizes}  ${holds ? 'holds' : 'OVER BUDGET'}`)
  }
}
