import { parseAmount } from '../../../core/base/encoding/amount.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { parseUTXOID } from '../../../core/base/encoding/ids.ts'
import type { UTXOID } from '../../../core/chain/x/transferables.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { readBytes } from '../../files/files.ts'
import type { Invocation } from '../../invocation.ts'
import { type CallParser, spend } from '../../spending/calls.ts'
import { assetOf, findAsset, parseOwners, parsePayments } from '../../spending/payments.ts'

/** Creates an asset. */
export const parseCreateAsset: CallParser = ({ values }) => {
  const [name, symbol, ...holdings] = values.args as [string, string, ...string[]]
  const denomination = values.integer('denomination', 0, 32) ?? 0
  const holders = (holdings.length === 0 ? [] : parsePayments(pairs(holdings))).map(
    ({ to, amount }) => ({ ...parseOwners(to), amount: parseAmount(amount, denomination) }),
  )
  const nftMinters = values.list('nft-minter').map((text) => {
    const [, group, to] = /^([0-9]{1,10})=([^=]+)$/.exec(text) ?? []
    if (to === undefined || Number(group) > 0xffffffff)
      throw new UsageError('BAD_VALUE', '--nft-minter must be GROUP=ADDRESS', {
        hint: 'the group is a number from 0 to 4294967295; repeat the option for more minters',
      })
    return { groupID: Number(group), to }
  })
  const minters = values.list('minter').map((to) => ({ to }))
  const propertyMinters = values.list('property-minter').map((to) => ({ to }))
  const call = { name, symbol, denomination, holders, minters, nftMinters, propertyMinters }
  return async () => ({ method: 'createAsset', call, more: (assetID) => ({ assetID }) })
}

/** Holdings are always ADDRESS=AMOUNT; two words are not one address and one amount here. */
function pairs(words: readonly string[]): readonly string[] {
  if (words.every((word) => word.includes('='))) return words
  throw new UsageError('BAD_VALUE', 'holdings must be ADDRESS=AMOUNT')
}

/** Mints more of an asset. */
export const parseMint: CallParser = (invocation) => {
  const [asset, to, amount] = invocation.values.args as [string, string, string]
  const utxo = utxoOf(invocation)
  return async (context) => {
    const { assetID, denomination } = await assetOf(asset, invocation, context)
    const units = parseAmount(amount, denomination)
    return { method: 'mint', call: { utxo, assetID, to, amount: units } }
  }
}

/** Mints NFTs of a group. */
export const parseNFTMint: CallParser = (invocation) => {
  const [asset, ...recipients] = invocation.values.args as [string, ...string[]]
  const call = { utxo: utxoOf(invocation), groupID: parseGroup(invocation) }
  const source = payloadSource(invocation)
  return async (context) => ({
    method: 'mintNFT',
    call: {
      ...call,
      assetID: await findAsset(asset, invocation, context),
      payload: await source(),
      recipients: recipients.map((to) => ({ to })),
    },
  })
}

/** Transfers an NFT. */
export const parseNFTTransfer: CallParser = (invocation) => {
  const [asset, to] = invocation.values.args as [string, string]
  const call = { utxo: utxoOf(invocation), groupID: parseGroup(invocation), to }
  return async (context) => ({
    method: 'transferNFT',
    call: { ...call, assetID: await findAsset(asset, invocation, context) },
  })
}

/** Mints a property. */
export const parsePropertyMint: CallParser = (invocation) => {
  const [asset, to] = invocation.values.args as [string, string]
  const utxo = utxoOf(invocation)
  return async (context) => ({
    method: 'mintProperty',
    call: { utxo, assetID: await findAsset(asset, invocation, context), to },
  })
}

/** Burns a property. */
export const parsePropertyBurn: CallParser = (invocation) => {
  const [asset] = invocation.values.args as [string]
  const utxo = utxoOf(invocation)
  return async (context) => ({
    method: 'burnProperty',
    call: { utxo, assetID: await findAsset(asset, invocation, context) },
  })
}

export const assetCreate = (invocation: Invocation): Promise<Result> =>
  spend(invocation, parseCreateAsset)
export const assetMint = (invocation: Invocation): Promise<Result> => spend(invocation, parseMint)
export const nftMint = (invocation: Invocation): Promise<Result> => spend(invocation, parseNFTMint)
export const nftTransfer = (invocation: Invocation): Promise<Result> =>
  spend(invocation, parseNFTTransfer)
export const propertyMint = (invocation: Invocation): Promise<Result> =>
  spend(invocation, parsePropertyMint)
export const propertyBurn = (invocation: Invocation): Promise<Result> =>
  spend(invocation, parsePropertyBurn)

function utxoOf({ values }: Invocation): UTXOID | undefined {
  const name = values.text('utxo')
  return name === undefined ? undefined : parseUTXOID(name)
}

function parseGroup({ values }: Invocation): number | undefined {
  return values.integer('group', 0, 0xffffffff)
}

function payloadSource({ values, io }: Invocation): () => Promise<string | Uint8Array> {
  const given = ['payload', 'payload-hex', 'payload-file'].filter((name) => values.has(name))
  if (given.length !== 1)
    throw new UsageError(
      'MISSING_OPTION',
      'exactly one of --payload, --payload-hex and --payload-file is required',
    )
  const digits = values.text('payload-hex')
  const bytes = digits === undefined ? undefined : hex.decode(digits)
  const file = values.text('payload-file')
  return async () => bytes ?? (file === undefined ? values.text('payload')! : readBytes(file, io))
}
