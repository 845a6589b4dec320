package judge

import (
	"encoding/hex"

	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/vms/avm/fxs"
	"github.com/ava-labs/avalanchego/vms/avm/txs"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/components/verify"
	"github.com/ava-labs/avalanchego/vms/nftfx"
	"github.com/ava-labs/avalanchego/vms/propertyfx"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
)

// SizeCase asks the codec for the size of a transaction, unsigned and with one
// credential per input and operation that holds as many signatures as it has
// indices.
type SizeCase struct {
	Head
	Unsigned string `json:"unsigned,omitempty"`
	Verdict
	TxType         string `json:"txType,omitempty"`
	UnsignedLength int    `json:"unsignedLength,omitempty"`
	Signatures     []int  `json:"signatures,omitzero"`
	SignedLength   int    `json:"signedLength,omitempty"`
}

func (c *SizeCase) Judge() error {
	data, err := hex.DecodeString(c.Unsigned)
	if err != nil {
		return err
	}
	tx := new(txs.Tx)
	c.TxType, c.UnsignedLength, c.Signatures, c.SignedLength = "", 0, nil, 0
	if _, err := vm.Codec().Unmarshal(data, &tx.Unsigned); err != nil {
		c.refuse(err)
		return nil
	}
	c.accept()
	c.TxType = TypeOf(tx.Unsigned)
	if c.UnsignedLength, err = vm.Codec().Size(txs.CodecVersion, &tx.Unsigned); err != nil {
		return err
	}
	c.Signatures = []int{}
	for _, credential := range EmptyCredentials(tx.Unsigned) {
		c.Signatures = append(c.Signatures, len(SignaturesOf(credential)))
		tx.Creds = append(tx.Creds, &fxs.FxCredential{Credential: credential})
	}
	c.SignedLength, err = vm.Codec().Size(txs.CodecVersion, tx)
	return err
}

func (c *SizeCase) Answer() any {
	answer := *c
	answer.Unsigned = ""
	return &answer
}

// EmptyCredentials returns the credentials that a transaction needs, with zero
// bytes in place of signatures.
func EmptyCredentials(unsigned txs.UnsignedTx) (credentials []verify.Verifiable) {
	inputs := func(list []*avax.TransferableInput) {
		for _, input := range list {
			credentials = append(credentials, &secp256k1fx.Credential{
				Sigs: emptySignatures(input.In.(*secp256k1fx.TransferInput).SigIndices),
			})
		}
	}
	switch tx := unsigned.(type) {
	case *txs.BaseTx:
		inputs(tx.Ins)
	case *txs.CreateAssetTx:
		inputs(tx.Ins)
	case *txs.ExportTx:
		inputs(tx.Ins)
	case *txs.ImportTx:
		inputs(tx.Ins)
		inputs(tx.ImportedIns)
	case *txs.OperationTx:
		inputs(tx.Ins)
		for _, operation := range tx.Ops {
			credentials = append(credentials, credentialOf(operation.Op))
		}
	}
	return credentials
}

func credentialOf(operation fxs.FxOperation) verify.Verifiable {
	secp := func(input secp256k1fx.Input) secp256k1fx.Credential {
		return secp256k1fx.Credential{Sigs: emptySignatures(input.SigIndices)}
	}
	switch operation := operation.(type) {
	case *secp256k1fx.MintOperation:
		credential := secp(operation.MintInput)
		return &credential
	case *nftfx.MintOperation:
		return &nftfx.Credential{Credential: secp(operation.MintInput)}
	case *nftfx.TransferOperation:
		return &nftfx.Credential{Credential: secp(operation.Input)}
	case *propertyfx.MintOperation:
		return &propertyfx.Credential{Credential: secp(operation.MintInput)}
	case *propertyfx.BurnOperation:
		return &propertyfx.Credential{Credential: secp(operation.Input)}
	}
	panic("unknown operation")
}

func emptySignatures(indices []uint32) [][secp256k1.SignatureLen]byte {
	return make([][secp256k1.SignatureLen]byte, len(indices))
}
