import type { IncomingMessage } from 'node:http'
import { ServiceError } from './errors.ts'

/**
 * Reads the body of a request, up to a limit. The time limit is that of the server. A body that is too large is not read to
 * its end: the connection is closed after the answer.
 *
 * @throws ServiceError `BODY_TOO_LARGE`
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new ServiceError('BODY_TOO_LARGE', `the body has more than ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else {
        request.pause()
        reject(tooLarge())
      }
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    // The client has gone, or the time limit has passed: nobody reads an answer.
    request.on('error', reject)
    request.on('close', () => {
      if (!request.readableEnded) reject(new ServiceError('STOPPING', 'the connection was closed'))
    })
  })
}
