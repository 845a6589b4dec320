import {
  type FxOperation,
  type ImportTx,
  networks,
  type OperationTx,
  type Output,
  type OutputOwners,
  type UTXO,
} from '../../src/chain/index.ts'
import { checkedHex } from '../../src/encoding/checked-hex.ts'
import { createRequest, formatRequest, type SigningRequest } from '../../src/sign/index.ts'
import { owners, parentsOf, paying } from './fixtures.ts'
import { asset, drafted, FEE, outputsOf, type Put, type Scene } from './scenes.ts'
import { NOW, type Reader, type Verdict } from './verdicts.ts'

const { local } = networks

// People 0 and 1 own a vault of which both must sign. 4 and 5 attack. 2 and 3 are others.
export const vault: OutputOwners = owners(2, 0, 1)
export const thief: OutputOwners = owners(1, 5)
export const rest = (amount: number): number => amount - FEE
const LATER = 4_102_444_800n

export function requestOf(scene: Scene, more: readonly Uint8Array[] = []): SigningRequest {
  const draft = drafted(scene)
  return createRequest(draft, { parents: [...parentsOf(draft), ...more] })
}

/** Operations of one asset whose outputs the vault owns, and the request that carries them out. */
export function operating(
  pairs: readonly (readonly [Output, FxOperation])[],
  fxIndex: number,
): SigningRequest {
  const states = [{ fxIndex, outputs: pairs.map(([output]) => output) }]
  const { assetID, proof } = asset({ initialStates: states })
  const id = (outputIndex: number) => ({ txID: assetID, outputIndex })
  return requestOf(
    {
      spend: [[vault, 1_000_000 + FEE]],
      pay: [[vault, 1_000_000]],
      operated: pairs.map(([output], i) => ({ ...id(i), assetID, output })),
      as: (tx): OperationTx => ({
        ...tx,
        type: 'OperationTx',
        operations: pairs.map(([, operation], i) => ({ assetID, inputIDs: [id(i)], operation })),
      }),
    },
    [proof],
  )
}

export const input: { readonly signatureIndices: readonly number[] } = { signatureIndices: [0, 1] }
export const nft = (
  groupID: number,
  of: OutputOwners,
): Output & { type: 'nftfx.TransferOutput' } => ({
  type: 'nftfx.TransferOutput',
  groupID,
  payload: new Uint8Array(),
  ...of,
})
export const given = (groupID: number, to: OutputOwners): [Output, FxOperation] => [
  nft(groupID, vault),
  { type: 'nftfx.TransferOperation', input, output: nft(groupID, to) },
]

export const plain: Scene = {
  spend: [[vault, 100_000_000]],
  pay: [
    [owners(1, 3), 1_000_000],
    [vault, rest(99_000_000)],
  ],
  change: [[vault, rest(99_000_000)]],
}

/** An import beside a spend; the attacker chooses what the file says of the imported UTXO. */
function importing(of: OutputOwners, pay: readonly Put[], sourceChain = local.chains.P!): Scene {
  // There is no proof of it.
  const utxo: UTXO = {
    txID: new Uint8Array(32).fill(0xab),
    outputIndex: 0,
    assetID: local.assetID,
    output: paying(5_000_000_000n, of),
  }
  return {
    spend: [[vault, 1_000_000 + FEE]],
    pay,
    operated: [utxo],
    as: (tx): ImportTx => ({
      ...tx,
      type: 'ImportTx',
      sourceChain,
      importedInputs: [
        {
          txID: utxo.txID,
          outputIndex: 0,
          assetID: local.assetID,
          input: {
            type: 'secp256k1fx.TransferInput',
            amount: 5_000_000_000n,
            signatureIndices: Array.from({ length: of.threshold }, (_, i) => i),
          },
        },
      ],
    }),
  }
}

