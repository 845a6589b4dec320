import { type Detected, detect } from '../../../inspect/detect.ts'
import { KINDS } from '../../../inspect/kinds.ts'
import { type NamedNetwork, networkOfAsset } from '../../../inspect/networks.ts'
import type { Result } from '../../command.ts'
import { argumentText } from '../../files/input.ts'
import type { Invocation } from '../../invocation.ts'
import type { Paint } from '../../terminal/paint.ts'

/** Decodes a text of any kind. The code that shows a kind is loaded when it is needed. */
export async function decodeInput(invocation: Invocation): Promise<Result> {
  const { values, paint } = invocation
  const network = await invocation.namedNetwork()
  const as = KINDS.find((kind) => kind === values.text('as'))
  const found = detect(await argumentText(invocation), { as, network })
  const networkOfUTXO =
    found.kind === 'utxo' || found.kind === 'pUTXO' ? networkOfAsset(found.utxo.assetID) : undefined
  if (found.kind === 'request') {
    const { showRequest } = await import('../request/request.ts')
    return showRequest(found.text, network?.context, paint)
  }
  return showDetected(found, network ?? networkOfUTXO ?? (await invocation.network()), paint)
}

async function showDetected(
  found: Exclude<Detected, { kind: 'request' }>,
  network: NamedNetwork,
  paint: Paint,
): Promise<Result> {
  switch (found.kind) {
    case 'tx':
    case 'unsignedTx':
      return (await import('./decode-chain.ts')).showTx(found, network, paint)
    case 'pTx':
    case 'pUnsignedTx':
    case 'cTx':
    case 'cUnsignedTx':
      await import('../../../inspect/chains.ts')
      return (await import('./decode-chain.ts')).showTx(found, network, paint)
    case 'utxo':
    case 'pUTXO':
      return (await import('./decode-chain.ts')).showUTXO(found, network, paint)
    case 'block':
      return (await import('./decode-chain.ts')).showBlock(found, network, paint)
    case 'genesis':
      return (await import('./decode-chain.ts')).showGenesis(found, paint)
    case 'id':
    case 'shortID':
    case 'nodeID':
    case 'utxoName':
    case 'address':
      return (await import('./decode-names.ts')).showName(found, network, paint)
    case 'publicKey':
    case 'privateKey':
    case 'extendedPublicKey':
      return (await import('./decode-keys.ts')).showKey(found, network, paint)
  }
}
