import { argument, list, text } from '../../core/base/argument.ts'
import { equalBytes } from '../../core/base/bytes/compare.ts'
import { parseAddress } from '../../core/base/encoding/address.ts'
import { checkedHex } from '../../core/base/encoding/checked-hex.ts'
import { hex } from '../../core/base/encoding/hex.ts'
import { AvmError } from '../../core/base/errors.ts'
import type { ChainAlias } from '../../core/chain/chain-types.ts'
import { parseJSON, stringifyJSON } from '../../core/codec/json-text.ts'
import type { Json, JsonObject } from '../../core/codec/json-value.ts'
import { parseHDPath } from '../../core/crypto/hd/path.ts'
import { chainNamed } from '../../core/sign/registry.ts'
import { addSignature } from '../../core/sign/request/request.ts'
import {
  type ParseRequestOptions,
  parseRequest,
  parseRequestOptions,
} from '../../core/sign/request/request-file.ts'
import { mergeRequests } from '../../core/sign/request/request-merge.ts'
import type { SigningRequest } from '../../core/sign/request/signing-request.ts'

/** A part of a copy that was not merged. */
export type LeftOut = {
  /** Position of the copy. */
  readonly copy: number
  /** The part of its file, such as `signerSets[0].signatures[1]`. */
  readonly path: string
  /** The code of the reason: that of an invalid signature, `SIGNATURE_DUPLICATE`, or `PATH_CONFLICT`. */
  readonly code: string
  readonly message: string
}

