import { formatAddress } from '../../../core/base/encoding/address.ts'
import { signMessage, verifyMessage } from '../../../signers/message/message.ts'
import type { Result } from '../../command.ts'
import type { Invocation } from '../../invocation.ts'
import { ownKeys } from '../../keys/own-keys.ts'
import { confirmText } from '../../terminal/confirm.ts'

/** Signs a message with the first of the user's keys, or with that of an address. */
export async function sign(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const message = values.args[0]!
  const { keys } = await ownKeys(invocation)
  const chosen = values.text('address')
  await confirmText(invocation, JSON.stringify(message), 'Sign this message?')
  const signature = signMessage(message, keys, chosen === undefined ? {} : { address: chosen })
  const { hrp } = await invocation.network()
  const address = chosen ?? formatAddress({ chain: 'X', hrp, address: keys.addresses[0]! })
  return { json: { address, message, signature }, text: signature }
}

/** Verifies the signature of a message. */
export async function verify(invocation: Invocation): Promise<Result> {
  const [address, message, signature] = invocation.values.args as [string, string, string]
  verifyMessage(message, signature, { address })
  return { json: { verified: true, address }, text: `signed by ${address}` }
}
