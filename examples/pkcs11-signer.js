// @ts-check
// A wallet whose keys are in a hardware security module, used through PKCS#11. The module here is SoftHSM2 (Debian:
// apt-get install softhsm2) with a token for this run only; with a real one, the library, the slot and the PIN change.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress, formatAmount, parseAmount } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { pkcs11Signer } from 'avmkit/pkcs11'
import { createWallet } from 'avmkit/wallet'
import pkcs11js from 'pkcs11js'

const library = [
  process.env.SOFTHSM2_MODULE ?? '',
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].find((path) => path !== '' && existsSync(path))
if (library === undefined) {
  console.error('SoftHSM2 is not installed: install it, or set SOFTHSM2_MODULE to its library')
  process.exit(1)
}

const PIN = '1234'
const to = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'
/** secp256k1, 1.3.132.0.10, as DER. */
const CURVE = Buffer.from('06052b8104000a', 'hex')

const folder = await mkdtemp(join(tmpdir(), 'softhsm-'))
await writeFile(join(folder, 'softhsm2.conf'), `directories.tokendir = ${folder}\n`)
process.env.SOFTHSM2_CONF = join(folder, 'softhsm2.conf')

// 1. Open the module and create two non-extractable keys.
const module = new pkcs11js.PKCS11()
module.load(library)
module.C_Initialize()
const session = openToken()
const keys = [makeKey('deposits'), makeKey('withdrawals')]

// 2. A signer. PKCS#11 returns r and s without a recovery ID, and s may be high: the signer checks and completes them.
const signer = await pkcs11Signer({ module, session, keys })

// 3. A wallet with a signer instead of keys, which spends from both.
const node = await createDevNode()
const { url } = await node.listen()
for (const address of signer.addresses)
  node.fund(formatAddress({ chain: 'X', hrp: 'local', address }), parseAmount('3'))
const wallet = createWallet({ client: createNodeClient({ url }), signers: [signer] })
await wallet.transfer({ to, amount: parseAmount('5') })
const [balance] = await wallet.balances()
console.log(`keys       ${keys.length}, non-extractable`)
console.log(`addresses  ${signer.addresses.length}`)
console.log(`left       ${formatAmount(balance?.spendable ?? 0n)} AVAX`)

await node.close()
module.C_Logout(session)
module.C_CloseSession(session)
module.C_Finalize()
await rm(folder, { recursive: true })

function openToken() {
  const [slot] = module.C_GetSlotList(true)
  module.C_InitToken(slot, PIN, 'avmkit')
  const [ready] = module.C_GetSlotList(true)
  const flags = pkcs11js.CKF_RW_SESSION | pkcs11js.CKF_SERIAL_SESSION
  const opened = module.C_OpenSession(ready, flags)
  module.C_Login(opened, pkcs11js.CKU_SO, PIN)
  module.C_InitPIN(opened, PIN)
  module.C_Logout(opened)
  module.C_Login(opened, pkcs11js.CKU_USER, PIN)
  return opened
}

/** @param {string} label */
function makeKey(label) {
  return module.C_GenerateKeyPair(
    session,
    { mechanism: pkcs11js.CKM_EC_KEY_PAIR_GEN },
    [
      { type: pkcs11js.CKA_TOKEN, value: true },
      { type: pkcs11js.CKA_EC_PARAMS, value: CURVE },
      { type: pkcs11js.CKA_LABEL, value: label },
    ],
    [
      { type: pkcs11js.CKA_TOKEN, value: true },
      { type: pkcs11js.CKA_SIGN, value: true },
      { type: pkcs11js.CKA_SENSITIVE, value: true },
      { type: pkcs11js.CKA_EXTRACTABLE, value: false },
      { type: pkcs11js.CKA_LABEL, value: label },
    ],
  )
}