export const cases: [
  name: string,
  request: () => SigningRequest,
  reader: Reader,
  verdict: Verdict,
][] = [
  [
    'a stranger who takes out what he put in: not ours, so a payment',
    () =>
      requestOf({
        spend: [
          [vault, 100_000_000],
          [thief, 50_000_000],
        ],
        pay: [
          [thief, 50_000_000],
          [vault, rest(100_000_000)],
        ],
      }),
    [0, 1],
    { pays: [50_000_000], returns: [[rest(100_000_000), 'ours', false]], warns: [] },
  ],
  [
    'an export of the vault to one of its owners alone, on P',
    () =>
      requestOf({
        spend: [[vault, 6_000_000 + FEE]],
        pay: [[vault, 1_000_000]],
        as: (tx) => ({
          ...tx,
          type: 'ExportTx',
          destinationChain: local.chains.P!,
          exportedOutputs: outputsOf([[owners(1, 0), 5_000_000]]),
        }),
      }),
    [0, 1],
    {
      returns: [
        [1_000_000, 'ours', false],
        [5_000_000, 'ours', false],
      ],
      warns: ['WEAKER_CHANGE'],
    },
  ],
  [
    'a right to mint that moves from both owners to one of them',
    () =>
      operating(
        [
          [
            { type: 'secp256k1fx.MintOutput', ...vault },
            {
              type: 'secp256k1fx.MintOperation',
              mintInput: input,
              mintOutput: { type: 'secp256k1fx.MintOutput', ...owners(1, 0) },
              transferOutput: paying(5_000_000_000n, vault),
            },
          ],
        ],
        0,
      ),
    [0, 1],
    {
      returns: [
        [1_000_000, 'ours', false],
        [5_000_000, 'ours', false],
      ],
      warns: ['WEAKER_CHANGE'],
    },
  ],
  [
    'minting an NFT, which uses the right to mint up',
    () =>
      operating(
        [
          [
            { type: 'nftfx.MintOutput', groupID: 3, ...vault },
            {
              type: 'nftfx.MintOperation',
              mintInput: input,
              groupID: 3,
              payload: new Uint8Array([1]),
              outputs: [vault],
            },
          ],
        ],
        1,
      ),
    [0],
    { returns: [[1_000_000, 'vault', false]], warns: ['DESTROYED_RIGHT'] },
  ],
  [
    'a property that is destroyed',
    () =>
      operating(
        [
          [
            { type: 'propertyfx.OwnedOutput', ...vault },
            { type: 'propertyfx.BurnOperation', ...input },
          ],
        ],
        2,
      ),
    [0],
    { returns: [[1_000_000, 'vault', false]], warns: ['DESTROYED_RIGHT'] },
  ],
  [
    'NFTs of the vault that come back to one owner, who is not the reader',
    () => operating([given(1, owners(1, 0))], 1),
    [1],
    { returns: [[1_000_000, 'vault', false]], warns: ['TRANSFERRED_RIGHT'] },
  ],
  [
    'an import whose UTXO is said to be the vault’s, and that pays the vault back',
    () =>
      requestOf(
        importing(vault, [
          [vault, 1_000_000],
          [vault, 5_000_000],
        ]),
      ),
    [0],
    {
      pays: [1_000_000, 5_000_000],
      warns: ['UNPROVEN_UTXO!', 'SHARED_OUTPUT!'],
    },
  ],
  [
    'an import of the attacker’s own UTXO, whose value goes back to the attacker',
    () =>
      requestOf(
        importing(thief, [
          [vault, 1_000_000],
          [thief, 5_000_000],
        ]),
      ),
    [0],
    { pays: [5_000_000], returns: [[1_000_000, 'vault', false]], warns: ['UNPROVEN_UTXO!'] },
  ],
  [
    'an import from a chain that nobody knows',
    () => requestOf(importing(vault, [[thief, 6_000_000]], new Uint8Array(32).fill(8))),
    [0],
    { pays: [6_000_000], warns: ['UNPROVEN_UTXO!', 'UNKNOWN_SOURCE'] },
  ],
  [
    'two outputs to the vault that are together more than it put in, beside an unproven UTXO',
    () =>
      requestOf(
        importing(thief, [
          [vault, 1_000_000],
          [vault, 4_000_000],
          [thief, 1_000_000],
        ]),
      ),
    undefined,
    { pays: [1_000_000, 1_000_000, 4_000_000], warns: ['UNPROVEN_UTXO!'] },
  ],
  [
    'UTXOs of two groups with a common owner, all to that owner',
    () =>
      requestOf({
        spend: [
          [vault, 5_000_000],
          [owners(1, 0), 5_000_000 + FEE],
        ],
        pay: [[owners(1, 0), 10_000_000]],
      }),
    [1],
    { pays: [10_000_000], warns: [] },
  ],
  [
    'the same, for the owner who gains',
    () =>
      requestOf({
        spend: [
          [vault, 5_000_000],
          [owners(1, 0), 5_000_000 + FEE],
        ],
        pay: [[owners(1, 0), 10_000_000]],
      }),
    [0],
    { returns: [[10_000_000, 'ours', false]], warns: ['WEAKER_CHANGE'] },
  ],
  [
    'a swap of thresholds between two groups of the same owners',
    () =>
      requestOf({
        spend: [
          [vault, 9_000_000 + FEE],
          [owners(1, 0, 1), 1_000_000],
        ],
        pay: [
          [owners(1, 0, 1), 9_000_000],
          [vault, 1_000_000],
        ],
      }),
    [0],
    {
      pays: [9_000_000],
      returns: [[1_000_000, 'vault', false]],
      warns: ['SHARED_OUTPUT!'],
    },
  ],
  [
    'a return that is locked for ever, behind a payment that is locked until tomorrow',
    () =>
      requestOf({
        spend: [[vault, 10_000_000 + FEE]],
        pay: [
          [{ ...owners(1, 3), locktime: NOW + 86_400n }, 1_000_000],
          [{ ...vault, locktime: 2n ** 64n - 1n }, 9_000_000],
        ],
      }),
    [0],
    {
      pays: [1_000_000],
      returns: [[9_000_000, 'vault', false]],
      warns: ['LOCKED_RETURN!', 'LOCKED_OUTPUT'],
    },
  ],
  [
    'a locked UTXO of the vault, which delays the whole transaction',
    () =>
      requestOf({
        spend: [
          [vault, 10_000_000 + FEE],
          [{ ...vault, locktime: LATER }, 1],
        ],
        pay: [[vault, 10_000_001]],
      }),
    [0],
    { returns: [[10_000_001, 'vault', false]], warns: ['LOCKED_UTXO'] },
  ],
  [
    'a hundred equal outputs, of which one goes to the attacker',
    () =>
      requestOf({
        spend: [[vault, 100_000_000 + FEE]],
        pay: [[thief, 1_000_000], ...Array.from({ length: 99 }, (): Put => [vault, 1_000_000])],
        change: [[vault, 1_000_000]],
      }),
    [0],
    {
      pays: [1_000_000],
      returns: Array.from({ length: 99 }, () => [1_000_000, 'vault', true] as const),
      warns: [],
    },
  ],
  [
    'a destroyed token in front of destroyed coins',
    () => {
      const token = asset()
      return requestOf(
        {
          spend: [
            [vault, 9000 + FEE],
            [vault, 5_000_000, token.assetID],
          ],
          pay: [[vault, 1000]],
        },
        [token.proof],
      )
    },
    [0],
    { returns: [[1000, 'vault', false]], warns: ['BURN!'] },
  ],
]

