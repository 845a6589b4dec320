/** One signature of a transaction: which credential, which slot in it, and who signs there. */
export type SlotPlace = {
  /** Position among the credentials: inputs first, then imported inputs or operations. */
  readonly credential: number
  /** Position among the credential's signatures. */
  readonly slot: number
  /** 20 bytes. */
  readonly address: Uint8Array
}

/** What can be wrong with one signature or credential of a signed transaction. */
export type SignatureFaultCode =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_DUPLICATE'
  | 'SIG_INVALID'
  | 'SIG_HIGH_S'
  | 'WRONG_SIGNER'
  | 'WRONG_CREDENTIAL_TYPE'
  | 'CREDENTIAL_SIGNERS_MISMATCH'

/** One thing that is wrong with the signatures of a transaction. */
export type SignatureFault = {
  readonly code: SignatureFaultCode
  readonly credential: number
  /** Left out where the fault is the credential's as a whole. */
  readonly slot?: number
  /** Who should have signed. */
  readonly address?: Uint8Array
  /** Who signed instead. */
  readonly signer?: Uint8Array
}
