// @ts-check
// A wallet whose key never leaves a key service: signatures come as DER, without a recovery ID, and with high s.
// The service here is a local stub that answers like AWS KMS (`GetPublicKey`, `Sign`); with the real one, the
// AWS SDK makes the same two calls and adds credentials.
import { createServer } from 'node:http'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { formatAddress, formatAmount, parseAmount } from 'avmkit'
import { createNodeClient } from 'avmkit/client'
import { createDevNode } from 'avmkit/devnode'
import { kmsSigner } from 'avmkit/kms'
import { createWallet } from 'avmkit/wallet'

const to = 'X-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2'
const kms = await startKMS()

// 1. A signer for a key in the service. With the real one, `client` is `new KMS({ region })` of @aws-sdk/client-kms.
// Signatures are completed and checked: s is converted to its lower value, and the recovery ID is computed.
const signer = await kmsSigner({
  client: {
    getPublicKey: async (/** @type {{ KeyId: string }} */ input) =>
      bytesIn(await callKMS('GetPublicKey', input), 'PublicKey'),
    sign: async ({ Message, ...input }) => {
      const message = Buffer.from(Message).toString('base64')
      return bytesIn(await callKMS('Sign', { ...input, Message: message }), 'Signature')
    },
  },
  keys: ['alias/treasury'],
})
const text = formatAddress({ chain: 'X', hrp: 'local', address: signer.addresses[0] })

// 2. A wallet with a signer instead of keys.
const node = await createDevNode()
const { url } = await node.listen()
node.fund(text, parseAmount('10'))
const wallet = createWallet({ client: createNodeClient({ url }), signers: [signer] })
await wallet.transfer({ to, amount: parseAmount('2.5') })
const [balance] = await wallet.balances()
console.log(`calls     ${kms.calls.join(', ')}`)
console.log(`left      ${formatAmount(balance?.spendable ?? 0n)} AVAX`)
await node.close()
kms.server.close()

/**
 * The bytes of a member that is base64 in JSON.
 *
 * @param {Record<string, string>} reply
 * @param {string} name
 */
function bytesIn(reply, name) {
  return { [name]: Buffer.from(reply[name], 'base64') }
}

/**
 * @param {'GetPublicKey' | 'Sign'} action
 * @param {object} parameters
 */
async function callKMS(action, parameters) {
  const response = await fetch(kms.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `TrentService.${action}`,
    },
    body: JSON.stringify(parameters),
  })
  if (!response.ok) throw new Error(`${action} failed with status ${response.status}`)
  return response.json()
}

/** The stub has one key and returns signatures with a high s, as KMS does in half of all cases. */
async function startKMS() {
  const privateKey = secp256k1.utils.randomSecretKey()
  const header = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex')
  const spki = Buffer.concat([header, secp256k1.getPublicKey(privateKey, false)])
  /** @type {string[]} */
  const calls = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { Message } = JSON.parse(body)
    const action = String(request.headers['x-amz-target']).replace('TrentService.', '')
    calls.push(action)
    const answer =
      action === 'Sign'
        ? { Signature: highS(Buffer.from(Message, 'base64')).toString('base64') }
        : { PublicKey: spki.toString('base64') }
    response.end(JSON.stringify(answer))
  })
  /** @param {Uint8Array} digest */
  function highS(digest) {
    const bytes = secp256k1.sign(digest, privateKey, { prehash: false })
    const { r, s } = secp256k1.Signature.fromBytes(bytes)
    const { n } = secp256k1.Point.CURVE()
    return Buffer.from(new secp256k1.Signature(r, n - s).toBytes('der'))
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { server, calls, url: `http://127.0.0.1:${port}/` }
}
