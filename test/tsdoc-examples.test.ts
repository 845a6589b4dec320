import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { entryPoints, exportedNames } from './helpers/entry-points.ts'

const root = new URL('../', import.meta.url)
const folder = new URL('test/.generated/tsdoc/', root)

/** Source files of the entry points whose exports the examples use without importing them. */
const entries = [...entryPoints].flatMap(([entry, file]) =>
  ['./p-chain', './c-chain', './native'].includes(entry) ? [] : [file],
)

/** Values that examples mention without creating them. Those of the P-Chain and C-Chain differ in some types. */
const given = `
declare const account: WatchAccount
declare const address: Uint8Array
declare const addresses: readonly Uint8Array[]
declare const amount: bigint
declare const apiKey: string
declare const assetID: Uint8Array
declare const balance: bigint
declare const baseFee: bigint
declare const bytes: Uint8Array
declare const context: NetworkContext
declare const data: DataClient
declare const der: Uint8Array
declare const entries: readonly string[]
declare const funds: CoinSource
declare const hash: Uint8Array
declare const keys: KeyChain
declare const ledger: Signer
declare const metricsURL: string
declare const need: Need
declare const node: DevNode
declare const nonce: bigint
declare const now: bigint
declare const outputs: readonly OutputArgument[]
declare const owners: readonly Uint8Array[]
declare const page: readonly Uint8Array[]
declare const privateKey: Uint8Array
declare const reply: { readonly tx: string }
declare const custody: Custody
declare const LIMIT: bigint
declare const signal: AbortSignal
declare const service: { sign(hash: Uint8Array): Promise<{ readonly der: Uint8Array }> }
declare const set: UTXOSet
declare const signature: Uint8Array
declare const state: StateView
declare const texts: readonly string[]
declare const to: string
declare const toHeight: bigint
declare const url: string
declare const wallet: Wallet
declare const words: string
`
const givenOf: { readonly [folder: string]: string } = {
  'p-chain': `
declare const client: PChainClient
declare const draft: pChain.Draft
declare const fees: Parameters<typeof pChain.buildTransfer>[0]['fees']
declare const options: Parameters<typeof pChain.planImport>[0]
declare const price: bigint
declare const signed: (draft: pChain.Draft) => Uint8Array
declare const tx: pChain.SignedTx
declare const utxos: readonly pChain.UTXO[]
declare const weights: typeof pChain.DEFAULT_GAS_WEIGHTS
`,
  'c-chain': `
declare const client: CChainClient
declare const draft: cChain.Draft
declare const tx: cChain.SignedTx
declare const utxos: readonly UTXO[]
`,
  '': `
declare const client: NodeClient
declare const draft: Draft
declare const tx: SignedTx
declare const utxos: UTXOSet
declare const transport: LedgerTransport
declare const answering: AnsweringWallet
declare const request: AvalancheRequest
declare const ask: (text: string) => Promise<boolean>
declare const paths: KeystoneSignerOptions['paths']
declare const scan: (shown: void) => Promise<readonly string[]>
declare const show: (frames: readonly string[]) => void
declare const session: object
declare const pkcs11: PKCS11Module
declare const pair: PKCS11KeyPair
declare const KMS: new (options: { region: string }) => AWSKMSClient
declare global {
  interface Window {
    readonly avalanche: EIP1193Provider
  }
  interface Navigator {
    readonly hid: { requestDevice(options: object): Promise<[WebHIDDevice & { open(): Promise<void> }]> }
  }
}
`,
}

type Example = { readonly file: string; readonly code: string }

/** The `@example` of every doc comment, except in the command line program, which exports nothing. */
function examples(): Example[] {
  return readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(cli|page)\//.test(file))
    .flatMap((file) => {
      const text = readFileSync(new URL(`src/${file}`, root), 'utf8')
      return [...text.matchAll(/\/\*\*(?:(?!\*\/).)*?@example\n(.*?)\*\//gs)].map((match) => ({
        file,
        code: match[1]!.replace(/^\s*\* ?/gm, '').split(/^@/m)[0]!,
      }))
    })
}

/** A module with one function per example, and the imports that they need. */
async function moduleOf(name: string, list: readonly Example[]): Promise<string> {
  const body = list
    .map(({ file, code }, i) => `// ${file}\nexport async function example${i}() {\n${code}\n}\n`)
    .join('\n')
  const text = given + givenOf[name] + body
  const words = new Set(text.match(/[A-Za-z_$][\w$]*/g))
  const imports = [
    `import * as pChain from '../../../src/core/p-chain.ts'`,
    `import * as cChain from '../../../src/core/c-chain.ts'`,
    `import { readFileSync, writeFileSync } from 'node:fs'`,
    `import { instantiateSecp256k1Wasm } from '@bitauth/libauth'`,
  ]
  const known = new Set<string>(['evmAddressOf'])
  if (name === 'c-chain') imports.push('const { evmAddressOf } = cChain')
  for (const file of entries) {
    const names = [...exportedNames(file)]
    const used = names.filter((one) => words.has(one) && !known.has(one))
    for (const one of used) known.add(one)
    // `type` on each: which of them are values is for the compiler to find out.
    imports.push(`import { ${used.join(', ')} } from '../../../src/${file}'`)
  }
  return `${imports.join('\n')}\n${text}`
}

describe('the @example of every doc comment', () => {
  it('compiles', async () => {
    const all = examples()
    expect(all.length).toBeGreaterThan(60)
    mkdirSync(folder, { recursive: true })
    const folderOf = ({ file }: Example) => {
      const chain = /^(?:core\/\w+\/([pc])\/|(?:core|node)\/([pc])-chain)/.exec(file)
      return chain === null ? '' : `${chain[1] ?? chain[2]}-chain`
    }
    for (const name of Object.keys(givenOf)) {
      const list = all.filter((example) => folderOf(example) === name)
      writeFileSync(new URL(`${name || 'x-chain'}.ts`, folder), await moduleOf(name, list))
    }
    const options = { extends: '../../../tsconfig.json', include: ['.'] }
    const compilerOptions = {
      isolatedDeclarations: false,
      declaration: false,
      verbatimModuleSyntax: false,
    }
    const config = new URL('tsconfig.json', folder)
    writeFileSync(config, JSON.stringify({ ...options, compilerOptions }))
    const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
    const errors = await promisify(execFile)(process.execPath, [
      tsc,
      '-p',
      fileURLToPath(config),
    ]).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(errors).toBe('')
  })
})
