import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { txToJSON } from '../../core/chain/p/json.ts'
import { asciiID } from '../../core/chain/x/fx.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { goQuote } from '../go/text.ts'
import { readCB58 } from '../rpc/arguments.ts'
import { MethodError, type MethodHandler } from '../rpc/envelope.ts'
import type { RequestParams } from '../rpc/params.ts'
import type { StoredPBlock } from './block.ts'
import type { PService } from './service.ts'

const PRIMARY_NETWORK: Json = { id: cb58.encode(P_CHAIN_ID), controlKeys: [], threshold: '0' }

/** The methods of `platform.*` that tell of blocks, blockchains and subnets. There is no subnet but the primary network. */
export function chainHandlers(service: PService): { readonly [name: string]: MethodHandler } {
  const { ledger, context, lookup } = service
  const chains = blockchains(context)
  return {
    getProposedHeight: () => stringifyJSON({ height: String(ledger.proposedHeight) }),
    getBlock(params) {
      const id = params.id('blockID')
      const block = ledger.blockWithID(id)
      if (block === undefined)
        throw new MethodError(`couldn't get block with id ${cb58.encode(id)}: not found`)
      return blockReply(block, params, context)
    },
    getBlockByHeight(params) {
      const height = params.uint('height', MAX_U64)
      const block = ledger.blockAt(height)
      if (block === undefined)
        throw new MethodError(`couldn't get block at height ${height}: not found`)
      return blockReply(block, params, context)
    },
    getSubnets(params) {
      const ids = params.ids('ids')
      if (ids.length === 0 || ids.some(isPrimaryNetwork))
        return stringifyJSON({ subnets: [PRIMARY_NETWORK] })
      return stringifyJSON({ subnets: null })
    },
    getSubnet(params) {
      const isPrimary = isPrimaryNetwork(params.id('subnetID'))
      throw new MethodError(isPrimary ? "the primary network isn't a subnet" : 'not found')
    },
    getBlockchains: () =>
      stringifyJSON({
        blockchains: chains.map(({ id, name, vm }) => ({
          id: cb58.encode(id),
          name,
          subnetID: cb58.encode(P_CHAIN_ID),
          vmID: cb58.encode(asciiID(vm)),
        })),
      }),
    getBlockchainStatus(params) {
      const text = params.string('blockchainID')
      if (text === '') throw new MethodError("argument 'blockchainID' not given")
      if (lookup(text) !== undefined) return stringifyJSON({ status: 'Syncing' })
      const id = readCB58(text, 32)
      if (typeof id === 'string')
        throw new MethodError(`problem parsing blockchainID ${goQuote(text)}: ${id}`)
      return stringifyJSON({ status: 'Unknown' })
    },
    validatedBy(params) {
      const id = params.id('blockchainID')
      if (!isPrimaryNetwork(id) && !chains.some((chain) => equalBytes(chain.id, id)))
        throw new MethodError(`problem retrieving blockchain "${cb58.encode(id)}": not found`)
      return stringifyJSON({ subnetID: cb58.encode(P_CHAIN_ID) })
    },
    validates(params) {
      const id = params.id('subnetID')
      if (chains.some((chain) => equalBytes(chain.id, id)))
        throw new MethodError(`"${cb58.encode(id)}" is not a subnet`)
      if (!isPrimaryNetwork(id))
        throw new MethodError(`problem retrieving subnet "${cb58.encode(id)}": not found`)
      return stringifyJSON({ blockchainIDs: chains.map((chain) => cb58.encode(chain.id)) })
    },
  }
}

function isPrimaryNetwork(id: Uint8Array): boolean {
  return equalBytes(id, P_CHAIN_ID)
}

type Blockchain = { readonly id: Uint8Array; readonly name: string; readonly vm: string }

/** The blockchains that the P-Chain created, newest first. */
function blockchains({ chainID, chains }: NetworkContext): Blockchain[] {
  return [
    { id: chains.C!, name: 'C-Chain', vm: 'evm' },
    { id: chainID, name: 'X-Chain', vm: 'avm' },
  ]
}

function blockReply(block: StoredPBlock, params: RequestParams, context: NetworkContext): string {
  const encoding = params.encoding()
  if (encoding === 'json') return stringifyJSON({ block: blockJSON(block, context), encoding })
  const text =
    encoding === 'hexnc' ? `0x${hex.encode(block.bytes)}` : checkedHex.encode(block.bytes)
  return stringifyJSON({ block: text, encoding })
}

function blockJSON({ fields, id }: StoredPBlock, context: NetworkContext): Json {
  const common = {
    parentID: cb58.encode(fields.parentID),
    height: fields.height,
    id: cb58.encode(id),
  }
  if (fields.type === 'ApricotCommitBlock') return common
  return { time: fields.time, ...common, txs: fields.txs.map((tx) => txToJSON(tx, context)) }
}
