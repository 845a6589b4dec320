import { randomBytes, scryptSync } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { addressOf } from 'avmkit'
import { HDAccount } from 'avmkit/hd'
import { decryptKeyFile, encryptKeyFile } from 'avmkit/keyfile'
import { assertSame, row, time } from './lib/harness.js'

/** Rows `keys …`: accounts derived from a seed, and encrypted key files. */
export default async function* keys() {
  yield derivation()
  yield* keyFiles()
}

/** Addresses of an account without private keys, as a wallet looks for used ones. */
function derivation() {
  const { watch } = new HDAccount(new Uint8Array(randomBytes(64)))
  const chain = HDKey.fromExtendedKey(watch.extendedPublicKey).deriveChild(0)
  const ours = (index) => watch.address({ change: 0, index })
  const rival = (index) => addressOf(chain.deriveChild(index).publicKey)
  for (let index = 0; index < 20; index++) assertSame('an address', ours(index), rival(index))
  let at = 0
  const spent = time({ ours: () => ours(at++), rival: () => rival(at++) })
  return row({
    name: 'keys derive an address of an account',
    unit: 'µs',
    ...spent,
    rivalName: '@scure/bip32 2.4.0 and the hash of the key',
    atMost: 1.2,
  })
}

/** Almost all of the time derives the key from the password, which is meant to be slow. */
async function* keyFiles() {
  const text = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
  const password = 'correct horse battery staple'
  const file = await encryptKeyFile(text, password)
  const { n: N, r, p } = JSON.parse(file).kdf
  const contestants = {
    encrypt: () => encryptKeyFile(text, password),
    decrypt: async () => {
      if ((await decryptKeyFile(file, password)) !== text) throw new Error('key files differ')
    },
    scrypt: () => scryptSync(password, randomBytes(32), 64, { N, r, p, maxmem: 256 * N * r }),
  }
  const best = {}
  for (let round = 0; round < 5; round++)
    for (const [name, run] of Object.entries(contestants)) {
      const start = performance.now()
      await run()
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, performance.now() - start)
    }
  for (const verb of ['encrypt', 'decrypt'])
    yield row({
      name: `keys ${verb} a key file, scrypt with n = ${N}`,
      unit: 'ms',
      ours: best[verb],
      rival: best.scrypt,
      rivalName: 'scrypt of node:crypto alone',
      atMost: 1.2,
    })
}
