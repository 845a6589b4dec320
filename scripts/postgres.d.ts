/** A PostgreSQL server for tests, with its data in a folder. */
export type Server = {
  readonly url: string
  /** For people: which server it is. */
  readonly name: string
  /** Kills it without a checkpoint, as `pg_ctl stop -m immediate` does. */
  readonly crash: () => void
  /** Starts it again after a crash, on the same port. */
  readonly start: () => Promise<void>
  readonly stop: () => void
}

/** Folder with `initdb`, `pg_ctl` and `postgres`; undefined if there is none. */
export function findBinaries(): { readonly folder: string; readonly origin: string } | undefined

/** Creates and starts a server with its data in a folder. */
export function startServer(folder: string, options?: { readonly fsync?: boolean }): Promise<Server>

/** Stops a server by its folder, from a process that did not start it. */
export function stopServer(folder: string): void
