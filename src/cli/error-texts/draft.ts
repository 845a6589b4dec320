import type { FundsErrorCode } from '../../core/coins/errors.ts'
import type { BuildErrorCode } from '../../core/draft/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `FundsError`. */
export const fundsErrors: ErrorTexts<FundsErrorCode> = {
  BUILDER_INSUFFICIENT_FUNDS: {
    meaning: 'The UTXOs that can be spent do not cover the payment and the fee.',
    cause:
      'There is less than needed, or the rest is locked, reserved by pending payments, shared with other signers or owned by others; `assets` has the amounts.',
    fix: 'Add funds, wait for the unlock, or finish pending payments with `resume`.',
  },
  FUNDS_DO_NOT_FIT: {
    meaning: 'There is enough, but in too many UTXOs for one transaction.',
    cause: 'The funds consist of many small UTXOs.',
    fix: 'Combine them first: `wallet.consolidate` or `avmkit consolidate`. Or pay a smaller amount.',
  },
  UTXO_NOT_FOUND: {
    meaning: 'A UTXO that the call names does not exist among the given ones.',
    cause: 'It was spent, or its name is mistyped.',
    fix: 'List the UTXOs again.',
  },
  UTXO_NOT_SPENDABLE: {
    meaning: 'A UTXO that the call names cannot be spent now.',
    cause: 'It is locked, needs other signers, has other owners, or is of another type.',
    fix: 'The message says why; choose another UTXO.',
  },
  UTXO_RESERVED: {
    meaning: 'A UTXO that the call names is reserved for another draft.',
    cause: 'A payment that spends it was drafted and is not finished yet.',
    fix: 'Finish or cancel that payment, or choose another UTXO.',
  },
}

/** Texts on the codes of `BuildError`. */
export const buildErrors: ErrorTexts<BuildErrorCode> = {
  THRESHOLD_MISSING: {
    meaning: 'An output has several owners, and the number of required signatures is not given.',
    cause: 'A default of 1 would let each owner take everything alone.',
    fix: 'Set `threshold`, on the command line 2:ADDRESS,ADDRESS.',
  },
  UNKNOWN_CHAIN: {
    meaning: 'The source or destination chain is not known.',
    cause: 'The name is neither an alias of the context nor a chain ID.',
    fix: 'Use X, P, C or a chain ID of the network.',
  },
  FEE_ABOVE_MAX: {
    meaning: 'The fee exceeds the limit that the caller set.',
    cause: 'The network is busy, or the node reports a false price.',
    fix: 'Wait, check the node, or raise `maxFee` knowingly.',
  },
  STUCK_EXPORT: {
    meaning: 'The destination chain could never import what would be exported.',
    cause: 'The C-Chain imports only AVAX, and amounts below its import fee stay stuck.',
    fix: 'Export AVAX, or another asset to the P-Chain.',
  },
  TX_TOO_LARGE: {
    meaning: 'The transaction exceeds the size or gas limit of the chain.',
    cause: 'It has too many inputs, outputs or owners.',
    fix: 'Split it; the `plan…` builders and batches of the wallet do this.',
  },
  UNINTENDED_BURN: {
    meaning: 'Inputs exceed outputs and fee: the difference would be destroyed.',
    cause: 'A change output was left out or removed.',
    fix: 'Let the builder make the change. Nothing was signed.',
  },
  NO_USABLE_UTXO: {
    meaning: 'No UTXO can be used for the operation.',
    cause:
      'You own no right to mint this asset, no such NFT or property, or it is locked or shared.',
    fix: 'Check with `avmkit utxos --asset ASSET`.',
  },
  AMBIGUOUS_NFT: {
    meaning: 'Several different NFTs fit the call.',
    cause: 'You own NFTs of the same asset and group with different payloads.',
    fix: 'Name the UTXO, or the group.',
  },
}