/** Copies that were merged. */
export type MergedCopies = {
  readonly request: SigningRequest<ChainAlias>
  /** Empty if everything was merged. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Merges the files of several copies of one request. Unlike `mergeRequests`, a wrong path, an invalid signature or a
 * second signature of the same key does not stop it: the first valid one counts, and the rest is reported. Copies of
 * another request are refused as a whole.
 *
 * @throws SignError `REQUEST_CONFLICT`, or the code of what is wrong with the request itself; ArgumentError
 */
export function mergeCopies(
  givenCopies: readonly string[],
  givenOptions: ParseRequestOptions = {},
): MergedCopies {
  const options = argument('mergeCopies', givenOptions, parseRequestOptions)
  const copies = argument('mergeCopies', givenCopies, list(text), 'copies')
  const leftOut: LeftOut[] = []
  const requests = copies.map((copy, i) =>
    readCopy(copy, options, (path, code, message) =>
      leftOut.push({ copy: i, path, code, message }),
    ),
  )
  const [first, ...others] = requests as [SigningRequest<ChainAlias>, ...typeof requests]
  const merged = others.reduce((sum, request, i) => {
    const agreeing = withoutConflicts(sum, request, (path, code, message) =>
      leftOut.push({ copy: i + 1, path, code, message }),
    )
    return mergeRequests(sum, agreeing)
  }, mergeRequests(first))
  return { request: merged, leftOut }
}

type Report = (path: string, code: string, message: string) => void

/** Parses a copy; if that fails because of its signatures or paths, without those that are wrong. */
function readCopy(
  copy: string,
  options: ParseRequestOptions,
  report: Report,
): SigningRequest<ChainAlias> {
  try {
    return parseRequest(copy, options)
  } catch (error) {
    const bare = bareCopy(copy)
    if (!(error instanceof AvmError) || bare === undefined) throw error
    // Whatever else is wrong stops the merge.
    const request: SigningRequest<ChainAlias> = parseRequest(stringifyJSON(bare.file), options)
    return withValidSignatures(withValidPaths(request, bare, options, report), bare, report)
  }
}

/** A file without paths and signatures, and what was removed. */
type BareCopy = {
  readonly file: JsonObject
  readonly paths: readonly JsonObject[]
  readonly signatures: readonly (readonly JsonObject[])[]
}

function isRecord(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

function recordsOf(json: Json | undefined): JsonObject[] | undefined {
  return Array.isArray(json) && json.every(isRecord) ? json : undefined
}

function jsonOf(copy: string): Json | undefined {
  try {
    return parseJSON(copy)
  } catch {
    return undefined
  }
}

/** @returns undefined if the file does not have the form of a request */
function bareCopy(copy: string): BareCopy | undefined {
  const json = jsonOf(copy)
  if (!isRecord(json)) return undefined
  const { txID: _, ...file } = json
  const sets = recordsOf(file.signerSets)
  const signatures = sets?.map((set) => recordsOf(set.signatures))
  const paths = recordsOf(file.paths)
  if (sets === undefined || paths === undefined || !signatures?.every((each) => each !== undefined))
    return undefined
  const signerSets = sets.map((set) => ({ ...set, signatures: [] }))
  return { file: { ...file, paths: [], signerSets }, paths, signatures }
}

function withValidPaths(
  request: SigningRequest<ChainAlias>,
  { file, paths }: BareCopy,
  options: ParseRequestOptions,
  report: Report,
): SigningRequest<ChainAlias> {
  const seen = new Set<string>()
  const valid = paths.filter(({ address, path }, i) =>
    attempt(`paths[${i}]`, report, () => {
      parseHDPath(path as string)
      const name = hex.encode(parseAddress(address as string).address)
      if (seen.has(name)) throw new AvmError('PATH_CONFLICT', 'the address has a path already')
      seen.add(name)
    }),
  )
  const parsed = attemptValue('paths', report, () =>
    parseRequest(stringifyJSON({ ...file, paths: valid }), options),
  )
  return parsed === undefined ? request : { ...request, paths: parsed.paths }
}

function withValidSignatures(
  request: SigningRequest<ChainAlias>,
  { signatures }: BareCopy,
  report: Report,
): SigningRequest<ChainAlias> {
  const { accounts } = chainNamed(request.chain)
  const addressOf = (name: string) =>
    name.startsWith('0x') && accounts !== undefined
      ? accounts.parse(name)
      : parseAddress(name).address
  const found = request.signerSets.map(() => new Map<string, SignatureEntry>())
  signatures.forEach((list, i) => {
    list.forEach((entry, k) => {
      const path = `signerSets[${i}].signatures[${k}]`
      const one = attemptValue(path, report, () =>
        addSignature(request, {
          address: addressOf(entry.address as string),
          signature: checkedHex.decode(entry.signature as string),
        }),
      )
      one?.signerSets.forEach((set, at) => {
        for (const signature of set.signatures) {
          const name = hex.encode(signature.address)
          const earlier = found[at]!.get(name)
          if (earlier === undefined) found[at]!.set(name, signature)
          else if (!equalBytes(earlier.signature, signature.signature))
            report(path, 'SIGNATURE_DUPLICATE', 'a second signature of the same key')
        }
      })
    })
  })
  return {
    ...request,
    signerSets: request.signerSets.map((set, i) => ({
      ...set,
      signatures: [...found[i]!.values()],
    })),
  }
}

type SignatureEntry = SigningRequest['signerSets'][number]['signatures'][number]

/** A copy without what contradicts the copies before it. */
function withoutConflicts(
  sum: SigningRequest<ChainAlias>,
  copy: SigningRequest<ChainAlias>,
  report: Report,
): SigningRequest<ChainAlias> {
  const paths = new Map(sum.paths.map(({ address, path }) => [hex.encode(address), path]))
  return {
    ...copy,
    paths: copy.paths.filter(({ address, path }, i) => {
      const agrees = (paths.get(hex.encode(address)) ?? path) === path
      if (!agrees)
        report(`paths[${i}]`, 'PATH_CONFLICT', 'an earlier copy has another path of this address')
      return agrees
    }),
    signerSets: copy.signerSets.map((set, i) => {
      const earlier = new Map(
        sum.signerSets[i]?.signatures.map((each) => [hex.encode(each.address), each.signature]),
      )
      return {
        ...set,
        signatures: set.signatures.filter(({ address, signature }, k) => {
          const agrees = equalBytes(earlier.get(hex.encode(address)) ?? signature, signature)
          if (!agrees)
            report(
              `signerSets[${i}].signatures[${k}]`,
              'SIGNATURE_DUPLICATE',
              'a second signature of the same key',
            )
          return agrees
        }),
      }
    }),
  }
}

function attempt(path: string, report: Report, run: () => void): boolean {
  return (
    attemptValue(path, report, () => {
      run()
      return true
    }) === true
  )
}

function attemptValue<T>(path: string, report: Report, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof AvmError)) throw error
    report(path, error.code, error.message)
    return undefined
  }
}
