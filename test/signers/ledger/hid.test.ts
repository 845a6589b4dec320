import { describe, expect, it } from 'vitest'
import { hidTransport, ledgerApp } from '../../../src/signers/ledger/index.ts'
import { Cable } from './cable.ts'
import { EmulatedLedger } from './emulated-ledger.ts'

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
      message: 'the packets of the device are out of order',
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
