/** The place of one signature in a transaction, and its signer. */
export type SlotPlace = {
  /** Position among the credentials: inputs first, then imported inputs or operations. */
  readonly credential: number
  /** Position among the credential's signatures. */
  readonly slot: number
  /** 20 bytes. */
  readonly address: Uint8Array
}

/** Codes of {@link SignatureFault}. */
export type SignatureFaultCode =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_DUPLICATE'
  | 'SIG_INVALID'
  | 'SIG_HIGH_S'
  | 'WRONG_SIGNER'
  | 'WRONG_CREDENTIAL_TYPE'
  | 'CREDENTIAL_SIGNERS_MISMATCH'

/** A fault of one signature or credential of a signed transaction. */
export type SignatureFault = {
  readonly code: SignatureFaultCode
  /** Position among the credentials, as in {@link SlotPlace}. */
  readonly credential: number
  /** Position among the credential's signatures. Absent if the fault concerns the whole credential. */
  readonly slot?: number | undefined
  /** The expected signer. */
  readonly address?: Uint8Array | undefined
  /** The actual signer, if it is another one. */
  readonly signer?: Uint8Array | undefined
}
