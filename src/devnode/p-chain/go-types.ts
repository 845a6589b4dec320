import { type GoRegistry, unregistered } from '../go/decode.ts'

const tx = (...names: readonly string[]): string[] => names.map((name) => `txs.${name}`)

/** Go's names of the P-Chain's types, by type ID. */
export const P_CHAIN_TYPES: GoRegistry = {
  types: [
    ...unregistered(5),
    'secp256k1fx.TransferInput',
    undefined,
    'secp256k1fx.TransferOutput',
    undefined,
    'secp256k1fx.Credential',
    'secp256k1fx.Input',
    'secp256k1fx.OutputOwners',
    ...tx('AddValidatorTx', 'AddSubnetValidatorTx', 'AddDelegatorTx', 'CreateChainTx'),
    ...tx('CreateSubnetTx', 'ImportTx', 'ExportTx', 'AdvanceTimeTx', 'RewardValidatorTx'),
    'stakeable.LockIn',
    'stakeable.LockOut',
    ...tx('RemoveSubnetValidatorTx', 'TransformSubnetTx', 'AddPermissionlessValidatorTx'),
    ...tx('AddPermissionlessDelegatorTx'),
    'signer.Empty',
    'signer.ProofOfPossession',
    ...unregistered(4),
    ...tx('TransferSubnetOwnershipTx', 'BaseTx', 'ConvertSubnetToL1Tx', 'RegisterL1ValidatorTx'),
    ...tx('SetL1ValidatorWeightTx', 'IncreaseL1ValidatorBalanceTx', 'DisableL1ValidatorTx'),
  ],
  interfaces: [
    ['BaseTx', 'txs.UnsignedTx'],
    ['secp256k1fx.Credential', 'verify.Verifiable'],
    ['secp256k1fx.TransferOutput', 'avax.TransferableOut'],
    ['secp256k1fx.TransferInput', 'avax.TransferableIn'],
  ],
}
