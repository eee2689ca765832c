// Request bodies of both APIs: one JSON value in UTF-8 (D36). Bodies become charged messages, so nothing is guessed.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Its message is shown to the caller. */
export class UnreadableBody extends Error {}

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body = readJson(request.headers, bytes as Buffer)
    if (body instanceof UnreadableBody) done(body)
    else done(null, body)
  })
}

function readJson(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  if (bytes.length === 0) return new UnreadableBody('The body is empty; send a JSON object')
  if (!isPlain(headers['content-encoding']))
    return new UnreadableBody('The body is compressed; send it without Content-Encoding')
  if (!saysUtf8(headers['content-type'])) return new UnreadableBody('The charset of the body is not UTF-8; send UTF-8')
  try {
    const text = decode(bytes)
    const value: unknown = JSON.parse(text)
    if (MAY_NAME_RESERVED.test(text)) JSON.parse(text, refuseReserved)
    return value
  } catch (error) {
    return error instanceof UnreadableBody ? error : new UnreadableBody('The body is not valid JSON')
  }
}

function isPlain(contentEncoding = 'identity'): boolean {
  return /^(?:identity)?$/i.test(contentEncoding)
}

function saysUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

// RFC 8259 allows a byte order mark to be dropped. Invalid bytes are fatal: replacement characters would be sent, as UCS-2.
const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new UnreadableBody('The body is not valid UTF-8')
  }
}

/** The reserved names, or an escape that can spell one of their letters. */
const MAY_NAME_RESERVED = /__proto__|"constructor"|\\u00[5-7]/i

/** Rejects keys that could pollute the prototypes of the program's objects. */
function refuseReserved(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new UnreadableBody('The body must not have a key named __proto__')
  if (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
    throw new UnreadableBody('The body must not have a key named constructor with a prototype in it')
  return value
}
