import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// Bundles uses of the package for the browser and prints what a visitor loads, minified and gzipped: at once,
// and with all that the first call of a wallet fetches. Exits with 1 where one is above its budget.

const KB = 1024

/** Programs as someone would write them, and what each may weigh at once; in all it is the same, if not told. */
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
    budget: 25 * KB,
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
    budget: 36 * KB,
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
    budget: 42 * KB,
    budgetInAll: 74 * KB,
    program: `
      import { KeyChain } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createWallet } from 'avmkit/wallet'
      export const open = (url, key) =>
        createWallet({ client: createNodeClient({ url }), keys: new KeyChain([key]) })`,
  },
]

/** The files that a file imports and those import, itself included; dynamic imports are not followed. */
function loadedWith(path, outputs, found = new Set()) {
  if (found.has(path)) return found
  found.add(path)
  for (const { kind, path: imported } of outputs[path].imports)
    if (kind === 'import-statement') loadedWith(imported, outputs, found)
  return found
}

async function measure(program) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    // Where the package is installed, there is no tsconfig.json of its own.
    tsconfigRaw: {},
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    bundle: true,
    splitting: true,
    minify: true,
    legalComments: 'none',
    metafile: true,
    outdir: 'out',
    write: false,
  })
  const { outputs } = metafile
  const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === '<stdin>')
  const atOnce = loadedWith(entry, outputs)
  const sum = (sizeOf, files) => files.reduce((total, { contents }) => total + sizeOf(contents), 0)
  const first = outputFiles.filter(({ path }) => atOnce.has(relative('.', path)))
  const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length
  return {
    minified: sum((bytes) => bytes.length, first),
    gzipped: sum(gzipped, first),
    inAll: sum(gzipped, outputFiles),
  }
}

const json = process.argv.includes('--json')
if (!json) console.log(`${' '.repeat(26)}   minified       gzip     budget     in all     budget`)
for (const { name, budget, budgetInAll = budget, program } of uses) {
  const { minified, gzipped, inAll } = await measure(program)
  const holds = gzipped <= budget && inAll <= budgetInAll
  if (!holds) process.exitCode = 1
  if (json) console.log(JSON.stringify({ name, minified, gzipped, budget, inAll, budgetInAll }))
  else {
    const kb = (bytes) => `${(bytes / KB).toFixed(1)} KB`.padStart(9)
    const sizes = [minified, gzipped, budget, inAll, budgetInAll].map(kb).join('  ')
    console.log(`${name.padEnd(26)}  ${sizes}  ${holds ? 'holds' : 'OVER BUDGET'}`)
  }
}
