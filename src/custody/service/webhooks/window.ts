/**
 * Which messages may be sent now, and up to which event all are done. Messages are added in the order of their events. Those
 * of one lane are sent one after the other, those of different lanes at the same time.
 */
export class DeliveryWindow<M extends { readonly event: bigint; readonly lane: string }> {
  /** Messages of each lane that are not done, the first of which is ready or being sent. */
  private readonly lanes = new Map<string, M[]>()
  private readonly ready: M[] = []
  /** Events that are not done, in their order: a map keeps it. */
  private readonly open = new Map<bigint, M>()
  private last: bigint

  /** @param cursor - event up to which all are done */
  constructor(cursor: bigint) {
    this.last = cursor
  }

  /** Number of messages that are not done. */
  get size(): number {
    return this.open.size
  }

  /** All events up to this one are done. */
  get cursor(): bigint {
    const first = this.open.keys().next()
    return first.done ? this.last : first.value - 1n
  }

  /** Adds a message. */
  add(message: M): void {
    this.last = message.event
    this.open.set(message.event, message)
    const lane = this.lanes.get(message.lane)
    if (lane !== undefined) lane.push(message)
    else {
      this.lanes.set(message.lane, [message])
      this.ready.push(message)
    }
  }

  /** Records that there are no messages up to an event but those that were added. */
  pass(event: bigint): void {
    if (event > this.last) this.last = event
  }

  /** The next message to send; undefined if all wait for others. */
  take(): M | undefined {
    return this.ready.shift()
  }

  /** Ends a message that was taken. The next one of its lane may be sent. */
  done(message: M): void {
    this.open.delete(message.event)
    const lane = this.lanes.get(message.lane)!
    lane.shift()
    if (lane.length === 0) this.lanes.delete(message.lane)
    else this.ready.push(lane[0]!)
  }

  /** Ends a message that was taken together with all later ones of its lane, and returns them in their order. */
  block(message: M): readonly M[] {
    const lane = this.lanes.get(message.lane)!
    this.lanes.delete(message.lane)
    for (const { event } of lane) this.open.delete(event)
    return lane
  }
}
