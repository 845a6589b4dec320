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
    budget: 31.5 * KB,
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
    budget: 44.2 * KB,
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
    budget: 134.1 * KB,
    program: `
      import { KeyChain } from 'avmkit'
      import { createNodeClient } from 'avmkit/client'
      import { createWallet } from 'avmkit/wallet'
      export const open = (url, key) =>
        createWallet({ client: createNodeClient({ url }), keys: new KeyChain([key]) })`,
  },
  {
    name: 'moves, HD and IndexedDB',
    budget: 200.1 * KB,
    program: `
      import { createCChainClient, createNodeClient, createPChainClient } from 'avmkit/client'
      import { accountFromMnemonic } from 'avmkit/hd'
      import { indexedDBStore } from 'avmkit/indexed-db'
      import { createCrossChainWallet } from 'avmkit/moves'
      export const open = (url, words) =>
        createCrossChainWallet({
          client: createNodeClient({ url }),
          pChain: createPChainClient({ url }),
          cChain: createCChainClient({ url }),
          account: accountFromMnemonic(words),
          store: indexedDBStore('payments'),
        })`,
  },
]

/** Programs whose size counts without that of another one, to which they are added. */
const additions = [
  {
    name: 'signer and screens of Ledger',
    budget: 5 * KB,
    base: `export * from 'avmkit'; export * as p from 'avmkit/p-chain';`,
    program: `export { ledgerScreens, ledgerSigner } from 'avmkit/ledger'`,
  },
  {
    name: 'Keystone',
    budget: 5.4 * KB,
    base: `export * from 'avmkit';`,
    program: `export * from 'avmkit/keystone'`,
  },
  {
    name: 'policy of a signer',
    budget: 8.2 * KB,
    base: `export * from 'avmkit'; export * as hd from 'avmkit/hd';`,
    program: `export * from 'avmkit/policy'`,
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

async function measureAddition({ base, program }) {
  const [before, after] = [await measure(base), await measure(base + program)]
  return {
    minified: after.minified - before.minified,
    gzipped: after.gzipped - before.gzipped,
  }
}

const json = process.argv.includes('--json')
if (!json) console.log(`${' '.repeat(28)}   minified       gzip     budget`)
for (const use of [...uses, ...additions]) {
  const { name, budget } = use
  const { minified, gzipped } = await ('base' in use ? measureAddition(use) : measure(use.program))
  const holds = gzipped <= budget
  if (!holds) process.exitCode = 1
  if (json) console.log(JSON.stringify({ name, minified, gzipped, budget }))
  else {
    const kb = (bytes) => `${(bytes / KB).toFixed(1)} KB`.padStart(9)
    const sizes = [minified, gzipped, budget].map(kb).join('  ')
    console.log(`${name.padEnd(28)}  ${sizes}  ${holds ? 'holds' : 'OVER BUDGET'}`)
  }
}
