import { bls12_381 } from '@noble/curves/bls12-381.js'
import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { createDevNode } from '../../../src/devnode/index.ts'
import { LOCAL_VALIDATORS } from '../../../src/devnode/p-chain/local-validators.ts'
import { createNodeClient } from '../../../src/node/index.ts'

/** Domain of proofs of possession: `CiphersuiteProofOfPossession` in utils/crypto/bls of avalanchego. */
const DOMAIN = 'BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'

const scheme = bls12_381.longSignatures

/** Whether the holder of a BLS key has signed the key with it. */
function isProven(signer: { readonly publicKey: string; readonly proofOfPossession: string }) {
  const key = hex.decode(signer.publicKey)
  const signature = scheme.Signature.fromBytes(hex.decode(signer.proofOfPossession))
  return scheme.verify(signature, scheme.hash(key, DOMAIN), key)
}

describe('the proof of possession', () => {
  it('of the node that info.getNodeID names is that of its key', async () => {
    const node = await createDevNode()
    const client = createNodeClient({ url: 'http://node.test', fetch: node.fetch })
    const { nodePOP } = await client.info.getNodeID()
    await node.close()
    expect(isProven(nodePOP)).toBe(true)
    const other = { ...nodePOP, publicKey: LOCAL_VALIDATORS[0]!.signer.publicKey }
    expect(isProven(other)).toBe(false)
  })

  it.each(LOCAL_VALIDATORS)('of validator $nodeID is that of its key', ({ signer }) => {
    expect(isProven(signer)).toBe(true)
  })
})
