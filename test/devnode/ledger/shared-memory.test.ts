import { expect, it } from 'vitest'
import { CodecError } from '../../../src/core/base/errors.ts'
import { decodeShared } from '../../../src/devnode/ledger/shared-memory.ts'

it('a UTXO of the shared memory that cannot be decoded is refused with the text of the chain', () => {
  const failing = (error: Error) => () =>
    decodeShared(
      () => {
        throw error
      },
      new Uint8Array(),
      'importedInputs[0]',
    )
  const codec = new CodecError('CODEC_TRAILING_BYTES', 'need 2 bytes', 0)
  expect(failing(codec)).toThrow(
    expect.objectContaining({
      name: 'VerifyError',
      code: 'CODEC_TRAILING_BYTES',
      path: 'importedInputs[0]',
      message: expect.stringContaining('failed to unmarshal UTXO: '),
    }),
  )
  // A defect of this library is no verdict.
  const defect = new TypeError('x is undefined')
  expect(failing(defect)).toThrow(defect)
})
