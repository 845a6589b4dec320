import { ADDRESS_SIZE, formatAddress, parseAddress } from '../../../core/base/encoding/address.ts'
import { formatAmount, parseAmount } from '../../../core/base/encoding/amount.ts'
import { cb58 } from '../../../core/base/encoding/cb58.ts'
import { checkedHex } from '../../../core/base/encoding/checked-hex.ts'
import { hex } from '../../../core/base/encoding/hex.ts'
import { ID_SIZE } from '../../../core/base/encoding/ids.ts'
import { AvmError } from '../../../core/base/errors.ts'
import { InspectError } from '../../../inspect/errors.ts'
import { holdsSecret } from '../../../inspect/secrets.ts'
import type { Result } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { argumentText } from '../../files/input.ts'
import type { Invocation } from '../../invocation.ts'
import { details, timeText } from '../../terminal/print.ts'
import { parseTime } from '../../time.ts'

type Forms = { readonly [name: string]: string }

/** Decimals of the C-Chain. */
const WEI_DECIMALS = 18

/** Converts a value to all its forms. */
export async function convert(invocation: Invocation): Promise<Result> {
  const text = (await argumentText(invocation)).trim()
  if (holdsSecret(text))
    throw new InspectError(
      'NOT_RECOGNIZED',
      'this looks like a private key, which is not converted',
      {
        hint: 'avmkit keys show --key-file - shows the address of a key',
      },
    )
  if (text.startsWith('xpub')) return (await import('./address.ts')).showAddresses(text, invocation)
  if (invocation.values.has('count'))
    throw new UsageError('BAD_VALUE', 'only an xpub… has more than one address for --count')
  const forms = formsOf(text, (await invocation.network()).hrp)
  return { json: forms, text: details(Object.entries(forms), invocation.paint) }
}

function formsOf(text: string, hrp: string): Forms {
  const amount = /^([0-9]+(?:\.[0-9]+)?)\s*(AVAX|nAVAX|wei)$/i.exec(text)
  if (amount !== null) return amountForms(amount[1]!, amount[2]!.toLowerCase())
  if (/^[0-9]{9,12}$/.test(text) || /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text))
    return timeForms(parseTime(text))
  if (text.includes('-') && /^[A-Za-z0-9]+-[a-z]+1/.test(text)) {
    const { chain, hrp: own, address } = parseAddress(text)
    return { chain, hrp: own, ...bytesForms(address, own) }
  }
  return bytesForms(parseBytes(text), hrp)
}

function amountForms(digits: string, unit: string): Forms {
  if (unit === 'wei') {
    const wei = parseAmount(digits, 0)
    return { wei: String(wei), AVAX: formatAmount(wei, WEI_DECIMALS) }
  }
  const units = parseAmount(digits, unit === 'avax' ? 9 : 0)
  return {
    AVAX: formatAmount(units, 9),
    nAVAX: String(units),
    wei: String(units * 10n ** 9n),
  }
}

function timeForms(seconds: bigint): Forms {
  return { unix: String(seconds), date: timeText(seconds) }
}

/** Reads hex, cb58 or base64, in this order. A valid checksum of hex that starts with 0x is removed. */
function parseBytes(text: string): Uint8Array {
  const isHex = text.length % 2 === 0 && /^(0x)?[0-9a-f]*$/i.test(text)
  if (isHex) {
    try {
      if (text.startsWith('0x')) return checkedHex.decode(text)
    } catch (error) {
      if (!(error instanceof AvmError)) throw error
    }
    return hex.decode(text)
  }
  try {
    return cb58.decode(text)
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    const bytes = new Uint8Array(Buffer.from(text, 'base64'))
    if (Buffer.from(bytes).toString('base64') === text) return bytes
  }
  throw new InspectError(
    'NOT_RECOGNIZED',
    'this is not an amount, time, address, xpub, hex, cb58 or base64',
    {
      hint: 'write amounts with their unit, such as 1.5AVAX',
    },
  )
}

function bytesForms(bytes: Uint8Array, hrp: string): Forms {
  return {
    hex: `0x${hex.encode(bytes)}`,
    'hex with checksum': checkedHex.encode(bytes),
    ...(bytes.length === ADDRESS_SIZE || bytes.length === ID_SIZE
      ? { cb58: cb58.encode(bytes) }
      : {}),
    base64: Buffer.from(bytes).toString('base64'),
    ...(bytes.length === ADDRESS_SIZE
      ? { address: formatAddress({ chain: 'X', hrp, address: bytes }) }
      : {}),
    size: `${bytes.length} bytes`,
  }
}
