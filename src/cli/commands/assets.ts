import type { Command, Options } from '../command.ts'
import { onceOptions, planOption, spendOptions } from '../options.ts'

const options: Options = { ...planOption, ...onceOptions, ...spendOptions }

/** The arguments and options that say what a command creates, without those for paying and issuing. */
export type CommandContent = Pick<Command, 'arguments' | 'options'>

const utxoOption: Options = {
  utxo: { value: 'NAME', help: 'UTXO to use; default: the first usable one' },
}

const groupOption: Options = { group: { value: 'NUMBER', help: 'group of the NFT' } }

const assetArgument = { name: 'ASSET', help: 'asset ID or unambiguous symbol' } as const

const recipientArgument = { name: 'ADDRESS', help: 'recipient' } as const

const assetCreate: Command = {
  name: 'asset create',
  summary: 'create an asset with a fixed supply or with minters',
  details:
    'Initial holdings are given as ADDRESS=AMOUNT. The asset ID is the ID of the transaction.',
  arguments: [
    { name: 'NAME', help: '1 to 128 letters, digits and inner spaces' },
    { name: 'SYMBOL', help: '1 to 4 upper-case letters' },
    { name: 'HOLDING', help: 'ADDRESS=AMOUNT', optional: true, many: true },
  ],
  options: {
    denomination: { value: 'NUMBER', help: 'number of decimals, 0 to 32; default 0' },
    minter: { value: 'ADDRESS', many: true, help: 'who can mint more; repeat for more minters' },
    'nft-minter': {
      value: 'GROUP=ADDRESS',
      many: true,
      help: 'who can mint NFTs of a group, once',
    },
    'property-minter': { value: 'ADDRESS', many: true, help: 'who can mint properties' },
    ...options,
  },
  example:
    "asset create 'Team Rocket' TR X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u=500 --denomination 2",
  run: async (invocation) => (await import('../actions/spend/assets.ts')).assetCreate(invocation),
}

const assetMint: Command = {
  name: 'asset mint',
  summary: 'mint more of an asset',
  arguments: [
    assetArgument,
    recipientArgument,
    { name: 'AMOUNT', help: 'amount with the decimals of the asset' },
  ],
  options: { ...utxoOption, ...options },
  example:
    'asset mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u 100',
  run: async (invocation) => (await import('../actions/spend/assets.ts')).assetMint(invocation),
}

const nftMint: Command = {
  name: 'nft mint',
  summary: 'mint NFTs of an asset, one with the same payload for each recipient',
  arguments: [assetArgument, { ...recipientArgument, many: true }],
  options: {
    payload: { value: 'TEXT', help: 'payload of the NFT, at most 1024 bytes' },
    'payload-hex': { value: 'HEX', help: 'payload as hex' },
    'payload-file': { value: 'FILE', help: 'payload from a file; - for standard input' },
    ...groupOption,
    ...utxoOption,
    ...options,
  },
  example:
    "nft mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u --payload 'hello'",
  run: async (invocation) => (await import('../actions/spend/assets.ts')).nftMint(invocation),
}

const nftTransfer: Command = {
  name: 'nft transfer',
  summary: 'transfer an NFT to another owner',
  arguments: [assetArgument, recipientArgument],
  options: {
    ...groupOption,
    utxo: {
      value: 'NAME',
      help: 'UTXO of the NFT; required if you own different NFTs of the group',
    },
    ...options,
  },
  example:
    'nft transfer 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => (await import('../actions/spend/assets.ts')).nftTransfer(invocation),
}

const propertyMint: Command = {
  name: 'property mint',
  summary: 'mint a property of an asset',
  arguments: [assetArgument, recipientArgument],
  options: { ...utxoOption, ...options },
  example:
    'property mint 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
  run: async (invocation) => (await import('../actions/spend/assets.ts')).propertyMint(invocation),
}

const propertyBurn: Command = {
  name: 'property burn',
  summary: 'destroy a property',
  arguments: [assetArgument],
  options: { ...utxoOption, ...options },
  example: 'property burn 2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe',
  run: async (invocation) => (await import('../actions/spend/assets.ts')).propertyBurn(invocation),
}

/** The content of a command, for the signing request that creates the same. */
function commandContentOf({ arguments: list, options: all }: Command): CommandContent {
  const own = Object.entries(all).filter(([name]) => !Object.hasOwn(options, name))
  return { arguments: list, options: Object.fromEntries(own) }
}

/** The contents of the commands that create and mint, for signing requests. */
export const assetContents: { readonly [name: string]: CommandContent } = {
  create: commandContentOf(assetCreate),
  mint: commandContentOf(assetMint),
  nftMint: commandContentOf(nftMint),
  nftTransfer: commandContentOf(nftTransfer),
  propertyMint: commandContentOf(propertyMint),
  propertyBurn: commandContentOf(propertyBurn),
}

/** Creating and minting assets. */
export const assetCommands: readonly Command[] = [
  assetCreate,
  assetMint,
  nftMint,
  nftTransfer,
  propertyMint,
  propertyBurn,
]
