import { cChain } from '../core/sign/chains/c.ts'
import { pChain } from '../core/sign/chains/p.ts'
import { registerChain } from '../core/sign/registry.ts'

// Documents of all chains can be read, without the builders that the entry points of the chains have.
registerChain(pChain)
registerChain(cChain)
