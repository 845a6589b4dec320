import { hex } from '../../core/base/encoding/hex.ts'
import { isBytes } from '../../core/base/require.ts'
import { KeyServiceError } from './errors.ts'

/** DER of a SubjectPublicKeyInfo with an uncompressed point of secp256k1, without the point. */
const SPKI_HEADER = '3056301006072a8648ce3d020106052b8104000a034200'
const SPKI_HEADER_SIZE = SPKI_HEADER.length / 2

/** DER of an OCTET STRING of 65 bytes, as `CKA_EC_POINT` has it. */
const OCTET_STRING = '0441'

/**
 * The compressed public key in a SubjectPublicKeyInfo.
 *
 * @throws KeyServiceError `KEY_SERVICE_KEY` for keys of other curves
 */
export function keyFromSPKI(der: unknown): Uint8Array {
  if (isBytes(der) && hex.encode(der.subarray(0, SPKI_HEADER_SIZE)) === SPKI_HEADER)
    return compressed(der.subarray(SPKI_HEADER_SIZE))
  throw otherKey()
}

/**
 * The compressed public key in the value of `CKA_EC_POINT`: an OCTET STRING, or in some modules the point alone.
 *
 * @throws KeyServiceError `KEY_SERVICE_KEY`
 */
export function keyFromPoint(value: unknown): Uint8Array {
  if (!isBytes(value)) throw otherKey()
  const isWrapped = value.length === 67 && hex.encode(value.subarray(0, 2)) === OCTET_STRING
  return compressed(isWrapped ? value.subarray(2) : value)
}

/** The compressed form of 04, x and y. */
function compressed(point: Uint8Array): Uint8Array {
  if (point.length !== 65 || point[0] !== 4) throw otherKey()
  return Uint8Array.of(2 | (point[64]! & 1), ...point.subarray(1, 33))
}

function otherKey(): KeyServiceError {
  return new KeyServiceError('KEY_SERVICE_KEY', 'the key is not a public key of secp256k1', {
    hint: 'create a key with ECC_SECG_P256K1 (AWS), EC_SIGN_SECP256K1_SHA256 (Google Cloud) or 1.3.132.0.10 (PKCS#11)',
  })
}
