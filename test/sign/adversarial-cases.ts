import {
  type ExportTx,
  type FxOperation,
  networks,
  type OperationTx,
  type Output,
  type OutputOwners,
  type UTXO,
} from '../../src/chain/index.ts'
import { createRequest, formatRequest, type SigningRequest } from '../../src/sign/index.ts'
import { created, owners, parentsOf, paying } from './fixtures.ts'
import { asset, drafted, FEE, outputsOf, type Put, type Scene } from './scenes.ts'
import { NOW, type Reader, type Verdict } from './verdicts.ts'

const { local } = networks

// People 0 and 1 own a vault of which both must sign. 4 and 5 attack. 2 and 3 are others.
export const vault: OutputOwners = owners(2, 0, 1)
const wide = owners(2, 0, 1, 4, 5)
const thief = owners(1, 5)
export const nobody: OutputOwners = { locktime: 0n, threshold: 0, addresses: [] }
const rest = (amount: number) => amount - FEE

/** Misleading requests, each with the expected result. */
export const cases: [name: string, text: () => string, reader: Reader, verdict: Verdict][] = []

function add(name: string, text: () => string, reader: Reader, verdict: Verdict): void {
  cases.push([name, text, reader, verdict])
}

/** The file of a scene with all proofs. */
function file(scene: Scene, more: readonly Uint8Array[] = []): string {
  return formatRequest(requestOf(scene, more))
}

export function requestOf(scene: Scene, more: readonly Uint8Array[] = []): SigningRequest {
  const draft = drafted(scene)
  return createRequest(draft, { parents: [...parentsOf(draft), ...more] })
}

/** The file after the attacker has changed the request and corrected the IDs. */
function forged(
  scene: Scene,
  change: (request: SigningRequest) => Partial<SigningRequest>,
): string {
  const request = requestOf(scene)
  return formatRequest({ ...request, ...change(request) })
}

function withOwners(utxo: UTXO, of: Partial<OutputOwners>): UTXO {
  return { ...utxo, output: { ...utxo.output, ...of } }
}

export const plain: Scene = {
  spend: [[vault, 100_000_000]],
  pay: [
    [owners(1, 3), 1_000_000],
    [vault, rest(99_000_000)],
  ],
  change: [[vault, rest(99_000_000)]],
}
export const toWide: Scene = {
  ...plain,
  pay: [
    [owners(1, 3), 1_000_000],
    [wide, rest(99_000_000)],
  ],
}

// What an honest request looks like.
add('an honest payment from a vault', () => file(plain), [0], {
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'vault', true]],
  warns: [],
})
add('the same, read without keys', () => file(plain), undefined, {
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'vault', true]],
  warns: [],
})
add('the same with both keys, which are ours then', () => file(plain), [0, 1], {
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'ours', true]],
  warns: [],
})

// False statements about what is spent.
const claims: [string, (utxo: UTXO) => UTXO, string?][] = [
  ['more owners than there are', (utxo) => withOwners(utxo, wide)],
  ['other owners', (utxo) => withOwners(utxo, owners(2, 0, 5)), 'REQUEST_PROOF'],
  ['a later locktime', (utxo) => withOwners(utxo, { locktime: 5n })],
  ['another output of the parent', (utxo) => ({ ...utxo, outputIndex: 1 }), 'UTXO_MISMATCH'],
  ['an output that the parent has not', (utxo) => ({ ...utxo, outputIndex: 9 }), 'UTXO_MISMATCH'],
  ['another asset', (utxo) => ({ ...utxo, assetID: new Uint8Array(32).fill(7) }), 'UTXO_MISMATCH'],
  ['another amount', (utxo) => ({ ...utxo, output: paying(7n, vault) }), 'UTXO_MISMATCH'],
  ['a lower threshold', (utxo) => withOwners(utxo, { threshold: 1 }), 'TOO_MANY_SIGNERS'],
]
for (const [what, change, code = 'REQUEST_PROOF'] of claims)
  add(
    `a UTXO that is said to have ${what}, with its true parent`,
    () => forged(toWide, ({ utxos }) => ({ utxos: utxos.map(change) })),
    [0],
    { read: code },
  )
