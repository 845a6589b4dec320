const assert = require('node:assert/strict')

// The package is ESM. Where `require` can load ES modules, it can load every entry point.

const { tx, entries } = JSON.parse(process.argv[2])
const [{ decodeTx, encodeTx, formatID, hex, txID }] = entries.map((entry) => require(entry))
const bytes = hex.decode(tx.bytes)
assert.equal(formatID(txID(bytes)), tx.txID)
assert.equal(hex.encode(encodeTx(decodeTx(bytes))), tx.bytes)
console.log('require')
