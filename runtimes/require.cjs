const assert = require('node:assert/strict')

// The package is ESM; wherever `require` may load that, every entry point can be had this way too.

const { tx, entries } = JSON.parse(process.argv[2])
const [{ decodeTx, encodeTx, formatID, hex, txID }] = entries.map((entry) => require(entry))
const bytes = hex.decode(tx.bytes)
assert.equal(formatID(txID(bytes)), tx.txID)
assert.equal(hex.encode(encodeTx(decodeTx(bytes))), tx.bytes)
console.log('require')
