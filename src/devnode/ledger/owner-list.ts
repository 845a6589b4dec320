type Link = { readonly key: string; older: Link | undefined; newer: Link | undefined }

/**
 * The UTXOs of one address, newest first: a linked list as in the node (`database/linkeddb`), because pages continue
 * from any entry and entries are removed from the middle.
 */
export class OwnerList {
  private readonly entries = new Map<string, Link>()
  private newest: Link | undefined

  get size(): number {
    return this.entries.size
  }

  has(key: string): boolean {
    return this.entries.has(key)
  }

  add(key: string): void {
    if (this.entries.has(key)) return
    const entry: Link = { key, older: this.newest, newer: undefined }
    if (this.newest !== undefined) this.newest.newer = entry
    this.newest = entry
    this.entries.set(key, entry)
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    if (entry.newer === undefined) this.newest = entry.older
    else entry.newer.older = entry.older
    if (entry.older !== undefined) entry.older.newer = entry.newer
    this.entries.delete(key)
  }

  /** Iterates newest first, after `after` if the list contains it, otherwise from the head. */
  *from(after?: string): Generator<string> {
    const start = after === undefined ? undefined : this.entries.get(after)
    for (let entry = start === undefined ? this.newest : start.older; entry; entry = entry.older)
      yield entry.key
  }
}
