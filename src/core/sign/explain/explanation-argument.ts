import {
  bigintFrom,
  boolean,
  type Check,
  integerFrom,
  list,
  object,
  oneOf,
  optional,
  record,
  text,
} from '../../base/argument.ts'
import { chainArgument } from '../arguments.ts'
import type { PolicyLabel } from '../policy.ts'
import type { MemoText } from '../text.ts'
import type { Warning } from '../warnings.ts'
import type {
  AssetTotal,
  ExplainedAsset,
  ExplainedChain,
  ExplainedOperation,
  ExplainedOutput,
  ExplainedOwners,
  ExplainedSigners,
  ExplainedSpend,
  Explanation,
} from './explanation.ts'

const count: Check<number> = integerFrom(0)
const amount: Check<bigint> = bigintFrom(0n)
const optionalText: Check<string | undefined> = optional(text)
const texts: Check<readonly string[]> = list(text)

const owners: Check<ExplainedOwners> = object<ExplainedOwners>({
  threshold: count,
  addresses: texts,
  locktime: amount,
  stakeableLocktime: optional(amount),
})

const chain: Check<ExplainedChain | undefined> = optional(
  object<ExplainedChain>({ alias: optionalText, chainID: text }),
)

const spend: Check<ExplainedSpend> = object<ExplainedSpend>({
  utxo: text,
  nonce: optional(amount),
  assetID: text,
  amount: optional(amount),
  owners: optional(owners),
  proven: boolean,
  imported: boolean,
})

const output: Check<ExplainedOutput> = object<ExplainedOutput>({
  outputIndex: count,
  type: text as Check<ExplainedOutput['type']>,
  assetID: optionalText,
  amount: optional(amount),
  owners,
  ownership: oneOf('ours', 'vault', 'payment'),
  change: boolean,
  exported: boolean,
})

const operation: Check<ExplainedOperation> = object<ExplainedOperation>({
  words: text,
  assetID: text,
  groupID: optional(count),
  payload: optionalText,
  destroys: optionalText,
  burnsProperty: boolean,
})

const total: Check<AssetTotal> = object<AssetTotal>({
  assetID: optionalText,
  spent: amount,
  minted: amount,
  paid: amount,
  recipients: count,
  payments: count,
  returned: amount,
  fee: amount,
  burned: amount,
})

/** Description of an `Explanation`, which may come from another thread or process. */
export const explanationArgument: Check<Explanation> = object<Explanation>({
  chain: chainArgument,
  type: text as Check<Explanation['type']>,
  title: text,
  network: object<Explanation['network']>({
    name: text,
    networkID: count,
    chainAlias: text,
    chainID: text,
    assetID: text,
  }),
  sourceChain: chain,
  destinationChain: chain,
  newAsset: optional(
    object<NonNullable<Explanation['newAsset']>>({
      name: text,
      symbol: text,
      denomination: count,
    }),
  ),
  digest: text,
  totals: list(total),
  spends: list(spend),
  pays: list(output),
  returns: list(output),
  operations: list(operation),
  fee: amount,
  burned: list(object<Explanation['burned'][number]>({ assetID: text, amount })),
  memo: object<MemoText>({ hex: text, text: optionalText }),
  size: count,
  maxSize: count,
  signatures: object<Explanation['signatures']>({
    needed: count,
    made: count,
    invalid: count,
    unverified: count,
  }),
  signerSets: optional(list(object<ExplainedSigners>({ signers: texts, missing: texts }))),
  assets: record(object<ExplainedAsset>({ symbol: text, denomination: count, known: boolean })),
  policy: optional(
    object<PolicyLabel>({
      name: text,
      checksum: text,
      addressBook: optional(
        object<NonNullable<PolicyLabel['addressBook']>>({ edition: count, checksum: text }),
      ),
    }),
  ),
  warnings: list(
    object<Warning>({
      code: text as Check<Warning['code']>,
      message: text,
      path: text,
      danger: boolean,
    }),
  ),
})
