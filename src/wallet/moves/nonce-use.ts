import { equalBytes } from '../../core/base/bytes/compare.ts'
import { evmAddressBytes } from '../../core/chain/c/evm-address.ts'
import { EVM_CHAIN_IDS } from '../../core/chain/c/evm-chain-ids.ts'
import { readEVMTx } from '../../core/chain/c/evm-tx.ts'
import { hashToSign, txID } from '../../core/chain/c/ids.ts'
import { decodeTxs, type EVMInput, type SignedTx } from '../../core/chain/c/tx.ts'
import type { NetworkContext } from '../../core/chain/networks.ts'
import type { Secp256k1Backend } from '../../core/crypto/backend.ts'
import type { CChainClient } from '../../node/c-chain-client.ts'
import { countdown } from '../../node/clock.ts'
import type { CallOptions } from '../../node/http.ts'
import type { OtherView } from '../../node/view/other-view.ts'
import { agreedOf } from '../../node/view/votes.ts'
import type { WalletState } from '../wallet-state.ts'
import type { SideCall } from './side.ts'

/** An account and one of its nonces. */
type AccountNonce = Pick<EVMInput, 'address' | 'nonce'>

/**
 * The ID of the accepted transaction, ordinary or atomic, that has used a nonce of an account, if at least `quorum`
 * servers show it. Its signature is verified: a node can hide it, but not invent it. Only nodes that keep old states
 * can tell in which block it is.
 */
export async function findNonceUse(
  state: WalletState,
  chain: OtherView<CChainClient>,
  used: AccountNonce,
  { totalMs, signal }: SideCall,
): Promise<Uint8Array | undefined> {
  const remainingMs = countdown(state.clock, totalMs)
  const context = await state.context({ totalMs, signal })
  const backend = await state.backend()
  const { answers } = await chain.askEvery(
    'eth_getTransactionCount',
    (server, limits) =>
      nonceUseOn(server, used, context, backend, () => ({
        totalMs: Math.max(1, remainingMs()),
        signal: limits.signal,
      })),
    { signal },
  )
  const found = answers.flatMap(({ value: txID }) => txID ?? [])
  return agreedOf(found, chain.quorum, equalBytes)
}

/** The ID of the transaction with a nonce that one server shows; undefined if it shows none with a valid signature. */
async function nonceUseOn(
  { eth }: CChainClient,
  used: AccountNonce,
  context: NetworkContext,
  backend: Secp256k1Backend,
  call: () => CallOptions,
): Promise<Uint8Array | undefined> {
  const height = await heightOfUse(eth, used, call)
  if (height === undefined) return undefined
  const { transactions, extraData } = await eth.getBlockByNumber({ height }, call())
  const index = transactions.findIndex(
    ({ from, nonce }) => nonce === used.nonce && equalBytes(from, used.address),
  )
  if (index < 0) {
    const atomic = decodeTxs(extraData).find((tx) => isExportWith(tx, used, context, backend))
    return atomic && txID(atomic)
  }
  const raw = await eth.getRawTransactionByBlockNumberAndIndex({ height, index }, call())
  const { hash, chainID, nonce, sender } = readEVMTx(raw, backend)
  // A server could show a transaction of another chain on which the account has used the same nonce. Where the chain ID
  // is not known, no ordinary transaction is a proof.
  const isProof =
    nonce === used.nonce &&
    chainID === EVM_CHAIN_IDS[context.networkID] &&
    equalBytes(sender, used.address)
  return isProof ? hash : undefined
}

/**
 * The height of the block that used a nonce: the first one after which the next nonce of the account is higher.
 * Undefined if the nonce is not used yet.
 */
async function heightOfUse(
  eth: CChainClient['eth'],
  { address, nonce }: AccountNonce,
  call: () => CallOptions,
): Promise<bigint | undefined> {
  const isUsedAt = async (height: bigint) =>
    (await eth.getTransactionCount({ address, height }, call())) > nonce
  let high = await eth.blockNumber({}, call())
  if (!(await isUsedAt(high))) return undefined
  // From the newest block backwards in growing steps: the nonce was probably used not long ago.
  let low = high
  for (let step = 1n; low === high && low > 0n; step *= 2n) {
    low = low > step ? low - step : 0n
    if (await isUsedAt(low)) high = low
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (await isUsedAt(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Whether an atomic transaction is an export with this nonce, with the signatures that the node requires and no others:
 * a server could add some to the wallet's own export, which then has another ID.
 */
function isExportWith(
  { unsignedTx, credentials }: SignedTx,
  { address, nonce }: AccountNonce,
  { networkID, chains }: NetworkContext,
  backend: Secp256k1Backend,
): boolean {
  if (unsignedTx.type !== 'ExportTx' || unsignedTx.networkID !== networkID) return false
  if (chains.C === undefined || !equalBytes(unsignedTx.blockchainID, chains.C)) return false
  const { inputs } = unsignedTx
  if (!inputs.some((input) => input.nonce === nonce && equalBytes(input.address, address)))
    return false
  if (credentials.length !== inputs.length) return false
  const hash = hashToSign(unsignedTx)
  return credentials.every(({ signatures: [signature, ...others] }, i) => {
    if (signature === undefined || others.length > 0) return false
    const publicKey = backend.recover(hash, signature)
    return equalBytes(evmAddressBytes(publicKey), inputs[i]!.address)
  })
}
