import type { SignErrorCode } from '../../core/sign/errors.ts'
import type { ErrorTexts } from './error-text.ts'

/** Texts on the codes of `SignError`. */
export const signErrors: ErrorTexts<SignErrorCode> = {
  BURN: {
    meaning: 'The transaction destroys assets beyond the fee.',
    cause: 'An output is missing, or the request was made to destroy your funds.',
    fix: 'Do not sign unless the loss is intended; then accept BURN by its code.',
  },
  HIGH_FEE: {
    meaning: 'The transaction pays a higher fee than the limit.',
    cause: 'The fee was set generously for a busy network, by mistake, or to take your funds.',
    fix: 'Compare with the current fee (`avmkit node fees`). Accept HIGH_FEE only if you know the reason.',
  },
  WRONG_NETWORK: {
    meaning: 'The transaction is for another network.',
    cause: 'It was drafted with a node of another network.',
    fix: 'Ask for a request for your network. Nothing was signed.',
  },
  WRONG_CHAIN: {
    meaning: 'The transaction is for another chain.',
    cause: 'It was drafted for a chain with another ID.',
    fix: 'Check which chain it should be for. Nothing was signed.',
  },
  OPEN_OUTPUT: {
    meaning: 'Anyone can spend an output.',
    cause: 'It has no owners, and its threshold is 0.',
    fix: 'Sign only if you give the amount away; then accept OPEN_OUTPUT.',
  },
  WRONG_ACCOUNT: {
    meaning: 'An account of the C-Chain has the bytes of an X- or P- address.',
    cause:
      'The 20 bytes of an address were used as 0x…, but accounts are derived differently: nobody has the key.',
    fix: 'Use the account that `avmkit keys show` prints for your key.',
  },
  UNKNOWN_CHAIN: {
    meaning: 'An export goes to a chain that is not known.',
    cause: 'The destination is not X, P or C of the network.',
    fix: 'Check the chain ID with its operator before you accept UNKNOWN_CHAIN.',
  },
  STUCK_EXPORT: {
    meaning: 'The destination chain cannot import an exported asset.',
    cause: 'The C-Chain imports only AVAX.',
    fix: 'Refuse, and ask for an export to another chain.',
  },
  UNPROVEN_UTXO: {
    meaning: 'Only the file states who owns a spent UTXO and its amount.',
    cause: 'The request lacks the transaction that created it. A false amount would hide a loss.',
    fix: 'Ask for a request with proofs; `request create` and `explain --lookup` add them.',
  },
  UNPROVEN_ASSET: {
    meaning: 'Only the file states the decimals of an asset.',
    cause:
      'The request lacks the transaction that created the asset. False decimals make 1000 look like 1.',
    fix: 'Ask for a request with that transaction.',
  },
  FOREIGN_CHANGE: {
    meaning: 'An output that is called change does not return to you.',
    cause:
      'The change address belongs to neither your keys nor your account, or the author takes the change.',
    fix: 'Find out whose address it is. Accept FOREIGN_CHANGE only if you know the owner.',
  },
  SHARED_OUTPUT: {
    meaning: 'An output belongs to you and to others.',
    cause: 'The others can spend it if the threshold allows it.',
    fix: 'Accept SHARED_OUTPUT only if you share it intentionally.',
  },
  LOCKED_RETURN: {
    meaning: 'An output returns to you, but is locked until later.',
    cause: 'A locktime was set on the change.',
    fix: 'Accept LOCKED_RETURN only if you can wait until then.',
  },
  WEAKER_CHANGE: {
    meaning: 'The change needs fewer signatures than what is spent.',
    cause: 'Funds of several signers would return to an output that fewer can spend.',
    fix: 'Ask for change to the same owners with the same threshold.',
  },
  DEAD_ADDRESS: {
    meaning: 'An output goes to an address for which nobody has a key.',
    cause: 'It is the zero address or 20 equal bytes, often an unset variable.',
    fix: 'Correct the address. Accept DEAD_ADDRESS only to destroy the amount.',
  },
  BURNED_PROPERTY: {
    meaning: 'A property is destroyed.',
    cause: 'The transaction burns it.',
    fix: 'Accept BURNED_PROPERTY if that is intended.',
  },
  UNKNOWN_ASSET: {
    meaning: 'The transaction has an asset that the policy of the signer does not list.',
    cause: 'The asset is new, or someone has sent an asset that imitates another.',
    fix: 'Compare its ID, then add it to the policy, or accept UNKNOWN_ASSET.',
  },
  UNCHECKED_SUM: {
    meaning: 'The policy of the signer limits sums over time, which this signer cannot check.',
    cause:
      'Only a wallet with a store knows earlier payments; requests and drafts are signed without it.',
    fix: 'Pay with a wallet and its store, or compare the earlier payments and accept UNCHECKED_SUM. In custody, set a limit.',
  },
  POLICY_NETWORK: {
    meaning: 'The transaction is for another network than the policy of the signer.',
    cause: 'The wrong policy or the wrong request was loaded.',
    fix: 'Load the policy of the network. No call can accept this.',
  },
  POLICY_CHAIN: {
    meaning: 'The policy does not allow a chain of the transaction.',
    cause: 'The transaction is on, imports from or exports to a chain that `chains` does not list.',
    fix: 'Add the chain to `chains` of the policy if it is to be allowed.',
  },
  POLICY_TYPE: {
    meaning: 'The policy does not allow transactions of this type.',
    cause: 'The type is missing in `transactions`.',
    fix: 'Add the type to `transactions` of the policy if it is to be allowed.',
  },
  POLICY_VAULT: {
    meaning: 'An output has owners of a registered vault, but is not the vault.',
    cause: 'Another threshold, other owners or a lock: someone may try to pass it off as change.',
    fix: 'Refuse the request. An address book can allow these owners as a recipient.',
  },
  POLICY_RECIPIENT: {
    meaning: 'An output pays someone who is not in the address book.',
    cause: 'The recipient is new, or change does not return to a registered vault.',
    fix: 'Ask the owner of the address book for a new edition, and pass it with the policy.',
  },
  POLICY_MAXIMUM: {
    meaning: 'The transaction pays or destroys more than the policy allows.',
    cause:
      'All outputs that do not return count together; assets that are not listed have the maximum 0.',
    fix: 'Split the payment, or change `maximum` of the policy.',
  },
  POLICY_FEE: {
    meaning: 'The transaction destroys more of the native asset than the policy allows.',
    cause: 'The fee is high, or something is burned.',
    fix: 'Build it with a lower fee, or change `maxFee` of the policy.',
  },
  POLICY_SUM: {
    meaning: 'With earlier payments, more would leave within a time than the policy allows.',
    cause:
      'Pending payments count, and accepted ones until the time of the limit has passed since they were recorded as accepted.',
    fix: 'Wait until `sum.freeAt`, pay less, cancel pending payments, or change `sums` of the policy.',
  },
  CHAIN_NOT_IMPORTED: {
    meaning: 'The document is of a chain whose code is not loaded.',
    cause: 'The program imports `avmkit` only.',
    fix: 'Import `avmkit/p-chain` or `avmkit/c-chain`, too.',
  },
  UTXO_UNKNOWN: {
    meaning: 'A spent UTXO is missing.',
    cause: 'Its owners and amount are needed to sign.',
    fix: 'Pass all UTXOs that the transaction spends.',
  },
  UTXO_MISMATCH: {
    meaning: 'A UTXO is not the one that the input spends.',
    cause: 'UTXOs were swapped, or its asset or amount differs from the input.',
    fix: 'Pass the UTXOs in the order of the inputs, as the draft has them.',
  },
  SIGNER_UNKNOWN_OUTPUT: {
    meaning: 'The input or operation cannot spend this type of output.',
    cause: 'For example an amount from an NFT.',
    fix: 'Build the transaction again from the right UTXOs.',
  },
  SIGNER_INVALID_SIG_INDEX: {
    meaning: 'An input names a signer that its UTXO does not have.',
    cause: 'The index is not below the number of owners.',
    fix: 'Build the transaction again.',
  },
  WRONG_NUMBER_OF_UTXOS: {
    meaning: 'An operation must spend one UTXO.',
    cause: 'It names none or several.',
    fix: 'Build the operation again.',
  },
  TOO_MANY_SIGNERS: {
    meaning: 'An input has more signature indices than the threshold.',
    cause: 'The node would refuse it.',
    fix: 'Name exactly as many signers as the threshold.',
  },
  TOO_FEW_SIGNERS: {
    meaning: 'An input has fewer signature indices than the threshold.',
    cause: 'The node would refuse it.',
    fix: 'Name more owners as signers.',
  },
  UNUSED_KEY: {
    meaning: 'A given key owns nothing that is spent.',
    cause: 'The wrong key file was passed, or one too many.',
    fix: 'Check the key files. Accept UNUSED_KEY if this is intended.',
  },
  KEY_NOT_A_SIGNER: {
    meaning: 'None of the keys is a signer of the transaction.',
    cause:
      'The keys belong to another wallet, account or passphrase, or addresses beyond those that were derived.',
    fix: 'Check key file, account and passphrase; the explanation lists the signers.',
  },
  SIGNER_FAILED: {
    meaning: 'An external signer failed or returned something else than signatures.',
    cause:
      'The device is locked or disconnected, the service refused, or its answer does not verify; `cause` has the reason.',
    fix: 'Correct the cause and sign again. Nothing was issued.',
  },
  INCOMPLETE: {
    meaning: 'Signatures are missing.',
    cause: 'Not all required owners have signed yet.',
    fix: '`avmkit request status` lists who is missing; `request merge` combines copies.',
  },
  SIGNATURE_MISSING: {
    meaning: 'A signature is missing where all are required.',
    cause: 'A partly signed transaction was passed to a call that needs a complete one.',
    fix: 'Collect all signatures first.',
  },
  SIGNATURE_DUPLICATE: {
    meaning: 'Two different signatures of one owner exist for the same transaction.',
    cause: 'An owner signed twice with a signer that is not deterministic.',
    fix: 'Keep one of the copies.',
  },
  SIG_INVALID: {
    meaning: 'No public key can be recovered from a signature.',
    cause: 'The signature was damaged on its way.',
    fix: 'Ask the signer to sign again.',
  },
  SIG_HIGH_S: {
    meaning: 'The s of a signature is above half the group order.',
    cause: 'The signer does not normalize signatures; the chain refuses such ones.',
    fix: 'Correct the signer.',
  },
  SIG_MALFORMED: {
    meaning: 'A signature does not have 65 bytes r, s, v.',
    cause: 'The signer returns another format.',
    fix: 'Convert its signatures.',
  },
  WRONG_SIGNER: {
    meaning: 'A signature was made by another key than that of the owner.',
    cause: 'Another key signed, or another transaction was signed.',
    fix: 'Sign with the key of the owner.',
  },
  WRONG_CREDENTIAL_TYPE: {
    meaning: 'A credential belongs to another feature extension.',
    cause: 'The signed transaction was put together by other software.',
    fix: 'Sign the request again with this library.',
  },
  WRONG_NUMBER_OF_CREDENTIALS: {
    meaning: 'The number of credentials differs from that of inputs and operations.',
    cause: 'Credentials were removed or added.',
    fix: 'Sign again.',
  },
  CREDENTIAL_SIGNERS_MISMATCH: {
    meaning: 'A credential has more signatures than signers.',
    cause: 'Signatures of another input were added.',
    fix: 'Sign again.',
  },
  REQUEST_MALFORMED: {
    meaning: 'The file is not a signing request.',
    cause: 'It was cut or changed, or is another document.',
    fix: 'Ask for the file again.',
  },
  REQUEST_VERSION: {
    meaning: 'The signing request has another version.',
    cause: 'It was made by a newer or older program.',
    fix: 'Use the same version on both machines.',
  },
  REQUEST_NETWORK: {
    meaning: 'The request is for another network, or for one that is not built in.',
    cause: '`--network` names another one, or the IDs of the network are unknown offline.',
    fix: 'Name its network, or a node of it.',
  },
  REQUEST_CHAIN: {
    meaning: 'The request is for another chain.',
    cause: 'It was made for the P- or C-Chain, or for a chain of another ID.',
    fix: 'Use the function of its chain.',
  },
  REQUEST_SIGNER_SETS: {
    meaning: 'The number of signer sets is outside the limits.',
    cause: 'A request for many owners lists all sufficient sets.',
    fix: 'Create it for one set, without `--signers all`.',
  },
  REQUEST_ID: {
    meaning: 'The contents do not match the ID of the request.',
    cause: 'The file was changed after it was made.',
    fix: 'Do not sign it. Ask its author for the original.',
  },
  REQUEST_PROOF: {
    meaning: 'A proof contradicts the request, proves nothing in it, or is repeated.',
    cause: 'The file was changed, or its author states false amounts or owners.',
    fix: 'Do not sign it, and ask its author.',
  },
  REQUEST_TX_ID: {
    meaning: 'The file states a wrong transaction ID.',
    cause: 'It was changed, or made by faulty software.',
    fix: 'Do not sign it. Ask for the original.',
  },
  REQUEST_CONFLICT: {
    meaning: 'The copies are requests for different transactions.',
    cause: 'Files of two payments were mixed up.',
    fix: 'Merge only copies of one request.',
  },
}
