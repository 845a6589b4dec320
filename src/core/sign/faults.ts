/** A signature and its signer. It is valid for every slot of that address in one transaction. */
export type AddressSignature = {
  /** 20 bytes: an address, or the account that a C-Chain export debits. */
  readonly address: Uint8Array
  /** 65 bytes `r‖s‖v`. */
  readonly signature: Uint8Array
}

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
