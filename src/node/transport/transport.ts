import { platformSend as defaultSend } from '#send'
import { type Clock, countdown, MAX_TIMER_MS, sleepFor, stopwatch, systemClock } from '../clock.ts'
import {
  AbortError,
  HttpError,
  type HttpErrorCode,
  isRetryable,
  ReplyError,
  RpcError,
  TimeoutError,
} from '../errors.ts'
import type {
  CallOptions,
  HttpCall,
  HttpReply,
  RequestAttempt,
  ServerRequest,
  TransportOptions,
} from '../http.ts'
import { onAbort } from './abort.ts'
import {
  type Endpoint,
  headersFor,
  isSecretHeader,
  parseEndpoint,
  redact,
  safeCause,
  secretsOf,
} from './endpoint.ts'
import { type RateLimit, readRateLimit, requestedDelayMs } from './rate-limit.ts'
import { backoff, type RetryPolicy, retryPolicy } from './retry.ts'
import { BodyTooLarge, type HttpRequest, type HttpResponse, type Send, sendWith } from './send.ts'
import { isSuccess } from './status.ts'
import { throwIfAborted } from './time-limit.ts'

/** Maximum delay that a server can request: larger values are probably not meant as seconds. */
export const MAX_PAUSE_MS: number = 3_600_000

type Server = Endpoint & {
  /** Milliseconds that are left of the delay that the server asked for. */
  pauseLeft: () => number
  lastAsked: ServerRequest['lastAsked']
  height: bigint | undefined
  readonly headers: { readonly [name: string]: string }
}

/** Sends requests: endpoints, timeouts, retries, size limit, redaction. One per client. */
export class Transport {
  readonly clock: Clock
  private readonly servers: readonly Server[]
  private readonly send: Send
  private readonly secrets: readonly string[]
  /** Default time limit of one attempt. */
  readonly timeoutMs: number
  private readonly maxBodyBytes: number
  private readonly policy: RetryPolicy
  private readonly onAttempt: ((attempt: RequestAttempt) => void) | undefined
  /** The server that last answered. */
  private preferred = 0
  private lastRateLimit: RateLimit | undefined
  /** Upper bound of the server's clock minus the local clock, in milliseconds. */
  private clockOffset: number | undefined

