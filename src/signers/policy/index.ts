export type {
  PolicyCode,
  PolicyFinding,
  PolicyLabel,
  PolicySubject,
  SigningPolicy,
} from '../../core/sign/policy.ts'
export type {
  CountedPayment,
  ExplainedSums,
  PolicySums,
  RecordedPayment,
  RequestedPayment,
  SumClaim,
  SumEffect,
  SumLimit,
  SumUse,
} from '../../core/sign/sums.ts'
export {
  type AddressBook,
  addressBookMessage,
  type BookRule,
  formatAddressBook,
  type Recipient,
} from './address-book.ts'
export { PolicyError, type PolicyErrorCode } from './errors.ts'
export { type LeftOut, type MergedCopies, mergeCopies } from './merge-copies.ts'
export {
  formatPolicy,
  type ParsedPolicy,
  type ParsePolicyOptions,
  type PolicyRules,
  parsePolicy,
  type SumRule,
  vaultNamed,
} from './policy.ts'
export {
  formatVault,
  type OpenVault,
  parseVault,
  positionInVault,
  type RegisteredVault,
  type Vault,
} from './vault.ts'
