// Files and pages for browsers, compressed with brotli or gzip.
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'

export interface Asset {
  type: string
  plain: Buffer
  gzip: Buffer
  brotli: Buffer
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
/** A page is compressed for each request, so its level is lower than the level of a file. */
const PAGE_QUALITY = 4
const FILE_QUALITY = 6

export function compressAsset(type: string, contents: Uint8Array | string): Asset {
  const plain = Buffer.from(contents)
  return {
    type,
    plain,
    gzip: gzipSync(plain, { level: 9 }),
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: FILE_QUALITY } }),
  }
}

/** The file name contains the hash of the content, so browsers may cache the file forever. */
export function sendAsset(reply: FastifyReply, { type, plain, gzip, brotli }: Asset): FastifyReply {
  reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding')
  const encoding = acceptedEncoding(reply)
  if (encoding === null) return reply.send(plain)
  return reply.header('content-encoding', encoding).send(encoding === 'br' ? brotli : gzip)
}

/** The page contains the theme of the cookie. */
export async function sendHtml(reply: FastifyReply, html: string): Promise<FastifyReply> {
  reply.type('text/html; charset=utf-8').header('vary', 'cookie, accept-encoding')
  const encoding = acceptedEncoding(reply)
  if (encoding === null) return reply.send(html)
  const params = { [constants.BROTLI_PARAM_QUALITY]: PAGE_QUALITY }
  const sent = encoding === 'br' ? await compressBrotli(html, { params }) : await compressGzip(html)
  return reply.header('content-encoding', encoding).send(sent)
}

function acceptedEncoding({ request }: FastifyReply): 'br' | 'gzip' | null {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
}
