import { equalBytes } from '../../core/base/bytes/compare.ts'
import { cb58 } from '../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { ZERO_ID } from '../../core/base/encoding/ids.ts'
import { MAX_U64 } from '../../core/base/integers.ts'
import { type NetworkContext, P_CHAIN_ID } from '../../core/chain/networks.ts'
import { txToJSON } from '../../core/chain/p/json.ts'
import type { Json } from '../../core/codec/json.ts'
import { stringifyJSON } from '../../core/codec/json-text.ts'
import { goQuote } from '../go/text.ts'
import { readCB58 } from '../rpc/arguments.ts'
import { MethodError, type MethodHandler } from '../rpc/envelope.ts'
import type { Encoding } from '../rpc/params.ts'
import type { StoredPBlock } from './block.ts'
import type { PLedger } from './ledger.ts'
import type { Blockchain, PService } from './service.ts'

/** The methods of `platform.*` that tell of blocks, blockchains and subnets. */
export function chainHandlers(service: PService): { readonly [name: string]: MethodHandler } {
  const { ledger, context, lookup } = service
  const chainWithID = (id: Uint8Array): Blockchain | undefined =>
    service.chains().find((chain) => equalBytes(chain.id, id))
  const chainsOf = (subnetID: Uint8Array): Blockchain[] =>
    service.chains().filter((chain) => equalBytes(chain.subnetID, subnetID))
  /** Whether there is a subnet, the primary network excepted. Refuses the IDs of other transactions. */
  const isSubnet = (id: Uint8Array): boolean => {
    if (chainsOf(id).length > 0) return true
    if (chainWithID(id) !== undefined || isCommitted(id, ledger))
      throw new MethodError(`"${cb58.encode(id)}" is not a subnet`)
    return false
  }
  return {
    getProposedHeight: () => stringifyJSON({ height: String(ledger.proposedHeight) }),
    getBlock(params) {
      const id = params.id('blockID')
      const encoding = params.encoding()
      const block = ledger.blockWithID(id)
      if (block === undefined)
        throw new MethodError(`couldn't get block with id ${cb58.encode(id)}: not found`)
      return blockReply(block, encoding, context)
    },
    getBlockByHeight(params) {
      const height = params.uint('height', MAX_U64)
      const encoding = params.encoding()
      const block = ledger.blockAt(height)
      if (block === undefined)
        throw new MethodError(`couldn't get block at height ${height}: not found`)
      return blockReply(block, encoding, context)
    },
    getSubnets(params) {
      const ids = params.ids('ids')
      const wanted = ids.length === 0 ? [...subnetIDs(service.chains()), P_CHAIN_ID] : unique(ids)
      const found = wanted.filter((id) => isPrimaryNetwork(id) || isSubnet(id))
      const subnets = found.map((id) => ({ id: cb58.encode(id), ...NO_OWNER }))
      return stringifyJSON({ subnets: subnets.length === 0 ? null : subnets })
    },
    getSubnet(params) {
      const id = params.id('subnetID')
      if (isPrimaryNetwork(id)) throw new MethodError("the primary network isn't a subnet")
      if (!isSubnet(id)) throw new MethodError('not found')
      const none = cb58.encode(ZERO_ID)
      return stringifyJSON({
        isPermissioned: true,
        ...NO_OWNER,
        locktime: '0',
        subnetTransformationTxID: none,
        conversionID: none,
        managerChainID: none,
        managerAddress: null,
      })
    },
    getBlockchains: () =>
      stringifyJSON({
        blockchains: [...subnetIDs(service.chains()), P_CHAIN_ID]
          .flatMap(chainsOf)
          .map(({ id, name, subnetID, vmID }) => ({
            id: cb58.encode(id),
            name,
            subnetID: cb58.encode(subnetID),
            vmID: cb58.encode(vmID),
          })),
      }),
    getBlockchainStatus(params) {
      const text = params.string('blockchainID')
      if (text === '') throw new MethodError("argument 'blockchainID' not given")
      if (lookup(text) !== undefined) return stringifyJSON({ status: 'Syncing' })
      const id = readCB58(text, 32)
      if (typeof id === 'string')
        throw new MethodError(`problem parsing blockchainID ${goQuote(text)}: ${id}`)
      return stringifyJSON({ status: chainWithID(id) === undefined ? 'Unknown' : 'Created' })
    },
    validatedBy(params) {
      const id = params.id('blockchainID')
      const subnetID = isPrimaryNetwork(id) ? P_CHAIN_ID : chainWithID(id)?.subnetID
      if (subnetID !== undefined) return stringifyJSON({ subnetID: cb58.encode(subnetID) })
      if (isCommitted(id, ledger)) throw new MethodError(`"${cb58.encode(id)}" is not a blockchain`)
      throw new MethodError(`problem retrieving blockchain "${cb58.encode(id)}": not found`)
    },
    validates(params) {
      const id = params.id('subnetID')
      if (!isPrimaryNetwork(id) && !isSubnet(id))
        throw new MethodError(`problem retrieving subnet "${cb58.encode(id)}": not found`)
      return stringifyJSON({ blockchainIDs: chainsOf(id).map((chain) => cb58.encode(chain.id)) })
    },
  }
}

/** The owner of a subnet that was added; the primary network has none either. */
const NO_OWNER: { readonly [member: string]: Json } = { controlKeys: [], threshold: '0' }

function isPrimaryNetwork(id: Uint8Array): boolean {
  return equalBytes(id, P_CHAIN_ID)
}

/** Whether an ID is that of an accepted transaction or of one of the genesis. */
function isCommitted(id: Uint8Array, ledger: PLedger): boolean {
  return ledger.txBytes(hex.encode(id)) !== undefined || ledger.genesisTx(id) !== undefined
}

/** The subnets of chains, without the primary network. */
function subnetIDs(chains: readonly Blockchain[]): Uint8Array[] {
  return unique(chains.map(({ subnetID }) => subnetID).filter((id) => !isPrimaryNetwork(id)))
}

function unique(ids: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(ids.map((id) => [hex.encode(id), id])).values()]
}

function blockReply(block: StoredPBlock, encoding: Encoding, context: NetworkContext): string {
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