  constructor(options: TransportOptions) {
    const addresses = typeof options.url === 'string' ? [options.url] : options.url
    this.send = options.fetch === undefined ? defaultSend : sendWith(options.fetch)
    const headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const endpoints = addresses.map(parseEndpoint)
    this.servers = endpoints.map((endpoint) => ({
      ...endpoint,
      pauseLeft: () => 0,
      lastAsked: undefined,
      height: undefined,
      headers: headersFor(endpoint.base, endpoints[0]!.base, headers),
    }))
    this.secrets = [
      ...this.servers.flatMap((server) => server.secrets),
      ...secretsOf(
        Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : [])),
      ),
    ].sort((a, b) => b.length - a.length)
    this.timeoutMs = options.timeoutMs ?? 10_000
    this.maxBodyBytes = options.maxBodyBytes ?? 32 * 1024 * 1024
    this.policy = retryPolicy(options.retry)
    this.onAttempt = options.onAttempt
    this.clock = options.clock ?? systemClock
  }

  get serverCount(): number {
    return this.servers.length
  }

  /** The last request to each server. */
  get lastRequests(): ServerRequest[] {
    return this.servers.map(({ host: server, lastAsked, height }) => ({
      server,
      lastAsked,
      height,
    }))
  }

  /** Notes a block that a server has shown. */
  sawBlock(server: number, height: bigint): void {
    const known = this.servers[server]!
    if (known.height === undefined || height > known.height) known.height = height
  }

  /** The last rate-limit headers. */
  get rateLimit(): RateLimit | undefined {
    return this.lastRateLimit
  }

  /** Upper bound of the clock of the server that answered last, in Unix milliseconds; undefined if unknown. */
  get serverTime(): number | undefined {
    return this.clockOffset === undefined ? undefined : this.clock.now() + this.clockOffset
  }

  /** Sends a request and reads its answer. Retries, also on other servers, if the call allows it. */
  async request<T>(call: HttpCall<T>, options: CallOptions = {}): Promise<T> {
    const { totalMs } = options
    if (call.mode === 'once') {
      const { server, shift = 0 } = call
      const chosen = server === undefined ? this.pick(shift) : this.servers[server]!
      return this.attempt(call, chosen, 1, this.shortened(options, totalMs))
    }
    const total = Math.min(this.policy.maxTotalMs, totalMs ?? Number.POSITIVE_INFINITY)
    const left = countdown(this.clock, total)
    await this.waitForServer(call, left(), options)
    let attempts = 0
    // Servers that sent an invalid answer, and those that would fail again in the same way.
    const doubtful = new Set<Server>()
    const failed = new Set<Server>()
    for (let round = 0; ; round++) {
      let failure: unknown
      for (const server of this.availableServers(failed)) {
        try {
          const limited = this.shortened(options, totalMs === undefined ? totalMs : left())
          return await this.attempt(call, server, ++attempts, limited)
        } catch (error) {
          const isTemporary = isRetryable(error)
          const isInvalid = error instanceof ReplyError
          if (!isTemporary && !isInvalid && isFinal(error)) throw error
          if (!isTemporary || (isInvalid && doubtful.has(server))) failed.add(server)
          if (isInvalid) doubtful.add(server)
          if (isTemporary || failure === undefined) failure = error
          if (totalMs !== undefined && left() <= 0) throw error
        }
      }
      const backoffMs = backoff(this.policy, round, this.clock.random())
      const pause = Math.max(backoffMs, this.requestedPause(failed))
      const isOver = failed.size === this.servers.length || round >= this.policy.retries
      if (isOver || pause > left()) throw failure
      await sleepFor(this.clock, pause, call.method, options.signal)
    }
  }

  /** Limits one attempt to what is left of the time limit of the whole call, if there is one. */
  private shortened(options: CallOptions, left: number | undefined): CallOptions {
    if (left === undefined) return options
    const { timeoutMs = this.timeoutMs } = options
    return { ...options, timeoutMs: Math.min(timeoutMs, Math.max(1, left)) }
  }

  /** If all servers have asked for a delay, waits before sending. */
  private async waitForServer<T>(
    call: HttpCall<T>,
    left: number,
    options: CallOptions,
  ): Promise<void> {
    const pause = this.requestedPause()
    if (pause <= 0) return
    if (pause > left)
      throw new HttpError('HTTP_RATE_LIMITED', `rate limited: retry after ${Math.ceil(pause)} ms`, {
        method: call.method,
        endpoint: this.pick(0).host,
        retryAfterMs: pause,
      })
    await sleepFor(this.clock, pause, call.method, options.signal)
  }

  /** Servers to try now, starting with the one that answered last; without those that asked for a delay. */
  private availableServers(failed: ReadonlySet<Server>): Server[] {
    const order = this.servers.map((_, i) => this.pick(i)).filter((server) => !failed.has(server))
    const free = order.filter((server) => server.pauseLeft() <= 0)
    return free.length > 0 ? free : order.slice(0, 1)
  }

  private pick(shift: number): Server {
    return this.servers[(this.preferred + shift) % this.servers.length]!
  }

  /** The shortest requested delay if all servers that have not failed have requested one; otherwise 0. */
  private requestedPause(failed?: ReadonlySet<Server>): number {
    const usable = this.servers.filter((server) => !failed?.has(server))
    return Math.min(...usable.map((server) => server.pauseLeft()))
  }

  private async attempt<T>(
    call: HttpCall<T>,
    server: Server,
    attempt: number,
    options: CallOptions,
  ): Promise<T> {
    const passed = stopwatch(this.clock)
    server.lastAsked = { method: call.method, at: this.clock.now() }
    let reply: HttpReply | undefined
    const report = (outcome: string) => {
      const { status } = reply ?? {}
      const durationMs = passed()
      try {
        const details = { method: call.method, endpoint: server.host, attempt, durationMs, outcome }
        this.onAttempt?.(status === undefined ? details : { ...details, status })
      } catch {
        // Exceptions of the callback are ignored, as documented.
      }
    }
    try {
      reply = await this.exchange(call, server, options)
      const value = this.read(call, reply)
      this.prefer(call, server)
      report('ok')
      return value
    } catch (error) {
      if (error instanceof RpcError && isFinal(error)) this.prefer(call, server)
      report((error as { code?: string }).code ?? 'unknown')
      throw error
    }
  }

  /** Reads an answer. Unexpected exceptions become a ReplyError with the method. */
  private read<T>(call: HttpCall<T>, reply: HttpReply): T {
    try {
      return call.read(reply)
    } catch (cause) {
      if ((cause as { method?: string } | undefined)?.method !== undefined) throw cause
      const message = 'answer cannot be parsed'
      throw new ReplyError('REPLY_SHAPE', call.method, '', message, { cause })
    }
  }

  /**
   * A server selected by the call itself does not become the preferred one, so that the next shift reaches another.
   */
  private prefer<T>(call: HttpCall<T>, server: Server): void {
    if (!call.shift && call.server === undefined) this.preferred = this.servers.indexOf(server)
  }

  private async exchange<T>(
    call: HttpCall<T>,
    server: Server,
    options: CallOptions,
  ): Promise<HttpReply> {
    const timeoutMs = Math.min(options.timeoutMs ?? this.timeoutMs, MAX_TIMER_MS)
    const { signal } = options
    throwIfAborted(call.method, signal)
    const controller = new AbortController()
    let stopped: (() => Error) | undefined
    // In addition to the signal, because a custom `fetch` may ignore it. Not a listener of the signal: Node keeps the
    // signal of a request, and through a listener the whole answer, until the next collection of old objects.
    let reject = (_: unknown) => {}
    const halted = new Promise<never>((_, rejectHalted) => {
      reject = rejectHalted
    })
    halted.catch(() => {})
    const halt = (why: () => Error) => {
      stopped = why
      controller.abort()
      reject(controller.signal.reason)
    }
    const forget = onAbort(signal, () => halt(() => new AbortError(call.method, signal?.reason)))
    const timer = setTimeout(
      () => halt(() => timeoutError(call.method, server.host, timeoutMs)),
      timeoutMs,
    )
    let response: HttpResponse | undefined
    try {
      const responding = this.send(this.requestOf(call, server, controller.signal))
      responding.catch(() => {})
      response = await Promise.race([responding, halted])
      this.compareClocks(response)
      const body = response.text(this.maxBodyBytes)
      body.catch(() => {})
      return this.toReply(call, server, response, await Promise.race([body, halted]))
    } catch (cause) {
      throw stopped?.() ?? this.fault(call.method, server, response, cause)
    } finally {
      clearTimeout(timer)
      forget()
    }
  }

  /**
   * Reads the server's clock from the `date` header. A second is added, the resolution of the header, to get an upper
   * bound. Browsers hide the header for other origins.
   */
  private compareClocks({ status, headers }: HttpResponse): void {
    const date = Date.parse(headers.get('date') ?? '')
    if (isSuccess(status) && !Number.isNaN(date)) this.clockOffset = date + 1000 - this.clock.now()
  }

  private addressOf(server: Server, path: string): string {
    if (server.query === '') return server.base + path
    return `${server.base}${path}${path.includes('?') ? '&' : '?'}${server.query.slice(1)}`
  }

  private requestOf<T>(call: HttpCall<T>, server: Server, signal: AbortSignal): HttpRequest {
    const headers: { [name: string]: string } = {}
    // The node requires exactly this type, and accepts no additional headers from browsers.
    if (call.verb === 'POST') headers['content-type'] = 'application/json'
    else headers.accept = 'application/json'
    if (server.authorization !== undefined) headers.authorization = server.authorization
    return {
      url: this.addressOf(server, call.path),
      verb: call.verb,
      headers: { ...headers, ...server.headers },
      body: call.body,
      signal,
    }
  }

  private toReply<T>(
    call: HttpCall<T>,
    server: Server,
    response: HttpResponse,
    text: string,
  ): HttpReply {
    const { status, headers } = response
    const limit = readRateLimit(headers, this.clock.now())
    if (limit !== undefined) this.lastRateLimit = limit
    const wait = requestedDelayMs(limit)
    const refused = status === 429 || status === 503
    const isUsedUp = limit?.remaining === 0 || limit?.retryAfterSeconds !== undefined
    if ((refused || isUsedUp) && wait !== undefined)
      server.pauseLeft = countdown(this.clock, Math.min(wait, MAX_PAUSE_MS))
    return {
      method: call.method,
      endpoint: server.host,
      status,
      contentType: headers.get('content-type') ?? '',
      text,
      retryAfterMs: refused ? wait : undefined,
      clean: (dirty) => redact(dirty, this.secrets),
    }
  }

  private fault(
    method: string,
    server: Server,
    response: HttpResponse | undefined,
    cause: unknown,
  ): HttpError {
    const details = { method, endpoint: server.host, cause: safeCause(cause, this.secrets) }
    if (cause instanceof BodyTooLarge)
      return new HttpError(
        'HTTP_BODY_TOO_LARGE',
        `body too large: more than ${this.maxBodyBytes} bytes`,
        { ...details, status: response!.status },
      )
    const [code, message]: [HttpErrorCode, string] =
      response === undefined
        ? ['HTTP_UNREACHABLE', 'connection failed']
        : ['HTTP_INTERRUPTED', 'connection closed before the end of the body']
    return new HttpError(code, message, {
      ...details,
      status: response?.status,
      hint: response === undefined ? 'check the URL, and that the server is running' : undefined,
    })
  }
}

/** Whether another server need not be asked: an error of the connection, or maybe of a gateway, is not final. */
function isFinal(error: unknown): boolean {
  return error instanceof RpcError ? isSuccess(error.status) : !(error instanceof HttpError)
}

function timeoutError(method: string, host: string, timeoutMs: number): TimeoutError {
  return new TimeoutError(
    'RPC_TIMEOUT',
    `${method}: no answer within ${timeoutMs} ms (${host})`,
    timeoutMs,
  )
}
