// CSV files, written as they are read.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** As a file to keep. Nothing of it waits in memory but what is under way. */
export function sendCsv(
  reply: FastifyReply,
  { name, lines }: { name: string; lines: AsyncIterable<string> },
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines))
}