add(
  'false owners without a proof',
  () =>
    forged({ ...toWide, change: [[wide, rest(99_000_000)]] }, ({ utxos }) => ({
      utxos: utxos.map((utxo) => withOwners(utxo, wide)),
      proofs: [],
    })),
  [0, 1],
  {
    pays: [1_000_000, rest(99_000_000)],
    returns: [],
    warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
  },
)
add(
  'false owners in a file of version 1, which has no proofs',
  () => {
    const text = forged({ ...toWide, change: [[wide, rest(99_000_000)]] }, ({ utxos }) => ({
      utxos: utxos.map((utxo) => withOwners(utxo, wide)),
      proofs: [],
    }))
    const { proofs: _, ...old } = JSON.parse(text)
    return JSON.stringify({ ...old, version: 1 })
  },
  [0],
  {
    pays: [1_000_000, rest(99_000_000)],
    returns: [],
    warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
  },
)
add(
  'false owners with a parent that was made up to fit',
  () =>
    forged(toWide, ({ utxos }) => ({
      utxos: utxos.map((utxo) => withOwners(utxo, wide)),
      proofs: [
        created([{ assetID: local.assetID, output: paying(100_000_000_000n, wide) }]).parent,
      ],
    })),
  [0],
  { read: 'REQUEST_PROOF' },
)
add('a request whose proofs were removed', () => forged(plain, () => ({ proofs: [] })), [0], {
  pays: [1_000_000, rest(99_000_000)],
  returns: [],
  warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
})
add('the same, read without keys', () => forged(plain, () => ({ proofs: [] })), undefined, {
  pays: [1_000_000, rest(99_000_000)],
  returns: [],
  warns: ['UNPROVEN_UTXO!', 'FOREIGN_CHANGE!'],
})
add(
  'a proof that is there twice',
  () => forged(plain, ({ proofs }) => ({ proofs: [...proofs, ...proofs] })),
  [0],
  { read: 'REQUEST_PROOF' },
)
add(
  'a proof that proves nothing here',
  () => forged(plain, ({ proofs }) => ({ proofs: [...proofs, asset().proof] })),
  [0],
  { read: 'REQUEST_PROOF' },
)
add(
  'a proof that is no transaction',
  () => forged(plain, () => ({ proofs: [new Uint8Array(5)] })),
  [0],
  { read: 'REQUEST_PROOF' },
)
add(
  'a parent of another network',
  () => {
    const foreign = created([{ assetID: local.assetID, output: paying(10n, vault) }], networks.fuji)
    return forged(plain, ({ utxos, variants }) => {
      const { unsignedTx } = variants[0]!
      const txID = foreign.utxos[0]!.txID
      const input = unsignedTx.inputs[0]!
      const moved = {
        ...unsignedTx,
        outputs: [],
        inputs: [{ ...input, txID, input: { ...input.input, amount: 10n } }],
      }
      return {
        change: [],
        utxos: [{ ...utxos[0]!, txID, output: paying(10n, vault) }],
        variants: [{ unsignedTx: moved, signatures: [] }],
        proofs: [foreign.parent],
      }
    })
  },
  [0],
  // Ten units do not cover the fee either; whichever error comes first, the file is rejected.
  { read: 'INSUFFICIENT_FUNDS' },
)

