import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { formatAddress } from '../../../src/core/base/encoding/address.ts'
import { checkedHex } from '../../../src/core/base/encoding/checked-hex.ts'
import { formatID } from '../../../src/core/base/encoding/ids.ts'
import { AvmError } from '../../../src/core/base/errors.ts'
import { customNetwork, networks } from '../../../src/core/chain/networks.ts'
import { encodeUTXO } from '../../../src/core/chain/x/utxo.ts'
import type { SignError } from '../../../src/core/sign/errors.ts'
import { createRequest, finishRequest, requestID } from '../../../src/core/sign/request/request.ts'
import { formatRequest, parseRequest } from '../../../src/core/sign/request/request-file.ts'
import { signRequest } from '../../../src/core/sign/request/request-sign.ts'
import type { SigningRequest } from '../../../src/core/sign/request/signing-request.ts'
import { codeOf } from '../../helpers/vectors.ts'
import { anyDraft } from './arbitraries.ts'
import {
  coins,
  created,
  fast,
  keysOf,
  owners,
  paying,
  people,
  proven,
  transfer,
  trusting,
} from './fixtures.ts'
import { schemaFaults } from './schema.ts'

const accept = trusting
const draft = transfer(coins(owners(2, 0, 1, 2), owners(1, 3)))
const path = { address: people[3]!.address, path: "m/44'/9000'/0'/1/7" }
const request = signRequest(proven(draft, { signers: 'all', paths: [path] }), keysOf(0, 3), {
  accept,
})

type Signature = { address: string; signature: string }

type File = {
  format: unknown
  version: unknown
  id: string
  network: { name: string; networkID: number; chainID: string; assetID: string }
  utxos: string[]
  change: { assetID: string; amount: string }[]
  paths: { address: string; path: string }[]
  proofs: string[]
  signerSets: { unsignedTx: string; signatures: Signature[] }[]
  txID?: string
}

/** The text of a request after its file was changed. */
function changed(change: (file: File) => void, of: SigningRequest = request): string {
  const file = JSON.parse(formatRequest(of)) as File
  change(file)
  return JSON.stringify(file)
}

function errorOf(text: string): SignError {
  try {
    parseRequest(text)
  } catch (error) {
    expect(error).toBeInstanceOf(AvmError)
    return error as SignError
  }
  return expect.unreachable('should throw')
}

/** As an attacker who changes a request and corrects its ID. */
function withRightID(text: string, of: SigningRequest): string {
  return JSON.stringify({ ...(JSON.parse(text) as File), id: formatID(requestID(of)) })
}

