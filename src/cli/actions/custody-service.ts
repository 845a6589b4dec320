import { AvmError } from '../../core/base/errors.ts'
import { parseJSON } from '../../core/codec/json-text.ts'
import { escaped } from '../../core/sign/text.ts'
import type { Role, ServiceTables, Tokens, Webhook, Webhooks } from '../../custody/service/index.ts'
import type { Result } from '../command.ts'
import { databaseURL, openNamedCustody, openSigningCustody } from '../connections/custody.ts'
import { CliError, UsageError } from '../errors.ts'
import { readText } from '../files/files.ts'
import type { Invocation } from '../invocation.ts'
import { jsonLine } from '../terminal/plain.ts'
import { counted, table } from '../terminal/print.ts'

const DAY_MS = 86_400_000

/** `custody serve` */
export async function serve(invocation: Invocation): Promise<Result | undefined> {
  const { values, io } = invocation
  const certificate = values.text('tls-cert')
  const key = values.text('tls-key')
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError('MISSING_OPTION', '--tls-cert and --tls-key belong together')
  const tls =
    certificate === undefined || key === undefined
      ? undefined
      : { cert: await readText(certificate, io), key: await readText(key, io) }
  const file = values.text('webhooks')
  const webhooks = file === undefined ? undefined : parseWebhooks(await readText(file, io))
  // Only sweeps need keys.
  const open = values.has('rules') ? openSigningCustody : openNamedCustody
  const custody = await open(invocation)
  const { serveCustody } = await import('../../custody/service/index.ts')
  const { url, close } = await serveCustody({
    custody,
    ...tablesOf(invocation),
    host: values.text('listen'),
    port: values.integer('port', 0, 65_535) ?? 8080,
    tls,
    webhooks,
    log: ({ level, event, message, details }) => {
      const text = values.has('json')
        ? jsonLine({ time: new Date().toISOString(), level, event, message, ...details })
        : escaped(`${level} ${event}: ${message}`)
      io.stderr.write(`${text}\n`)
    },
  })
  invocation.atEnd(close)
  io.stderr.write(`serving at ${url}, routes at ${url}/docs\n`)
  await new Promise<void>((resolve) => {
    if (io.signal?.aborted) resolve()
    io.signal?.addEventListener('abort', () => resolve())
  })
  return undefined
}

/** The content is checked when the service starts. */
function parseWebhooks(text: string): Webhook[] {
  try {
    return parseJSON(text) as unknown as Webhook[]
  } catch (cause) {
    if (!(cause instanceof AvmError)) throw cause
    throw new CliError('CONFIG_INVALID', `the file of --webhooks: ${cause.message}`, { cause })
  }
}

function tablesOf(invocation: Invocation): ServiceTables {
  return {
    database: databaseURL(invocation),
    schema: invocation.values.text('schema') ?? 'avmkit',
  }
}

/** `custody tokens` */
export async function tokens(invocation: Invocation): Promise<Result> {
  const { openTokens } = await import('../../custody/service/index.ts')
  const tokens = await openTokens(tablesOf(invocation))
  invocation.atEnd(tokens.close)
  const [action, name] = invocation.values.args
  if (action === 'list') return listTokens(tokens, invocation)
  if (name === undefined)
    throw new UsageError(
      'MISSING_ARGUMENT',
      action === 'add' ? 'expected the name of the holder' : 'expected the ID of the token',
    )
  if (action === 'add') return addToken(tokens, name, invocation)
  await tokens.remove(name)
  return { json: { removed: name }, text: `removed ${escaped(name)}` }
}

async function addToken(tokens: Tokens, name: string, { values }: Invocation): Promise<Result> {
  const roles = values.list('role') as Role[]
  if (roles.length === 0)
    throw new UsageError('MISSING_OPTION', '--role is missing', {
      hint: 'reader, requester, operator or approver',
    })
  const days = values.integer('days', 1, 3650)
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * DAY_MS)
  const added = await tokens.add({ name, roles, expiresAt })
  const json = {
    ...added,
    createdAt: added.createdAt.toISOString(),
    expiresAt: added.expiresAt.toISOString(),
  }
  return {
    json,
    text: `${added.token}\nID ${added.id}, expires ${json.expiresAt}; the token is not shown again`,
  }
}

async function listTokens(tokens: Tokens, { paint }: Invocation): Promise<Result> {
  const list = (await tokens.list()).map((one) => ({
    ...one,
    createdAt: one.createdAt.toISOString(),
    expiresAt: one.expiresAt.toISOString(),
    removedAt: one.removedAt?.toISOString() ?? null,
  }))
  const columns = ['ID', 'name', 'roles', 'expires', 'removed'].map((title) => ({ title }))
  const cells = list.map(({ id, name, roles, expiresAt, removedAt }) => [
    id,
    name,
    roles.join(' '),
    expiresAt,
    removedAt ?? '',
  ])
  return {
    json: { tokens: list },
    text: list.length === 0 ? 'no tokens' : table(columns, cells, paint),
  }
}

/** `custody webhooks` */
export async function webhooks(invocation: Invocation): Promise<Result> {
  const { values } = invocation
  const { openWebhooks } = await import('../../custody/service/index.ts')
  const webhooks = await openWebhooks(tablesOf(invocation))
  invocation.atEnd(webhooks.close)
  const [action, name] = values.args
  if (action === 'list') return listWebhooks(webhooks, invocation)
  if (action === 'dead') return listDead(webhooks, invocation)
  if (name === undefined)
    throw new UsageError('MISSING_ARGUMENT', 'expected the name of the receiver')
  const given = values.list('event')
  for (const event of given)
    if (!/^[0-9]{1,18}$/.test(event))
      throw new UsageError('BAD_VALUE', `--event must be a number, is ${escaped(event)}`)
  const replayed = await webhooks.replay(name, {
    events: given.length === 0 ? undefined : given.map(BigInt),
  })
  return { json: { replayed }, text: `replaying ${counted(replayed, 'message')}` }
}

async function listWebhooks(webhooks: Webhooks, { paint }: Invocation): Promise<Result> {
  const list = (await webhooks.list()).map((one) => ({
    ...one,
    lastDelivery: one.lastDelivery?.toISOString() ?? null,
  }))
  const columns = ['name', 'cursor', 'behind', 'delivered', 'waiting', 'dead', 'last'].map(
    (title) => ({
      title,
    }),
  )
  const cells = list.map((one) => [
    one.name,
    String(one.cursor),
    String(one.behind),
    String(one.delivered),
    String(one.waiting),
    String(one.dead),
    one.lastDelivery ?? 'never',
  ])
  return {
    json: { webhooks: list },
    text: list.length === 0 ? 'no webhooks' : table(columns, cells, paint),
  }
}

async function listDead(webhooks: Webhooks, { paint }: Invocation): Promise<Result> {
  const list = (await webhooks.dead()).map((one) => ({ ...one, deadAt: one.deadAt.toISOString() }))
  const columns = ['webhook', 'event', 'attempts', 'order', 'last error'].map((title) => ({
    title,
  }))
  const cells = list.map((one) => [
    one.webhook,
    String(one.event),
    String(one.attempts),
    one.lane,
    one.lastError ?? '',
  ])
  return {
    json: { messages: list },
    text: list.length === 0 ? 'no dead messages' : table(columns, cells, paint),
  }
}
