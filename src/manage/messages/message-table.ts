// The CSV table of messages: its columns and cells.
import { z } from 'zod'
import type { MessageAnswer } from './message-view.ts'

export const CSV_COLUMNS = [
  'id',
  'createdAt',
  'clientId',
  'to',
  'from',
  'type',
  'status',
  'error',
  'encoding',
  'segments',
  'cost',
  'charged',
  'attempts',
  'submittedAt',
  'sentAt',
  'deliveredAt',
  'failedAt',
  'text',
] as const satisfies (keyof MessageAnswer)[]

export const messageTable = z
  .string()
  .describe('Times are in UTC. A cell that looks like a formula begins with an apostrophe.')
  .meta({ title: 'MessageTable', mediaType: 'text/csv' })

export function csvCells(message: MessageAnswer) {
  return CSV_COLUMNS.map((column) => message[column])
}
