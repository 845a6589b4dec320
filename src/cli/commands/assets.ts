import { formatID, hex, parseAmount, parseUTXOName } from '../../encoding/index.ts'
import type { Command, Options } from '../command.ts'
import { UsageError } from '../errors.ts'
import { readBytes } from '../files.ts'
import type { Invocation } from '../invocation.ts'
import { assetOf, parseAsset, parseOwners, parsePayments } from '../payments.ts'
import { keyOption, openSpending, receiptResult, spendOptions } from '../spending.ts'

const options: Options = { ...keyOption, ...spendOptions }

const utxoOption: Options = {
  utxo: { value: 'NAME', help: 'which UTXO to use; default: the first that can be used' },
}

const groupOption: Options = {
  group: { value: 'NUMBER', help: 'the group of the NFT' },
}

const payloadOptions: Options = {
  payload: { value: 'TEXT', help: 'what the NFT carries, at most 1024 bytes' },
  'payload-hex': { value: 'HEX', help: 'the same as bytes' },
  'payload-file': { value: 'FILE', help: 'the same from a file; - for standard input' },
}

const assetCreate: Command = {
  name: 'asset create',
  summary: 'create an asset, with a fixed supply or with minters',
  details:
    'Initial holdings are given as ADDRESS=AMOUNT. The ID of the asset is that of the transaction.',
  arguments: [
    { name: 'NAME', help: '1 to 128 letters, digits and inner spaces' },
    { name: 'SYMBOL', help: '1 to 4 upper-case letters' },
    { name: 'HOLDING', help: 'ADDRESS=AMOUNT', optional: true, many: true },
  ],
  options: {
    denomination: { value: 'NUMBER', help: 'decimals, 0 to 32; default 0' },
    minter: { value: 'ADDRESS', many: true, help: 'who may mint more; each of them alone' },
    'nft-minter': {
      value: 'GROUP=ADDRESS',
      many: true,
      help: 'who may mint NFTs of a group, once',
    },
    'property-minter': { value: 'ADDRESS', many: true, help: 'who may mint properties' },
    ...options,
  },
  example:
    "asset create 'Team Rocket' TR X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u=500 --denomination 2",
  run: async (invocation) => {
    const { values } = invocation
    const [name, symbol, ...holdings] = values.args as [string, string, ...string[]]
    const denomination = values.integer('denomination', 0, 32) ?? 0
    const holders = (holdings.length === 0 ? [] : parsePayments(pairs(holdings))).map(
      ({ to, amount }) => ({ ...parseOwners(to), amount: parseAmount(amount, denomination) }),
    )
    const nftMinters = values.list('nft-minter').map((text) => {
      const [, group, to] = /^([0-9]{1,10})=([^=]+)$/.exec(text) ?? []
      if (to === undefined || Number(group) > 0xffffffff)
        throw new UsageError('BAD_VALUE', 'expected GROUP=ADDRESS behind --nft-minter', {
          hint: 'the group is a number from 0 to 4294967295; repeat the option for more minters',
        })
      return { groupID: Number(group), to }
    })
    const { wallet, run, tx } = await openSpending(invocation)
    const receipt = await wallet.createAsset(
      {
        ...tx,
        name,
        symbol,
        denomination,
        holders,
        minters: values.list('minter').map((to) => ({ to })),
        nftMinters,
        propertyMinters: values.list('property-minter').map((to) => ({ to })),
      },
      run,
    )
    return receiptResult(receipt, { assetID: formatID(receipt.txID) })
  },
}

/** Holdings are always pairs: two words are never one address and one amount here. */
function pairs(words: readonly string[]): readonly string[] {
  if (words.every((word) => word.includes('='))) return words
  throw new UsageError('BAD_VALUE', 'expected holdings as ADDRESS=AMOUNT')
}

const assetMint: Command = {
  name: 'asset mint',
  summary: 'mint more of an asset',
  arguments: [
    { name: 'ASSET', help: 'its ID' },
    { name: 'ADDRESS', help: 'who gets it' },
    { name: 'AMOUNT', help: 'how much, in units with its decimals' },
  ],
  options: { ...utxoOption, ...options },
  example:
    'asset mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u 100',
  run: async (invocation) => {
    const [asset, to, amount] = invocation.values.args as [string, string, string]
    const { wallet, context, run, tx } = await openSpending(invocation)
    const { assetID, denomination } = await assetOf(asset, invocation, context)
    const units = parseAmount(amount, denomination)
    return receiptResult(
      await wallet.mint({ ...tx, ...utxoOf(invocation), assetID, to, amount: units }, run),
    )
  },
}