function longer(proof: string): string {
  return checkedHex.encode(new Uint8Array([...checkedHex.decode(proof), 0]))
}

/** A request file in which any value may be replaced by any other. */
type File = {
  readonly network: { [name: string]: unknown }
  readonly change: { amount: unknown }[]
  readonly proofs: string[]
  readonly paths: object[]
  variants: object[]
  readonly utxos: string[]
  [name: string]: unknown
}

const original = formatRequest(requestOf(plain))
const changed = (change: (file: File) => void) => {
  const file: File = JSON.parse(original)
  change(file)
  return JSON.stringify(file)
}
/** Files that are rejected, and the codes. */
export const files: [what: string, file: string, code: string][] = [
  [
    'a member of the prototype',
    original.replace('{', '{"__proto__": {"version": 1},'),
    'REQUEST_MALFORMED',
  ],
  ['a member that is not known', changed((f) => (f.note = 'x')), 'REQUEST_MALFORMED'],
  ['a comment', original.replace('{', '{/* x */'), 'REQUEST_MALFORMED'],
  ['two documents', original + original, 'REQUEST_MALFORMED'],
  ['a byte order mark', `\ufeff${original}`, 'REQUEST_MALFORMED'],
  ['a version as text', changed((f) => (f.version = '2')), 'REQUEST_VERSION'],
  ['a later version', changed((f) => (f.version = 3)), 'REQUEST_VERSION'],
  [
    'another network’s name for the same IDs',
    changed((f) => (f.network.networkID = 1)),
    'REQUEST_NETWORK',
  ],
  [
    'a native asset of its own',
    changed((f) => (f.network.assetID = f.network.chainID)),
    'REQUEST_NETWORK',
  ],
  [
    'an amount of change in exponents',
    changed((f) => (f.change[0]!.amount = '9e9')),
    'REQUEST_MALFORMED',
  ],
  [
    'an amount of change beyond 64 bits',
    changed((f) => (f.change[0]!.amount = '18446744073709551616')),
    'REQUEST_MALFORMED',
  ],
  ['change twice', changed((f) => f.change.push(f.change[0]!)), 'REQUEST_MALFORMED'],
  [
    'change of an output that is not there',
    changed((f) => (f.change[0]!.amount = '5')),
    'REQUEST_MALFORMED',
  ],
  [
    'a proof with another checksum',
    changed((f) => (f.proofs[0] = f.proofs[0]!.replace(/.$/, (d) => (d === '0' ? '1' : '0')))),
    'REQUEST_MALFORMED',
  ],
  [
    'a proof with a byte behind it',
    changed((f) => (f.proofs[0] = longer(f.proofs[0]!))),
    'REQUEST_PROOF',
  ],
  [
    'a path outside of the coin',
    changed((f) =>
      f.paths.push({
        address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
        path: "m/44'/60'/0'/0/0",
      }),
    ),
    'REQUEST_MALFORMED',
  ],
  [
    'a path of somebody who owns nothing',
    changed((f) =>
      f.paths.push({
        address: 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
        path: "m/44'/9000'/0'/0/0",
      }),
    ),
    'REQUEST_MALFORMED',
  ],
  ['the same variant twice', changed((f) => f.variants.push(f.variants[0]!)), 'REQUEST_VARIANTS'],
  ['no variant', changed((f) => (f.variants = [])), 'REQUEST_VARIANTS'],
  ['a UTXO too many', changed((f) => f.utxos.push(f.utxos[0]!)), 'UTXO_MISMATCH'],
  ['a UTXO too few', changed((f) => f.utxos.pop()), 'UTXO_UNKNOWN'],
  ['an ID of another request', changed((f) => (f.id = f.network.chainID)), 'REQUEST_ID'],
  ['a transaction ID before it is signed', changed((f) => (f.txID = f.id)), 'REQUEST_TX_ID'],
]
