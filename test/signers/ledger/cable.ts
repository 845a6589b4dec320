import { expect } from 'vitest'
import type { EmulatedLedger } from './emulated-ledger.ts'

/** The device's end of the cable: assembles packets to commands and splits replies. */
export class Cable {
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