const nftMint: Command = {
  name: 'nft mint',
  summary: 'mint NFTs of an asset, one with the same payload for each recipient',
  arguments: [
    { name: 'ASSET', help: 'its ID' },
    { name: 'ADDRESS', help: 'who gets one', many: true },
  ],
  options: { ...payloadOptions, ...groupOption, ...utxoOption, ...options },
  example:
    "nft mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --payload 'hello'",
  run: async (invocation) => {
    const [asset, ...recipients] = invocation.values.args as [string, ...string[]]
    const payload = await payloadOf(invocation)
    const { wallet, context, run, tx } = await openSpending(invocation)
    const call = {
      ...tx,
      ...utxoOf(invocation),
      ...groupOf(invocation),
      assetID: parseAsset(asset, context),
      payload,
      recipients: recipients.map((to) => ({ to })),
    }
    return receiptResult(await wallet.mintNFT(call, run))
  },
}

const nftTransfer: Command = {
  name: 'nft transfer',
  summary: 'transfer an NFT to another owner',
  arguments: [
    { name: 'ASSET', help: 'its ID' },
    { name: 'ADDRESS', help: 'who gets it' },
  ],
  options: {
    ...groupOption,
    utxo: { value: 'NAME', help: 'which one; needed if you own different NFTs of the group' },
    ...options,
  },
  example:
    'nft transfer 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => {
    const [asset, to] = invocation.values.args as [string, string]
    const { wallet, context, run, tx } = await openSpending(invocation)
    const assetID = parseAsset(asset, context)
    const call = { ...tx, ...utxoOf(invocation), ...groupOf(invocation), assetID, to }
    return receiptResult(await wallet.transferNFT(call, run))
  },
}

const propertyMint: Command = {
  name: 'property mint',
  summary: 'mint a property of an asset',
  arguments: [
    { name: 'ASSET', help: 'its ID' },
    { name: 'ADDRESS', help: 'who gets it' },
  ],
  options: { ...utxoOption, ...options },
  example:
    'property mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => {
    const [asset, to] = invocation.values.args as [string, string]
    const { wallet, context, run, tx } = await openSpending(invocation)
    const assetID = parseAsset(asset, context)
    return receiptResult(
      await wallet.mintProperty({ ...tx, ...utxoOf(invocation), assetID, to }, run),
    )
  },
}

const propertyBurn: Command = {
  name: 'property burn',
  summary: 'destroy a property',
  arguments: [{ name: 'ASSET', help: 'its ID' }],
  options: { ...utxoOption, ...options },
  example: 'property burn 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  run: async (invocation) => {
    const [asset] = invocation.values.args as [string]
    const { wallet, context, run, tx } = await openSpending(invocation)
    const assetID = parseAsset(asset, context)
    return receiptResult(await wallet.burnProperty({ ...tx, ...utxoOf(invocation), assetID }, run))
  },
}

function utxoOf({ values }: Invocation): { readonly utxo?: ReturnType<typeof parseUTXOName> } {
  const name = values.text('utxo')
  return name === undefined ? {} : { utxo: parseUTXOName(name) }
}

function groupOf({ values }: Invocation): { readonly groupID?: number } {
  const groupID = values.integer('group', 0, 0xffffffff)
  return groupID === undefined ? {} : { groupID }
}

async function payloadOf({ values, io }: Invocation): Promise<string | Uint8Array> {
  const given = Object.keys(payloadOptions).filter((name) => values.has(name))
  if (given.length !== 1)
    throw new UsageError(
      'MISSING_OPTION',
      'expected one of --payload, --payload-hex and --payload-file',
    )
  const digits = values.text('payload-hex')
  if (digits !== undefined) return hex.decode(digits)
  const file = values.text('payload-file')
  return file === undefined ? values.text('payload')! : readBytes(file, io)
}

/** Making assets and minting them. */
export const assetCommands: readonly Command[] = [
  assetCreate,
  assetMint,
  nftMint,
  nftTransfer,
  propertyMint,
  propertyBurn,
]