// What is ours.
export const toOwners = (of: OutputOwners, change = true): Scene => ({
  ...plain,
  pay: [
    [owners(1, 3), 1_000_000],
    [of, rest(99_000_000)],
  ],
  ...(change ? {} : { change: [] }),
})
const both = [0, 1]
const taken = { pays: [1_000_000, rest(99_000_000)], returns: [] }
add('change to 2 of 4, two of them ours', () => file(toOwners(wide)), both, {
  ...taken,
  warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
})
add('the same, not called change', () => file(toOwners(wide, false)), both, {
  ...taken,
  warns: ['SHARED_OUTPUT!'],
})
add('change to one of us or the attacker', () => file(toOwners(owners(1, 0, 5))), both, {
  ...taken,
  warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
})
add('change that needs the attacker, too', () => file(toOwners(owners(3, 0, 1, 5))), both, {
  ...taken,
  warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
})
add('change to the attacker', () => file(toOwners(thief)), both, {
  ...taken,
  warns: ['FOREIGN_CHANGE!'],
})
add('change to the attacker, not called so: a payment', () => file(toOwners(thief, false)), both, {
  ...taken,
  warns: [],
})
add('change to the other owner of the vault alone', () => file(toOwners(owners(1, 1))), [0], {
  ...taken,
  warns: ['FOREIGN_CHANGE!'],
})
add('change to us alone, from the vault', () => file(toOwners(owners(1, 0))), [0], {
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'ours', true]],
  warns: ['WEAKER_CHANGE'],
})
add('change to 2 of 3 of which one is a stranger', () => file(toOwners(owners(2, 0, 1, 5))), both, {
  // The attacker can neither spend it nor prevent us from spending it.
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'ours', true]],
  warns: [],
})
add(
  'the same for one of the two, who needs the stranger',
  () => file(toOwners(owners(2, 0, 1, 5))),
  [0],
  {
    ...taken,
    warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'],
  },
)
const other = owners(2, 0, 1, 2)
add(
  'change to all owners, where two were enough before',
  () => file({ ...toOwners(owners(3, 0, 1, 2)), spend: [[other, 100_000_000]] }),
  [0],
  { ...taken, warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'] },
)
add(
  'change to two of three owners',
  () => file({ ...toOwners(vault), spend: [[other, 100_000_000]] }),
  [0],
  { ...taken, warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'] },
)

// UTXOs that an attacker adds.
add(
  'a real UTXO of 2 of 4 that the attacker adds, and change to 2 of 4',
  () =>
    file({
      ...toOwners(wide),
      spend: [
        [vault, 100_000_000 - 1],
        [wide, 1],
      ],
    }),
  [0],
  { ...taken, warns: ['FOREIGN_CHANGE!', 'SHARED_OUTPUT!'] },
)
add(
  'a UTXO of a stranger, who is paid, read without keys',
  () =>
    file({
      spend: [
        [vault, 100_000_000],
        [thief, 1],
      ],
      pay: [[thief, rest(100_000_001)]],
      change: [[thief, rest(100_000_001)]],
    }),
  undefined,
  { pays: [rest(100_000_001)], returns: [], warns: ['FOREIGN_CHANGE!'] },
)
add(
  'a stranger who gets back less than he put in, read without keys',
  () =>
    file({
      spend: [
        [vault, 100_000_000],
        [thief, 5_000_000],
      ],
      pay: [
        [vault, 99_000_000],
        [thief, 4_000_000],
        [owners(1, 3), rest(2_000_000)],
      ],
    }),
  undefined,
  {
    pays: [rest(2_000_000)],
    returns: [
      [99_000_000, 'vault', false],
      [4_000_000, 'vault', false],
    ],
    warns: [],
  },
)
add(
  'the same with a key of the vault: what the stranger gets is not ours',
  () =>
    file({
      spend: [
        [vault, 100_000_000],
        [thief, 5_000_000],
      ],
      pay: [
        [vault, 99_000_000],
        [thief, rest(6_000_000)],
      ],
    }),
  [0],
  { pays: [rest(6_000_000)], returns: [[99_000_000, 'vault', false]], warns: [] },
)
add(
  'a UTXO of one of us that is to hide that the change is weaker',
  () =>
    file({
      spend: [
        [vault, 100_000_000],
        [owners(1, 0), 1],
      ],
      pay: [[owners(1, 0), rest(100_000_001)]],
      change: [[owners(1, 0), rest(100_000_001)]],
    }),
  both,
  { pays: [], returns: [[rest(100_000_001), 'ours', true]], warns: ['WEAKER_CHANGE'] },
)
add(
  'a payment to the attacker of the same amount as the change',
  () =>
    file({
      spend: [[vault, 100_000_000 + FEE]],
      pay: [
        [vault, 50_000_000],
        [thief, 50_000_000],
      ],
      change: [[vault, 50_000_000]],
    }),
  [0],
  { pays: [50_000_000], returns: [[50_000_000, 'vault', true]], warns: [] },
)

// Outputs that nobody or anyone can spend.
add('an output without owners', () => file(toOwners(nobody, false)), [0], {
  ...taken,
  warns: ['OPEN_OUTPUT!'],
})
add(
  'an output without owners, beside a UTXO without owners, read without keys',
  () =>
    file({
      spend: [
        [vault, 100_000_000],
        [nobody, 5_000_000],
      ],
      pay: [
        [vault, rest(100_000_000)],
        [nobody, 5_000_000],
      ],
    }),
  undefined,
  { pays: [5_000_000], returns: [[rest(100_000_000), 'vault', false]], warns: ['OPEN_OUTPUT!'] },
)
const forever = { ...vault, locktime: 0xffffffffffffffffn }
add('change that is locked for ever', () => file(toOwners(forever)), [0], {
  pays: [1_000_000],
  returns: [[rest(99_000_000), 'vault', true]],
  warns: ['LOCKED_RETURN!'],
})
add(
  'a payment that is locked',
  () => file(toOwners({ ...thief, locktime: NOW + 1n }, false)),
  [0],
  {
    ...taken,
    warns: ['LOCKED_OUTPUT'],
  },
)
add(
  'nearly everything burned',
  () => file({ ...plain, pay: [[vault, 1_000_000]], change: [] }),
  [0],
  {
    pays: [],
    returns: [[1_000_000, 'vault', false]],
    warns: ['BURN!', 'HIGH_FEE!'],
  },
)

// Assets.
export const token: ReturnType<typeof asset> = asset()
export const tokens: Scene = {
  spend: [
    [vault, 1_000_000 + FEE],
    [vault, 5_000_000, token.assetID],
  ],
  pay: [
    [vault, 1_000_000],
    [thief, 5_000_000, token.assetID],
  ],
}
add('a token with its proof', () => file(tokens, [token.proof]), [0], {
  pays: [5_000_000],
  returns: [[1_000_000, 'vault', false]],
  warns: [],
})
add('a token without its proof', () => file(tokens), [0], {
  pays: [5_000_000],
  returns: [[1_000_000, 'vault', false]],
  warns: ['UNPROVEN_ASSET!'],
})
add(
  'a token with the proof of another one that has other decimals',
  () => forged(tokens, ({ proofs }) => ({ proofs: [...proofs, asset({ denomination: 9 }).proof] })),
  [0],
  { read: 'REQUEST_PROOF' },
)
add(
  'a token whose ID is that of a transfer',
  () => {
    const { parent, utxos } = created([{ assetID: local.assetID, output: paying(1n, thief) }])
    const assetID = utxos[0]!.txID
    const swap = (puts: readonly Put[]) =>
      puts.map(([of, n, id]): Put => (id === undefined ? [of, n] : [of, n, assetID]))
    const scene = { spend: swap(tokens.spend), pay: swap(tokens.pay) }
    return forged(scene, ({ proofs }) => ({ proofs: [...proofs, parent] }))
  },
  [0],
  { read: 'REQUEST_PROOF' },
)

// Rights, NFTs and properties.
function operating(
  output: Output,
  operation: (of: OutputOwners) => FxOperation,
  to: OutputOwners,
): [Scene, Uint8Array[]] {
  const fxIndex = output.type.startsWith('nftfx') ? 1 : output.type.startsWith('property') ? 2 : 0
  const collection = asset({ initialStates: [{ fxIndex, outputs: [output] }] })
  const { assetID, proof } = collection
  const id = { txID: assetID, outputIndex: 0 }
  const scene: Scene = {
    spend: [[vault, 1_000_000 + FEE]],
    pay: [[vault, 1_000_000]],
    operated: [{ ...id, assetID, output }],
    as: (tx): OperationTx => ({
      ...tx,
      type: 'OperationTx',
      operations: [{ assetID, inputIDs: [id], operation: operation(to) }],
    }),
  }
  return [scene, [proof]]
}
const mintMore = (of: OutputOwners): FxOperation => ({
  type: 'secp256k1fx.MintOperation',
  mintInput: { signatureIndices: [0, 1] },
  mintOutput: { type: 'secp256k1fx.MintOutput', ...of },
  transferOutput: paying(5_000_000_000n, vault),
})
const mintRight: Output = { type: 'secp256k1fx.MintOutput', ...vault }
const nft: Output = {
  type: 'nftfx.TransferOutput',
  groupID: 1,
  payload: new Uint8Array(),
  ...vault,
}
const back: Verdict = {
  pays: [],
  returns: [
    [1_000_000, 'vault', false],
    [5_000_000, 'vault', false],
  ],
}
add(
  'minting whose right stays in the vault',
  () => file(...operating(mintRight, mintMore, vault)),
  [0],
  {
    ...back,
    warns: [],
  },
)
add(
  'minting that gives the right away',
  () => file(...operating(mintRight, mintMore, thief)),
  [0],
  {
    ...back,
    warns: ['TRANSFERRED_RIGHT'],
  },
)
add('minting that shares the right', () => file(...operating(mintRight, mintMore, wide)), [0], {
  ...back,
  warns: ['SHARED_OUTPUT!', 'TRANSFERRED_RIGHT'],
})
add(
  'an NFT that is given away',
  () =>
    file(
      ...operating(
        nft,
        (of) => ({
          type: 'nftfx.TransferOperation',
          input: { signatureIndices: [0, 1] },
          output: { groupID: 1, payload: new Uint8Array(), ...of, type: 'nftfx.TransferOutput' },
        }),
        thief,
      ),
    ),
  [0],
  { pays: [], returns: [[1_000_000, 'vault', false]], warns: ['TRANSFERRED_RIGHT'] },
)
add(
  'a property right that is given away',
  () =>
    file(
      ...operating(
        { type: 'propertyfx.MintOutput', ...vault },
        (of) => ({
          type: 'propertyfx.MintOperation',
          mintInput: { signatureIndices: [0, 1] },
          mintOutput: { type: 'propertyfx.MintOutput', ...of },
          ownedOutput: { type: 'propertyfx.OwnedOutput', ...vault },
        }),
        thief,
      ),
    ),
  [0],
  { pays: [], returns: [[1_000_000, 'vault', false]], warns: ['TRANSFERRED_RIGHT'] },
)
add(
  'a new asset whose right to mint the attacker gets',
  () =>
    file({
      spend: [[vault, 1_000_000 + FEE]],
      pay: [[vault, 1_000_000]],
      as: (tx) => ({
        ...tx,
        type: 'CreateAssetTx',
        name: 'Token',
        symbol: 'TOK',
        denomination: 2,
        initialStates: [{ fxIndex: 0, outputs: [{ type: 'secp256k1fx.MintOutput', ...thief }] }],
      }),
    }),
  [0],
  { pays: [], returns: [[1_000_000, 'vault', false]], warns: ['TRANSFERRED_RIGHT'] },
)

// Other chains.
export function exporting(
  to: OutputOwners,
  destinationChain: Uint8Array,
  assetID?: Uint8Array,
): Scene {
  const amount = 5_000_000
  const sent: Put = assetID === undefined ? [to, amount] : [to, amount, assetID]
  return {
    spend: [
      [vault, 1_000_000 + FEE],
      assetID === undefined ? [vault, amount] : [vault, amount, assetID],
    ],
    pay: [[vault, 1_000_000]],
    as: (tx): ExportTx => ({
      ...tx,
      type: 'ExportTx',
      destinationChain,
      exportedOutputs: outputsOf([sent]),
    }),
  }
}
add('an export to our own vault on P', () => file(exporting(vault, local.chains.P!)), [0], {
  pays: [],
  returns: [
    [1_000_000, 'vault', false],
    [5_000_000, 'vault', false],
  ],
  warns: [],
})
add(
  'an export to a chain that nobody knows',
  () => file(exporting(vault, new Uint8Array(32).fill(9))),
  [0],
  {
    pays: [],
    returns: [
      [1_000_000, 'vault', false],
      [5_000_000, 'vault', false],
    ],
    warns: ['UNKNOWN_CHAIN!'],
  },
)
add(
  'a token exported to C, which cannot import it',
  () => file(exporting(vault, local.chains.C!, token.assetID), [token.proof]),
  [0],
  {
    pays: [],
    returns: [
      [1_000_000, 'vault', false],
      [5_000_000, 'vault', false],
    ],
    warns: ['STUCK_EXPORT!'],
  },
)
add('an export without owners', () => file(exporting(nobody, local.chains.P!)), [0], {
  pays: [5_000_000],
  returns: [[1_000_000, 'vault', false]],
  warns: ['OPEN_OUTPUT!'],
})
add(
  'an import from P with a transaction of the X-Chain as its proof',
  () => {
    const imported = created([{ assetID: local.assetID, output: paying(5_000_000_000n, vault) }])
    const [utxo] = imported.utxos
    return file(
      {
        spend: [[vault, 1_000_000 + FEE]],
        pay: [
          [vault, 1_000_000],
          [thief, 5_000_000],
        ],
        operated: [utxo!],
        as: (tx) => ({
          ...tx,
          type: 'ImportTx',
          sourceChain: local.chains.P!,
          importedInputs: [
            {
              txID: utxo!.txID,
              outputIndex: 0,
              assetID: local.assetID,
              input: {
                type: 'secp256k1fx.TransferInput',
                amount: 5_000_000_000n,
                signatureIndices: [0, 1],
              },
            },
          ],
        }),
      },
      [imported.parent],
    )
  },
  [0],
  { read: 'REQUEST_PROOF' },
)

// The file itself.
const repeated: [string, (text: string) => string][] = [
  ['a list of UTXOs', (text) => text.replace('"utxos": [', '"utxos": [], "utxos": [')],
  ['a transaction', (text) => text.replace('"unsignedTx":', '"unsignedTx": "0x", "unsignedTx":')],
  [
    'a member spelled with an escape',
    (text) => text.replace('"paths":', '"p\\u0061ths": [], "paths":'),
  ],
]
for (const [what, change] of repeated)
  add(`a file with ${what} twice`, () => change(file(plain)), [0], { read: 'REQUEST_MALFORMED' })
