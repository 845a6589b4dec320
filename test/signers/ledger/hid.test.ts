import { describe, expect, it } from 'vitest'
import { hidTransport, ledgerApp } from '../../../src/signers/ledger/index.ts'
import { EmulatedLedger } from './emulated-ledger.ts'

/** The device's end of the cable: assembles packets to commands and splits replies. */
class Cable {
  readonly packets: Uint8Array[] = []
  private parts: Uint8Array[] = []
  private readonly device: EmulatedLedger
  private readonly deliver: (packet: Uint8Array) => void
  constructor(device: EmulatedLedger, deliver: (packet: Uint8Array) => void) {
    this.device = device
    this.deliver = deliver
  }

  async accept(packet: Uint8Array): Promise<void> {
    expect(packet.length).toBe(64)
    expect([...packet.slice(0, 5)]).toEqual([1, 1, 5, 0, this.parts.length])
    this.packets.push(packet)
    this.parts.push(packet.slice(5))
    const whole = Uint8Array.from(this.parts.flatMap((part) => [...part]))
    const size = (whole[0]! << 8) | whole[1]!
    if (whole.length < 2 + size) return
    this.parts = []
    const [cla, ins, p1, p2, length] = whole.slice(2, 7) as unknown as number[]
    expect(length).toBe(size - 5)
    const reply = await this.device.send(cla!, ins!, p1!, p2!, whole.slice(7, 2 + size))
    const sized = [reply.length >> 8, reply.length & 0xff, ...reply]
    // A packet of another program on the same device comes first.
    this.deliver(new Uint8Array(64).fill(9))
    for (let i = 0; i * 59 < sized.length; i++) {
      const part = sized.slice(i * 59, (i + 1) * 59)
      const packet = new Uint8Array(64)
      packet.set([1, 1, 5, i >> 8, i & 0xff, ...part])
      this.deliver(packet)
    }
  }
}

function webHID(device: EmulatedLedger) {
  let listener: ((event: { readonly data: DataView }) => void) | undefined
  const cable = new Cable(device, (packet) => {
    // A view into a larger buffer, as browsers may pass it.
    const buffer = Uint8Array.from([0, 0, ...packet]).buffer
    listener?.({ data: new DataView(buffer, 2, packet.length) })
  })
  return {
    sendReport: async (id: number, data: Uint8Array) => {
      expect(id).toBe(0)
      await cable.accept(data)
    },
    addEventListener: (_: 'inputreport', on: (event: { readonly data: DataView }) => void) => {
      listener = on
    },
  }
}

function nodeHID(device: EmulatedLedger) {
  let listener: ((data: Uint8Array) => void) | undefined
  const cable = new Cable(device, (packet) => listener?.(Buffer.from(packet)))
  return {
    write(data: number[]) {
      expect(data[0]).toBe(0)
      return cable.accept(Uint8Array.from(data.slice(1)))
    },
    on(_: 'data', on: (data: Uint8Array) => void) {
      listener = on
    },
  }
}

describe('hidTransport', () => {
  for (const [name, open] of [
    ['WebHID', webHID],
    ['node-hid', nodeHID],
  ] as const)
    it(`carries commands and replies over ${name}`, async () => {
      const device = new EmulatedLedger()
      const app = ledgerApp(hidTransport(open(device)))
      expect(await app.info()).toEqual({ name: 'Avalanche', version: '1.4.14' })
      const direct = await ledgerApp(new EmulatedLedger()).extendedPublicKey()
      expect(await app.extendedPublicKey()).toBe(direct)
      // 250 bytes of data take five packets.
      const unsignedBytes = new Uint8Array(600)
      const signing = app.signTransaction({
        prefix: "m/44'/9000'/0'",
        signers: ['0/0'],
        unsignedBytes,
      })
      await expect(signing).rejects.toMatchObject({ code: 'LEDGER_DATA_REFUSED' })
      expect(await app.info()).toMatchObject({ name: 'Avalanche' })
    })

  it('reports packets out of order, and a device that cannot be written to', async () => {
    let listener: ((data: Uint8Array) => void) | undefined
    const wrong = {
      write: () => listener?.(Uint8Array.of(1, 1, 5, 0, 1, 0, 2, 0x90, 0)),
      on: (_: 'data', on: (data: Uint8Array) => void) => {
        listener = on
      },
    }
    await expect(ledgerApp(hidTransport(wrong)).info()).rejects.toMatchObject({
      code: 'LEDGER_REPLY',
    })
    const closed = {
      write: () => {
        throw new Error('device closed')
      },
      on: () => undefined,
    }
    const app = ledgerApp(hidTransport(closed))
    for (let i = 0; i < 2; i++)
      await expect(app.info()).rejects.toMatchObject({ code: 'LEDGER_TRANSPORT' })
  })

  it('refuses anything else than a device', () => {
    for (const value of [undefined, null, {}, { write: 1 }, 'device'])
      expect(() => hidTransport(value as never)).toThrow(/hidTransport/)
  })
})
