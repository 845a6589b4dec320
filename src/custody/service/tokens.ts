import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  argument,
  type Check,
  date,
  invalid,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../../core/base/argument.ts'
import { identity } from '../control/limit-rules.ts'
import {
  type Database,
  type DatabasePool,
  databaseArgument,
  openDatabase,
} from '../database/database.ts'
import { requireSchema } from '../database/migrate.ts'
import type { Bytes } from '../database/values.ts'
import { ServiceError } from './errors.ts'

/**
 * What a token may do. `reader`: read deposits, payouts, events, status. `requester`: request payouts, read them, and watch
 * addresses. `operator`: read everything, hold, release and cancel payouts, sweep, reconcile. `approver`: read everything and
 * approve payouts.
 */
export type Role = 'reader' | 'requester' | 'operator' | 'approver'

/** The roles in the order of their rights. */
export const ROLES: readonly Role[] = ['reader', 'requester', 'operator', 'approver']

/** A token to be made. */
export type NewToken = {
  /** The identity that events name as actor. A token that replaces another has the same name. */
  readonly name: string
  readonly roles: readonly Role[]
  /** @defaultValue in 90 days */
  readonly expiresAt?: Date | undefined
}

/** A token without its secret. */
export type TokenInfo = {
  /** Public part of the token. */
  readonly id: string
  readonly name: string
  readonly roles: readonly Role[]
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Undefined if it was not removed. */
  readonly removedAt: Date | undefined
}

/** Where the tables of a custody system are. */
export type ServiceTables = {
  /** URL of a PostgreSQL database, or a pool of the package `pg`, which stays the caller's. */
  readonly database: string | DatabasePool
  /** @defaultValue `avmkit` */
  readonly schema?: string | undefined
}

/** Describes where the tables are. */
export const serviceTables: Check<ServiceTables> = object<ServiceTables>({
  database: databaseArgument,
  schema: optional(text),
})

/** Opens the tables, which must be those of this version. */
export async function openTables({ database, schema }: ServiceTables): Promise<Database> {
  const opened = await openDatabase(database, schema ?? 'avmkit')
  try {
    await requireSchema(opened)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The tokens of a service. */
export type Tokens = {
  /** Makes a token. Its text is returned only once: the database has its SHA-256. */
  readonly add: (token: NewToken) => Promise<TokenInfo & { readonly token: string }>
  /** All tokens, expired and removed ones included, oldest first. */
  readonly list: () => Promise<TokenInfo[]>
  /**
   * Removes a token. Services refuse it after at most a second.
   *
   * @throws ServiceError `TOKEN_UNKNOWN`
   */
  readonly remove: (id: string) => Promise<void>
  /** Closes the database connections, except those of a pool that the caller passed. */
  readonly close: () => Promise<void>
}

const DEFAULT_DAYS = 90
const DAY_MS = 86_400_000

const roles: Check<readonly Role[]> = (value, at) => {
  const given = list(oneOf(...ROLES))(value, at)
  if (given.length === 0) throw invalid(value, at, 'at least one role')
  return ROLES.filter((role) => given.includes(role))
}

const future: Check<Date> = (value, at) => {
  const time = date(value, at)
  if (time.getTime() <= Date.now()) throw invalid(value, at, 'a Date in the future')
  return time
}

const newToken: Check<NewToken> = object<NewToken>({
  name: identity,
  roles,
  expiresAt: optional(future),
})

/**
 * Opens the tokens of a service.
 *
 * @example
 * const tokens = await openTokens({ database: 'postgres://localhost/custody' })
 * const { token } = await tokens.add({ name: 'withdrawals', roles: ['requester'] })
 */
export async function openTokens(options: ServiceTables): Promise<Tokens> {
  const database = await openTables(argument('openTokens', options, serviceTables))
  return {
    add: async (token) => {
      const { name, roles, expiresAt } = argument('add', token, newToken)
      const id = randomBytes(6).toString('hex')
      const secret = randomBytes(32).toString('base64url')
      const end = expiresAt ?? new Date(Date.now() + DEFAULT_DAYS * DAY_MS)
      const [row] = await database.query<TokenColumns>(
        `INSERT INTO @.tokens (id, name, roles, hash, expires_at) VALUES ($1, $2, $3, $4, $5) RETURNING *`,
        [id, name, roles, hashOf(secret), end],
      )
      return { ...infoFrom(row!), token: `avmkit_${id}_${secret}` }
    },
    list: async () => {
      const rows = await database.query<TokenColumns>(
        'SELECT * FROM @.tokens ORDER BY created_at, id',
      )
      return rows.map(infoFrom)
    },
    remove: async (id) => {
      const [row] = await database.query(
        'UPDATE @.tokens SET removed_at = coalesce(removed_at, now()) WHERE id = $1 RETURNING 1',
        [argument('remove', id, text, 'id')],
      )
      if (row === undefined) throw new ServiceError('TOKEN_UNKNOWN', 'no token has this ID')
    },
    close: () => database.close(),
  }
}

type TokenColumns = {
  readonly id: string
  readonly name: string
  readonly roles: readonly Role[]
  readonly hash: Bytes
  readonly created_at: Date
  readonly expires_at: Date
  readonly removed_at: Date | null
}

function infoFrom(row: TokenColumns): TokenInfo {
  return {
    id: row.id,
    name: row.name,
    roles: row.roles,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    removedAt: row.removed_at ?? undefined,
  }
}

/**
 * A token has 256 random bits, so nobody can find it from its hash by guessing: a slow hash, which protects passwords, would
 * only slow down every request.
 */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Who makes a request. */
export type Identity = {
  readonly id: string
  readonly name: string
  readonly roles: readonly Role[]
}

const TOKEN = /^[Bb]earer avmkit_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/

const NO_HASH = Buffer.alloc(32)

/** Reads tokens. */
export type ReadTokens = () => Promise<ReadonlyMap<string, TokenColumns>>

/**
 * Finds the valid token of an `Authorization` header.
 *
 * @param readKnown - tokens as read at most a second ago
 * @param readNew - tokens as read a moment ago, for a token that was added since
 */
export async function authenticate(
  header: string | undefined,
  readKnown: ReadTokens,
  readNew: ReadTokens,
): Promise<Identity | undefined> {
  const [, id, secret] = TOKEN.exec(header ?? '') ?? []
  if (id === undefined || secret === undefined) return undefined
  const row = (await readKnown()).get(id) ?? (await readNew()).get(id)
  // Compared in constant time, so that the time does not tell how many bytes are right.
  const isSame = timingSafeEqual(hashOf(secret), row?.hash ?? NO_HASH)
  return row !== undefined && isSame ? row : undefined
}

/** Reads the tokens that are valid by the clock of the database. */
export async function readValidTokens(
  database: Database,
): Promise<ReadonlyMap<string, TokenColumns>> {
  const rows = await database.query<TokenColumns>(
    'SELECT * FROM @.tokens WHERE removed_at IS NULL AND expires_at > now()',
  )
  return new Map(rows.map((row) => [row.id, row]))
}
