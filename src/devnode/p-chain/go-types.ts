import { type GoRegistry, unregistered } from '../go/decode.ts'

const txTypes = (...names: readonly string[]): string[] => names.map((name) => `txs.${name}`)

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
    ...txTypes('AddValidatorTx', 'AddSubnetValidatorTx', 'AddDelegatorTx', 'CreateChainTx'),
    ...txTypes('CreateSubnetTx', 'ImportTx', 'ExportTx', 'AdvanceTimeTx', 'RewardValidatorTx'),
    'stakeable.LockIn',
    'stakeable.LockOut',
    ...txTypes('RemoveSubnetValidatorTx', 'TransformSubnetTx', 'AddPermissionlessValidatorTx'),
    ...txTypes('AddPermissionlessDelegatorTx'),
    'signer.Empty',
    'signer.ProofOfPossession',
    ...unregistered(4),
    ...txTypes(
      'TransferSubnetOwnershipTx',
      'BaseTx',
      'ConvertSubnetToL1Tx',
      'RegisterL1ValidatorTx',
    ),
    ...txTypes('SetL1ValidatorWeightTx', 'IncreaseL1ValidatorBalanceTx', 'DisableL1ValidatorTx'),
  ],
  interfaces: [
    ['BaseTx', 'txs.UnsignedTx'],
    ['secp256k1fx.Credential', 'verify.Verifiable'],
    ['secp256k1fx.TransferOutput', 'avax.TransferableOut'],
    ['secp256k1fx.TransferInput', 'avax.TransferableIn'],
  ],
}
