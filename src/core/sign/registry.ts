import type { ChainAlias } from '../chain/chain-types.ts'
import type { Chain } from './chain.ts'
import { xChain } from './chains/x.ts'
import { SignError } from './errors.ts'

// The X-Chain is always known. The entry points of the other chains register theirs, so that programs which use only
// the X-Chain do not contain their code.
const chains = /* @__PURE__ */ new Map<ChainAlias, Chain>()

/** Makes a chain known to signing, explanations and requests. */
export function registerChain(chain: Chain): void {
  chains.set(chain.alias, chain)
}

/**
 * The description of a chain.
 *
 * @throws SignError `CHAIN_NOT_IMPORTED`
 */
export function chainNamed(alias: ChainAlias): Chain {
  const chain = alias === xChain.alias ? xChain : chains.get(alias)
  if (chain !== undefined) return chain
  throw new SignError('CHAIN_NOT_IMPORTED', `the ${alias}-Chain is not imported`, {
    hint: `import 'avmkit/${alias.toLowerCase()}-chain' once in the program`,
  })
}
