import { describe, expect, it } from 'vitest'
import { hex } from '../../../src/core/base/encoding/hex.ts'
import { decodeTx } from '../../../src/core/chain/x/tx.ts'
import { classifyRejection } from '../../../src/node/index.ts'
import { type GeneratedCase, vectors } from '../../helpers/vectors.ts'
import { allRecorded } from '../recorded.ts'

type Event = {
  readonly name: string
  readonly event: string
  readonly expect?: string
  readonly bytes: string
  readonly error: string
  readonly rule: string
}

/** Two rules have the same message; the vectors use the code of the first. */
const SAME_WORDS: { readonly [rule: string]: string } = {
  INITIAL_STATE_OUTPUTS_NOT_SORTED: 'OUTPUTS_NOT_SORTED',
}

describe('classifyRejection', () => {
  it('classifies every rejection of a recorded sequence', () => {
    const { events } = vectors<{ readonly events: readonly Event[] }>('node-sequence.json')
    const refused = events.filter((event) => event.expect === 'refused')
    expect(refused.length).toBeGreaterThan(80)
    for (const { name, bytes, error, rule } of refused) {
      const readable = !rule.startsWith('CODEC_')
      const type = readable ? decodeTx(hex.decode(bytes)).unsignedTx.type : undefined
      const { code, message, remembered } = classifyRejection(error, type)
      expect(code, name).toBe(SAME_WORDS[rule] ?? rule)
      expect(message).toBe(error)
      expect(remembered, name).toBe(readable)
    }
  })

  it.each(['syntactic', 'semantic', 'tx-mutated'])(
    'classifies every rejection of the node’s own packages: %s',
    (file) => {
      const cases = vectors<readonly GeneratedCase[]>(`generated/${file}.json`)
      const refused = cases.filter((item) => !item.ok && item.err && item.code)
      expect(refused.length).toBeGreaterThan(20)
      const wrong = refused.filter((item) => {
        const { code } = classifyRejection(item.err!)
        // The message alone only says that something is missing.
        if (item.err === 'not found') return !item.code!.endsWith('_NOT_FOUND')
        return code !== (SAME_WORDS[item.code!] ?? item.code)
      })
      expect(wrong.map(({ err, code }) => [err, code, classifyRejection(err!).code])).toEqual([])
    },
  )

  it('recognizes every recorded rejection of issueTx', () => {
    const messages = allRecorded
      .filter(({ request, response }) => /issueTx/.test(request) && response.includes('"error"'))
      .map(({ response }) => JSON.parse(response).error.message as string)
    expect(new Set(messages).size).toBeGreaterThan(70)
    for (const message of messages)
      expect(classifyRejection(message).code, message).not.toBe('UNRECOGNIZED')
  })

  // From the node's source, or observed but not recorded.
  it.each([
    [
      'problem decoding transaction: missing 0x prefix to hex encoding',
      'ENC_MISSING_0X',
      'give-up',
    ],
    ['problem decoding transaction: invalid input checksum', 'ENC_BAD_CHECKSUM', 'retry-later'],
    [
      "couldn't unmarshal uint32: packer has insufficient length for input",
      'CODEC_SHORT_BUFFER',
      'give-up',
    ],
    ['byte array exceeds maximum length: 262145 > 262144', 'CODEC_TOO_BIG', 'rebuild'],
    ['insufficient funds', 'INSUFFICIENT_FUNDS', 'rebuild'],
    ['overflow', 'AMOUNT_OVERFLOW', 'give-up'],
    ['payload too large', 'PAYLOAD_TOO_LARGE', 'give-up'],
    ['failed to verify transfer: failed to get utxo abc: not found', 'UTXO_NOT_FOUND', 'rebuild'],
    ['failed to verify transfer: not found', 'ASSET_NOT_FOUND', 'retry-later'],
    ['failed to verify transfer: not an asset', 'NOT_AN_ASSET', 'give-up'],
    ['failed to verify transfer: wrong input type', 'WRONG_INPUT_TYPE', 'give-up'],
    ['failed to verify transfer: incompatible feature extension', 'INCOMPATIBLE_FX', 'rebuild'],
    ['failed to verify transfer: output is time locked', 'TIMELOCKED', 'retry-later'],
    [
      'failed to verify transfer: wrong signature: expected signature from a but got from b',
      'WRONG_SIGNER',
      'give-up',
    ],
    ['failed to get fx: unknown feature extension', 'UNKNOWN_FX_INDEX', 'give-up'],
    ['failed to get subnet of "a": "a" is not a blockchain', 'UNKNOWN_CHAIN', 'retry-later'],
    ['wrong number of UTXOs for the operation', 'WRONG_NUMBER_OF_UTXOS', 'give-up'],
    ['tx too large: a size (65537) > max size (65536)', 'TX_TOO_LARGE', 'rebuild'],
    ['tx conflicts with other tx: a', 'MEMPOOL_CONFLICT', 'rebuild'],
    ['mempool is full: a size (65504) > available space (32768)', 'MEMPOOL_FULL', 'retry-later'],
    ['read tcp 127.0.0.1:9650->127.0.0.1:40000: i/o timeout', 'REQUEST_INCOMPLETE', 'retry-later'],
    ['something new', 'UNRECOGNIZED', 'retry-later'],
  ])('%s is %s and means %s', (message, code, kind) => {
    expect(classifyRejection(message)).toMatchObject({ code, class: kind, message })
  })

  it('reports which rejections a node remembers', () => {
    expect(classifyRejection('mempool is full: a size (1) > available space (0)').remembered).toBe(
      false,
    )
    expect(classifyRejection('tx too large: a size (65537) > max size (65536)').remembered).toBe(
      true,
    )
    expect(classifyRejection('something new').remembered).toBe(false)
  })

  it('distinguishes a missing imported UTXO from a missing UTXO by the transaction type', () => {
    expect(classifyRejection('not found', 'ImportTx').code).toBe('ATOMIC_UTXO_NOT_FOUND')
    expect(classifyRejection('not found', 'OperationTx').code).toBe('UTXO_NOT_FOUND')
  })
})