describe('parseRequest', () => {
  test.prop([anyDraft, fc.subarray([0, 1, 2, 3, 4, 5])])(
    'parses what formatRequest writes, in accordance with the schema',
    (draft, who) => {
      const request = signRequest(proven(draft), keysOf(...who), { accept })
      const text = formatRequest(request)
      expect(schemaFaults(JSON.parse(text))).toEqual([])
      const read = parseRequest(text, { backend: fast })
      expect(read).toEqual(request)
      expect(formatRequest(read)).toBe(text)
    },
  )

  it('parses paths, change and signer sets in canonical order', () => {
    expect(parseRequest(formatRequest(request))).toEqual(request)
    const shuffled = changed((file) => {
      file.signerSets.reverse()
      for (const { signatures } of file.signerSets) signatures.reverse()
    })
    expect(parseRequest(shuffled)).toEqual(request)
  })

  it('parses change of the largest amounts, of 20 digits', () => {
    const { assetID } = networks.local
    const output = paying(2n ** 64n - 1n, owners(1, 0))
    const largest = proven(transfer(created([{ assetID, output }]).utxos))
    expect(parseRequest(formatRequest(largest))).toEqual(largest)
    const [{ amount }] = JSON.parse(formatRequest(largest)).change
    expect(amount).toBe(String(2n ** 64n - 1n - 1_000_000_000n - networks.local.txFee))
  })

  it('requires the transaction ID if and only if the transaction is complete', () => {
    expect(JSON.parse(formatRequest(request))).not.toHaveProperty('txID')
    const whole = signRequest(request, keysOf(1), { accept })
    const file = JSON.parse(formatRequest(whole)) as File
    expect(file.txID).toBe(formatID(finishRequest(whole).txID))
    expect(schemaFaults(file)).toEqual([])
    const without = changed((f) => {
      delete f.txID
    }, whole)
    const wrong = changed((f) => {
      f.txID = f.id
    }, whole)
    const early = changed((f) => {
      f.txID = f.id
    })
    for (const text of [without, wrong, early]) expect(errorOf(text).code).toBe('REQUEST_TX_ID')
  })

  it('rejects other versions, other formats and invalid JSON', () => {
    expect(
      errorOf(
        changed((f) => {
          f.version = 3
        }),
      ).code,
    ).toBe('REQUEST_VERSION')
    expect(
      errorOf(
        changed((f) => {
          f.version = '1'
        }),
      ).code,
    ).toBe('REQUEST_VERSION')
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{}',
      changed((f) => {
        f.format = 'x'
      }),
    ])
      expect(errorOf(text).code).toBe('REQUEST_MALFORMED')
  })

  it('takes the network from its own table or the caller, never from the file', () => {
    const foreign = changed((f) => {
      f.network.networkID = 5
    })
    expect(errorOf(foreign).code).toBe('REQUEST_NETWORK')
    const chain = changed((f) => {
      f.network.chainID = f.network.assetID
    })
    expect(errorOf(chain).code).toBe('REQUEST_NETWORK')
    const asset = changed((f) => {
      f.network.assetID = f.network.chainID
    })
    expect(errorOf(asset).code).toBe('REQUEST_NETWORK')
    const text = formatRequest(request)
    expect(codeOf(() => parseRequest(text, { network: networks.fuji }))).toBe('REQUEST_NETWORK')
    const twin = { ...networks.local, networkID: 1338 }
    expect(codeOf(() => parseRequest(text, { network: twin }))).toBe('REQUEST_NETWORK')
    expect(parseRequest(text, { network: networks.local })).toEqual(request)

    const { chainID, assetID } = networks.local
    const custom = customNetwork({ networkID: 1337, chainID, assetID })
    const there = createRequest(transfer(coins(owners(1, 0)), {}, custom))
    expect(errorOf(formatRequest(there)).code).toBe('REQUEST_NETWORK')
    expect(parseRequest(formatRequest(there), { network: custom })).toEqual(there)
    // The stated network is not that of the transaction.
    const mixed = { ...draft, context: networks.fuji }
    expect(codeOf(() => createRequest(mixed))).toBe('WRONG_NETWORK_ID')
    const forged = formatRequest({ ...createRequest(draft), context: networks.fuji })
    expect(codeOf(() => parseRequest(forged))).toBe('WRONG_NETWORK_ID')
  })

  it('rejects more signatures and HD accounts than a signer can check in a few seconds', () => {
    const signed = signRequest(request, keysOf(0), { accept })
    const many = changed((f) => {
      const [signature] = f.signerSets.flatMap(({ signatures }) => signatures)
      f.signerSets[0]!.signatures = Array<Signature>(2_001).fill(signature!)
    }, signed)
    expect(errorOf(many).code).toBe('REQUEST_SIGNER_SETS')
    const withAccounts = (count: number) => {
      const paths = Array.from({ length: count }, (_, i) => ({
        address: new Uint8Array(20).fill(i % 256, i >> 8),
        path: `m/44'/9000'/${i}'/0/0`,
      }))
      return codeOf(() => formatRequest({ ...request, paths }))
    }
    expect(withAccounts(256)).toBe(undefined)
    expect(withAccounts(257)).toBe('REQUEST_MALFORMED')
  })

  it('rejects a changed amount, asset or owner, even with corrected checksums', () => {
    const [first, second] = request.utxos as [(typeof request.utxos)[0], (typeof request.utxos)[0]]
    const forged = [
      { utxo: { ...first, output: paying(7n, owners(2, 0, 1, 2)) }, code: 'UTXO_MISMATCH' },
      { utxo: { ...first, assetID: new Uint8Array(32).fill(1) }, code: 'UTXO_MISMATCH' },
      { utxo: { ...first, outputIndex: 9 }, code: 'UTXO_MISMATCH' },
      {
        utxo: { ...first, output: paying(10_000_000_000n, owners(2, 4, 5)) },
        code: 'WRONG_SIGNER',
      },
      {
        utxo: { ...first, output: paying(10_000_000_000n, owners(2, 3, 4, 5)) },
        code: 'WRONG_SIGNER',
      },
      {
        utxo: { ...first, output: paying(10_000_000_000n, owners(1, 0, 1, 2)) },
        code: 'TOO_MANY_SIGNERS',
      },
    ]
    for (const { utxo, code } of forged) {
      const text = changed((f) => {
        f.utxos[0] = checkedHex.encode(encodeUTXO(utxo))
      })
      const right = withRightID(text, { ...request, utxos: [utxo, second] })
      expect(errorOf(right).code).toBe(code)
    }
    const few = changed((f) => {
      f.utxos.pop()
    })
    expect(errorOf(withRightID(few, { ...request, utxos: [first] })).code).toBe('UTXO_UNKNOWN')
  })

  it('rejects a replaced owner by the request ID if there are no signatures', () => {
    const fresh = createRequest(transfer(coins(owners(1, 0))))
    const [utxo] = fresh.utxos
    const theirs = { ...utxo!, output: { ...utxo!.output, ...owners(1, 4) } }
    const text = changed((f) => {
      f.utxos[0] = checkedHex.encode(encodeUTXO(theirs))
    }, fresh)
    expect(errorOf(text).code).toBe('REQUEST_ID')
  })

  it('rejects signer sets that differ in more than signers, are duplicate, or too many', () => {
    const other = proven({
      ...draft,
      unsignedTx: { ...draft.unsignedTx, memo: new Uint8Array([1]) },
    })
    const foreign = JSON.parse(formatRequest(other)) as File
    expect(
      errorOf(
        changed((f) => {
          f.signerSets.push(foreign.signerSets[0]!)
        }),
      ).code,
    ).toBe('REQUEST_SIGNER_SETS')
    expect(
      errorOf(
        changed((f) => {
          f.signerSets.push(f.signerSets[0]!)
        }),
      ).code,
    ).toBe('REQUEST_SIGNER_SETS')
    expect(
      errorOf(
        changed((f) => {
          f.signerSets = []
        }),
      ).code,
    ).toBe('REQUEST_SIGNER_SETS')
    const many = changed((f) => {
      f.signerSets = Array(65).fill(f.signerSets[0])
    })
    expect(errorOf(many).code).toBe('REQUEST_SIGNER_SETS')
  })

  it('rejects signatures of another transaction, of other keys, and duplicates', () => {
    const signed = (f: File) => f.signerSets.filter(({ signatures }) => signatures.length === 2)
    const moved = changed((f) => {
      const [a, b] = signed(f)
      b!.signatures = a!.signatures
    })
    expect(errorOf(moved)).toMatchObject({ code: 'WRONG_SIGNER', credential: 0, slot: 0 })
    const swapped = changed((f) => {
      const [{ signatures }] = signed(f) as [File['signerSets'][0]]
      const [a, b] = signatures as [Signature, Signature]
      ;[a.signature, b.signature] = [b.signature, a.signature]
    })
    expect(errorOf(swapped).code).toBe('WRONG_SIGNER')
    const twice = changed((f) => {
      signed(f)[0]!.signatures.push(signed(f)[0]!.signatures[0]!)
    })
    expect(errorOf(twice).code).toBe('SIGNATURE_DUPLICATE')
    const stranger = changed((f) => {
      const { address } = people[5]!
      signed(f)[0]!.signatures[0]!.address = formatAddress({ chain: 'X', hrp: 'local', address })
    })
    expect(errorOf(stranger).code).toBe('WRONG_SIGNER')
  })

  it('reports the invalid member', () => {
    const cases: [(f: File) => void, string][] = [
      [
        (f) => {
          f.utxos[1] = f.utxos[1]!.slice(0, -1)
        },
        'utxos[1]',
      ],
      [
        (f) => {
          f.utxos[0] = f.utxos[0]!.replace(/.$/, (c) => (c === '0' ? '1' : '0'))
        },
        'utxos[0]',
      ],
      [
        (f) => {
          f.signerSets[2]!.unsignedTx = '0x7852b855'
        },
        'signerSets[2].unsignedTx',
      ],
      [
        (f) => {
          f.change[0]!.amount = '1e9'
        },
        'change[0].amount',
      ],
      [
        (f) => {
          f.change[0]!.amount = '18446744073709551616'
        },
        'change[0].amount',
      ],
      [
        (f) => {
          f.change[0]!.amount = '5'
        },
        'change',
      ],
      [
        (f) => {
          f.change[0]!.assetID = 'x'
        },
        'change[0].assetID',
      ],
      [
        (f) => {
          f.paths[0]!.path = "m/44'/61'/0'/0/0"
        },
        'paths[0].path',
      ],
      [
        (f) => {
          f.paths[0]!.address = f.paths[0]!.address.replace('X-', 'P-')
        },
        'paths[0].address',
      ],
      [
        (f) => {
          f.paths.push(f.paths[0]!)
        },
        'paths',
      ],
      [
        (f) => {
          f.paths[0]!.address = formatAddress({
            chain: 'X',
            hrp: 'local',
            address: people[4]!.address,
          })
        },
        'paths',
      ],
      [
        (f) => {
          Object.assign(f, { utxos: {} })
        },
        'utxos',
      ],
      [
        (f) => {
          Object.assign(f.signerSets[0]!, { signatures: [5] })
        },
        'signerSets[0].signatures[0]',
      ],
    ]
    for (const [change, place] of cases)
      expect(errorOf(changed(change))).toMatchObject({ code: 'REQUEST_MALFORMED', path: place })
    const unknown: [(file: File) => void, string][] = [
      [(f) => Object.assign(f, { extra: 1 }), ''],
      [(f) => Object.assign(f, { utxo: [] }), 'utxo'],
      [(f) => Object.assign(f.network, { txFee: '1' }), 'network'],
      [(f) => Object.assign(f.change[0]!, { amounts: '1' }), 'change[0].amounts'],
      [(f) => Object.assign(f.paths[0]!, { note: '1' }), 'paths[0]'],
      [(f) => Object.assign(f.signerSets[0]!, { fee: 1 }), 'signerSets[0]'],
    ]
    for (const [change, place] of unknown)
      expect(errorOf(changed(change))).toMatchObject({ code: 'UNKNOWN_OPTION', path: place })
  })

  it('quotes an unknown member only if it resembles a known one', () => {
    const messageWith = (name: string) => errorOf(changed((f) => Object.assign(f, { [name]: 1 })))
    expect(messageWith('utxo').message).toContain('utxo; did you mean utxos?')
    // A file with secrets may have been opened by mistake.
    const secret = 'PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'
    expect(messageWith(secret).message).not.toContain(secret)
    expect(messageWith(secret).path).toBe('')
  })

  test.prop([fc.nat(), fc.constantFrom('0', '1', 'a', 'X', '"', '}', ' ', '')])(
    'rejects any other changed character or returns the same request',
    (at, letter) => {
      const text = formatRequest(request)
      const i = at % text.length
      const other = text.slice(0, i) + letter + text.slice(i + 1)
      try {
        // A path is a hint for signers. Space between members and the network's name mean nothing.
        const { paths, ...rest } = parseRequest(other, { backend: fast })
        expect({ ...rest, paths: request.paths }).toEqual(request)
        expect(paths).toHaveLength(1)
      } catch (error) {
        expect(error).toBeInstanceOf(AvmError)
      }
    },
  )
})
