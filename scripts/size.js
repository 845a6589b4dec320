import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// Bundles four uses of the package for the browser and prints what a visitor loads, minified and gzipped.
// Exits with 1 where one is above its budget. Of what signs, 16 KB are @noble/curves and @noble/hashes.

const KB = 1024

/** Programs as someone would write them, and what each may weigh. */
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
    budget: 6 * KB,
    program: `
      import { formatAddress, formatID, parseAddress, parseID } from 'avmkit'
      export const address = (text) => formatAddress({ ...parseAddress(text), chain: 'P' })
      export const id = (text) => formatID(parseID(text))`,
  },
  {
    name: 'build and sign a transfer',
    budget: 45 * KB,
    goal: 25 * KB,
    program: `
      import { buildTransfer, KeyChain, networks, requireSigned, signDraft, UTXOSet } from 'avmkit'
      export function pay(key, page, to, amount, now) {
        const keys = new KeyChain([key])
        const coins = new UTXOSet()
        coins.add(page)
        const funds = { coins, owners: keys.addresses, now }
        const draft = buildTransfer({ context: networks.mainnet, funds, outputs: [{ to, amount }] })
        return requireSigned(signDraft(draft, keys)).bytes
      }`,
  },
  {
    name: 'client and wallet',
    budget: 77 * KB,
    goal: 40 * KB,
    program: `
      import { KeyChain } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createWallet } from 'avmkit/wallet'
      export const open = (url, key) =>
        createWallet({ client: createNodeClient({ url }), keys: new KeyChain([key]) })`,
  },
]

const json = process.argv.includes('--json')
if (!json) console.log(`${' '.repeat(26)}   minified       gzip     budget       goal`)
for (const { name, budget, goal = budget, program } of uses) {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: new URL('..', import.meta.url).pathname },
    platform: 'browser',
    // Where the package is installed, there is no tsconfig.json of its own.
    tsconfigRaw: {},
    format: 'esm',
    target: 'es2022',
    bundle: true,
    minify: true,
    legalComments: 'none',
    write: false,
  })
  const minified = outputFiles[0].contents
  const gzipped = gzipSync(minified, { level: 9 }).length
  if (gzipped > budget) process.exitCode = 1
  if (json) console.log(JSON.stringify({ name, minified: minified.length, gzipped, budget, goal }))
  else {
    const kb = (bytes) => `${(bytes / KB).toFixed(1)} KB`.padStart(9)
    const verdict = gzipped > budget ? 'OVER BUDGET' : gzipped > goal ? 'above its goal' : 'holds'
    const sizes = [minified.length, gzipped, budget, goal].map(kb).join('  ')
    console.log(`${name.padEnd(26)}  ${sizes}  ${verdict}`)
  }
}
