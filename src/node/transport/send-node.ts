import type { ClientRequest, IncomingMessage } from 'node:http'
import { BodyTooLarge, type HttpResponse, type Send } from './send.ts'

/**
 * Sends requests with `node:http`, on the connections of its global agent. A small request takes less than half of the
 * processor time that it takes with Node's `fetch`.
 */
export const platformSend: Send = async (request) => {
  const { request: open } = await httpModuleFor(request.url)
  return new Promise((resolve, reject) => {
    const { url, verb, headers, body, signal } = request
    const sent: ClientRequest = open(url, {
      method: verb,
      headers: { 'accept-encoding': 'gzip', ...headers },
      signal,
    })
    sent.on('response', (message) => resolve(responseOf(message)))
    sent.on('error', reject)
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the server switched protocols unexpectedly'))
    })
    sent.end(body)
  })
}

/** Loaded by the first request, because programs also import clients without using them. */
function httpModuleFor(url: string): Promise<Pick<typeof import('node:http'), 'request'>> {
  return url.startsWith('https:') ? import('node:https') : import('node:http')
}

function responseOf(message: IncomingMessage): HttpResponse {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase()
  return {
    status: message.statusCode ?? 0,
    headers: {
      get: (name) => {
        const value = message.headers[name]
        return value === undefined ? null : String(value)
      },
    },
    text: async (maxBytes) => {
      const body = await readAll(message, maxBytes)
      return new TextDecoder().decode(
        ['', 'identity'].includes(encoding) ? body : await decompressed(body, encoding, maxBytes),
      )
    },
  }
}

function readAll(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) message.destroy(new BodyTooLarge())
      else chunks.push(chunk)
    })
    message.on('end', () => resolve(Buffer.concat(chunks)))
    message.on('error', reject)
  })
}

async function decompressed(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Error(`unexpected content-encoding ${encoding}, expected gzip or none`)
  const { gunzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    gunzip(body, { maxOutputLength: maxBytes }, (error, text) => {
      if (error === null) resolve(text)
      else
        reject(
          'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? new BodyTooLarge() : error,
        )
    })
  })
}
