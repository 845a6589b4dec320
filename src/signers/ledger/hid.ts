import { argument, type Check, capability } from '../../core/base/argument.ts'
import { concat } from '../../core/base/bytes/concat.ts'
import { LedgerError } from './errors.ts'
import type { LedgerTransport } from './transport.ts'

// USB framing of Ledger devices: packets of 64 bytes with a channel, a tag and a sequence number; the first one also
// has the length of the command or reply.

const PACKET_SIZE = 64
const CHANNEL = 0x0101
const TAG = 0x05

/** An opened `HIDDevice` of WebHID. */
export type WebHIDDevice = {
  /** Sends one packet. */
  sendReport(reportID: number, data: Uint8Array<ArrayBuffer>): Promise<void>
  /** Registers what receives packets. */
  addEventListener(
    type: 'inputreport',
    listener: (event: { readonly data: DataView }) => void,
  ): void
}

/** An opened device of `node-hid`: `HIDAsync` or `HID`. */
export type NodeHIDDevice = {
  /** Sends one packet, behind the report ID. */
  write(data: number[]): unknown
  /** Registers what receives packets. */
  on(event: 'data', listener: (data: Uint8Array) => void): unknown
}

const device: Check<WebHIDDevice | NodeHIDDevice> = (value, at) => {
  if (isWebHID(value)) return value
  return capability<NodeHIDDevice>('an open device of WebHID or node-hid', 'write', 'on')(value, at)
}

function isWebHID(value: unknown): value is WebHIDDevice {
  return typeof (value as WebHIDDevice | undefined)?.sendReport === 'function'
}

/**
 * A transport over USB. The device is opened by the caller, so that nothing is installed that is not used.
 *
 * @example
 * const [device] = await navigator.hid.requestDevice({ filters: [{ vendorId: 0x2c97 }] })
 * await device.open()
 * const transport = hidTransport(device)
 */
export function hidTransport(opened: WebHIDDevice | NodeHIDDevice): LedgerTransport {
  const hid = argument('hidTransport', opened, device, 'device')
  let receive: ((packet: Uint8Array) => void) | undefined
  if (isWebHID(hid))
    hid.addEventListener('inputreport', ({ data }) =>
      receive?.(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
    )
  else hid.on('data', (data) => receive?.(new Uint8Array(data)))

  async function write(packet: Uint8Array<ArrayBuffer>): Promise<void> {
    // The first byte of node-hid is the report ID.
    await (isWebHID(hid) ? hid.sendReport(0, packet) : hid.write([0, ...packet]))
  }

  return {
    async send(cla, ins, p1, p2, data) {
      if (receive !== undefined)
        throw new LedgerError('LEDGER_BUSY', 'the connection waits for another reply')
      try {
        const reply = new Promise<Uint8Array>((resolve, reject) => {
          receive = assembler(resolve, reject)
        })
        // Handled here even if writing fails first.
        reply.catch(() => undefined)
        for (const packet of packetsOf(
          concat([Uint8Array.of(cla, ins, p1, p2, data.length), data]),
        ))
          await write(packet)
        return await reply
      } finally {
        receive = undefined
      }
    },
  }
}

/** Splits a command into packets, padded with zeros. */
function* packetsOf(command: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  const sized = concat([Uint8Array.of(command.length >> 8, command.length & 0xff), command])
  const room = PACKET_SIZE - 5
  for (let i = 0; i * room < sized.length; i++) {
    const packet = new Uint8Array(PACKET_SIZE)
    packet.set([CHANNEL >> 8, CHANNEL & 0xff, TAG, i >> 8, i & 0xff])
    packet.set(sized.subarray(i * room, (i + 1) * room), 5)
    yield packet
  }
}

/** Collects the packets of one reply. Packets of other channels are not for this program. */
function assembler(
  resolve: (reply: Uint8Array) => void,
  reject: (error: LedgerError) => void,
): (packet: Uint8Array) => void {
  let parts: Uint8Array[] = []
  return (packet) => {
    const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
    if (packet.length < 7 || view.getUint16(0) !== CHANNEL) return
    if (packet[2] !== TAG || view.getUint16(3) !== parts.length)
      return reject(new LedgerError('LEDGER_REPLY', 'the packets of the device are out of order'))
    parts = [...parts, packet.slice(5)]
    const whole = concat(parts)
    const size = (whole[0]! << 8) | whole[1]!
    if (whole.length >= 2 + size) resolve(whole.slice(2, 2 + size))
  }
}
