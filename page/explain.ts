import type { SignedTx, UTXO } from '../src/chain/index.ts'
import { CliError } from '../src/cli/errors.ts'
import { networkByID } from '../src/cli/networks.ts'
import {
  type Explanation,
  explainRequest,
  explainTx,
  formatExplanation,
} from '../src/sign/index.ts'
import { escaped } from '../src/sign/text.ts'
import { diagrams } from './diagram.ts'
import { el } from './dom.ts'
import type { Loaded } from './read.ts'

/** The current time in Unix seconds, with which locktimes are compared. */
export function now(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

/** The explanation of a document, the same as that of `avmkit explain`; undefined if it has none. */
export function explanationOf(
  { found }: Loaded,
  ours: readonly Uint8Array[] | undefined,
  utxos: readonly UTXO[] = [],
): Explanation | undefined {
  const options = { now: now(), ...(ours === undefined ? {} : { ours }) }
  switch (found?.kind) {
    case 'request':
      return explainRequest(found.request, options)
    case 'tx':
      return explainSigned(found.tx)
    case 'unsignedTx':
      return explainSigned({ unsignedTx: found.tx, credentials: [] })
    default:
      return undefined
  }
  function explainSigned(tx: SignedTx): Explanation {
    const { context, name } = networkByID(tx.unsignedTx.networkID)
    if (context === undefined)
      throw new CliError('NETWORK_UNKNOWN', `the facts of ${name} are not built in`)
    return explainTx(tx, { ...options, context, utxos })
  }
}

/** The warnings, diagrams and text of an explanation. The text is that of the library and of the CLI. */
export function explanationBox(explanation: Explanation): HTMLElement {
  return el(
    'div',
    { class: 'explanation' },
    warningList(explanation),
    diagrams(explanation),
    el('h2', {}, 'In words'),
    el(
      'pre',
      { tabindex: 0, class: 'words', 'aria-label': 'explanation' },
      formatExplanation(explanation),
    ),
    el('p', {}, 'Digest to compare with other signers: ', el('code', {}, explanation.digest)),
  )
}

function warningList({ warnings }: Explanation): HTMLElement {
  if (warnings.length === 0) return el('p', { class: 'good' }, 'No warnings.')
  return el(
    'ul',
    { class: 'warnings' },
    ...warnings.map(({ code, message, danger }) =>
      el(
        'li',
        { class: danger ? 'danger' : 'warning' },
        el('strong', {}, `${danger ? 'DANGER' : 'WARNING'} ${code}`),
        ' ',
        escaped(message),
      ),
    ),
  )
}
