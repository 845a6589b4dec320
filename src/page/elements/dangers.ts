import type { AcceptCode } from '../../core/sign/sign.ts'
import type { WarningCode } from '../../core/sign/warnings.ts'

/** What a warning means for the signer. */
export type Meaning = {
  readonly title: string
  /** What happens if the transaction is signed nevertheless. */
  readonly consequence: string
  /** What to compare with whom. */
  readonly compare: string
}

const author = 'the person who sent you this request, by another channel'

/** The meaning of what the policy of the signer refuses. */
function refusedBy(title: string): Meaning {
  return {
    title,
    consequence: 'It is not signed: your policy decides, whatever the request says.',
    compare: `Ask ${author}, what it is for. Only another policy can allow it.`,
  }
}

/** The meaning of every warning, in the words of a signer. */
export const MEANINGS: { readonly [Code in WarningCode | AcceptCode]: Meaning } = {
  BURN: {
    title: 'It destroys funds',
    consequence: 'What is burned belongs to nobody afterwards and cannot be recovered.',
    compare: `Ask ${author}, whether exactly this amount is to be destroyed.`,
  },
  HIGH_FEE: {
    title: 'The fee is far too high',
    consequence: 'The network keeps the whole fee; nobody can return it.',
    compare: 'Compare the fee with the usual fee of this network.',
  },
  WRONG_NETWORK: {
    title: 'It is for another network',
    consequence: 'Your signature is valid on that network and moves the funds there.',
    compare: 'Compare the network above with the one that you intend to pay on.',
  },
  WRONG_CHAIN: {
    title: 'It is for another chain',
    consequence: 'Your signature is valid on that chain, not on the one that you intend.',
    compare: 'Compare the chain above with the one that you intend to pay on.',
  },
  OPEN_OUTPUT: {
    title: 'Anyone can take a part of it',
    consequence: 'Whoever sees the transaction first can spend an output that has no owner.',
    compare: 'Look for “anyone” among the recipients: a payment needs an address.',
  },
  WRONG_ACCOUNT: {
    title: 'An account is not the account of its key',
    consequence: 'Nobody may have the key of that account, and the funds are lost then.',
    compare: 'Compare the 0x… account with the one that your wallet shows on the C-Chain.',
  },
  UNKNOWN_CHAIN: {
    title: 'The destination is not a known chain',
    consequence: 'Funds that are exported to a chain that does not exist are lost.',
    compare: `Compare the ID of the destination chain with ${author}.`,
  },
  STUCK_EXPORT: {
    title: 'The destination cannot import this asset',
    consequence: 'The exported asset stays between the chains, where nobody can use it.',
    compare: 'Export AVAX only, unless you know that the other chain accepts this asset.',
  },
  UNPROVEN_UTXO: {
    title: 'Nothing proves whose funds are spent',
    consequence: 'The file can lie about owners and about what returns to you.',
    compare: 'Ask for a request with proofs, or compare each spent UTXO with your own records.',
  },
  UNPROVEN_ASSET: {
    title: 'The decimals of an asset are not proven',
    consequence: 'The amount can be a thousand times as much as you think.',
    compare: 'Ask for the transaction that created the asset, or compare the amount in base units.',
  },
  FOREIGN_CHANGE: {
    title: 'The stated change does not return to you',
    consequence: 'Somebody else receives what the file calls your change.',
    compare: 'Compare every recipient with your own addresses. Enter all of your keys.',
  },
  SHARED_OUTPUT: {
    title: 'You would share an output with others',
    consequence: 'The other owners can spend it without you, or keep you from spending it.',
    compare: `Compare the owners and how many must sign with ${author}.`,
  },
  LOCKED_RETURN: {
    title: 'What returns to you is locked',
    consequence: 'You cannot spend it before the date in the message.',
    compare: 'Compare the date with the one that you agreed to.',
  },
  WEAKER_CHANGE: {
    title: 'The change needs fewer signatures',
    consequence: 'Fewer keys than before suffice to spend it, so losing one key can lose it.',
    compare: 'Compare how many signatures the change needs with the rule of your vault.',
  },
  DEAD_ADDRESS: {
    title: 'Nobody has a key of the recipient',
    consequence: 'What is paid to this address is lost for ever.',
    compare: 'Compare the address with the one that the recipient gave you.',
  },
  BURNED_PROPERTY: {
    title: 'It destroys a property',
    consequence: 'The property is gone afterwards and cannot be made again.',
    compare: `Ask ${author}, whether it is to be destroyed.`,
  },
  UNKNOWN_ASSET: {
    title: 'Your policy does not list an asset',
    consequence: 'Anyone can create an asset with any name. This one may imitate another.',
    compare: 'Compare the ID of the asset with one that you know from elsewhere.',
  },
  UNCHECKED_SUM: {
    title: 'Your policy limits sums over time',
    consequence: 'This signer does not know what was paid before, so it cannot check them.',
    compare: 'Add up what was paid within the time of the limit.',
  },
  POLICY_NETWORK: refusedBy('The transaction is for another network than your policy'),
  POLICY_CHAIN: refusedBy('Your policy does not allow this chain'),
  POLICY_TYPE: refusedBy('Your policy does not allow this type of transaction'),
  POLICY_VAULT: refusedBy('An output looks like your vault, but is not'),
  POLICY_RECIPIENT: refusedBy('A recipient is not in your address book'),
  POLICY_MAXIMUM: refusedBy('It pays more than your policy allows'),
  POLICY_FEE: refusedBy('The fee is above the maximum of your policy'),
  POLICY_SUM: refusedBy('Together with earlier payments, it pays more than your policy allows'),
  FEE_ABOVE_KNOWN: {
    title: 'The fee is higher than usual',
    consequence: 'The network keeps all of it.',
    compare: 'Compare it with the current fee of the network.',
  },
  NOT_OURS: {
    title: 'It moves funds to somebody else',
    consequence: 'Moves between chains usually lead to your own address; this one does not.',
    compare: 'Compare the recipient with your address on the other chain.',
  },
  INSUFFICIENT_FUNDS: {
    title: 'It pays more than it spends',
    consequence: 'Every node rejects the transaction.',
    compare: 'Ask for a new request.',
  },
  INVALID_SIGNATURE: {
    title: 'A signature is invalid',
    consequence: 'Every node rejects the transaction.',
    compare: 'Ask the signer to sign again.',
  },
  LOOK_ALIKE: {
    title: 'An asset imitates another one',
    consequence: 'It has the name of an asset that it is not, and may be worthless.',
    compare: 'Compare the asset ID, not its name.',
  },
  TRANSFERRED_RIGHT: {
    title: 'It gives away an NFT or a right',
    consequence: 'The new owner decides about it, and can mint as much as the right allows.',
    compare: `Compare the recipient with ${author}.`,
  },
  DESTROYED_RIGHT: {
    title: 'It gives up a right to mint',
    consequence: 'Nobody can mint with this right afterwards.',
    compare: `Ask ${author}, whether that is intended.`,
  },
  LOCKED_OUTPUT: {
    title: 'An output is locked',
    consequence: 'Its owner cannot spend it before the date in the message.',
    compare: 'Compare the date with the one that was agreed.',
  },
  LOCKED_UTXO: {
    title: 'It spends funds that are still locked',
    consequence: 'A node that receives it too early rejects it, and may refuse it later, too.',
    compare: 'Issue it after the date in the message. Check the clock of this machine.',
  },
  UNKNOWN_UTXO: {
    title: 'The owner of what is spent is not known',
    consequence: 'The page cannot tell what returns to the owners.',
    compare: 'Use a signing request, which contains its UTXOs with proofs.',
  },
  UNKNOWN_SOURCE: {
    title: 'The source is not a known chain',
    consequence: 'The import fails if the chain does not exist.',
    compare: 'Compare the ID of the source chain.',
  },
  SUSPICIOUS_MEMO: {
    title: 'The memo can mislead',
    consequence: 'Its text looks different from what it is; the memo changes nothing that is paid.',
    compare: 'Ignore what the memo claims.',
  },
  TX_TOO_LARGE: {
    title: 'The transaction is too large',
    consequence: 'Every node rejects it.',
    compare: 'Ask for several smaller requests.',
  },
  UNUSED_KEY: {
    title: 'A key has nothing to do with this request',
    consequence: 'It signs nothing. You may have entered a wrong key.',
    compare: 'Compare the addresses of your keys with the signers of the request.',
  },
  KEY_NOT_A_SIGNER: {
    title: 'None of the keys is a signer',
    consequence: 'Nothing would be signed.',
    compare: 'Compare the addresses of your keys with the signers of the request.',
  },
}
