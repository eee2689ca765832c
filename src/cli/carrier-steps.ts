// What there is to do once a carrier over HTTP is made: how it reports, a message to oneself, and a route.
import type { Json } from './command.ts'
import { fieldLines } from './table.ts'

export function addedLines(carrier: Json): string {
  const { name, http } = carrier
  if (!http) return fieldLines(carrier)
  const called = /^[\w.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
  // One that is asked for receipts is not asked about a test.
  const wait = http.receipts?.kind === 'callback' ? ' --receipt-seconds 50' : ''
  const steps = [
    '',
    'Next:',
    ...receiptLines(http, called),
    `- send yourself a message: hulaki carrier test ${called} --to +977…${wait}`,
    `- lead messages to it: hulaki route add NP ${called}`,
  ]
  return `${fieldLines(carrier)}\n${steps.join('\n')}`
}

function receiptLines({ receipts, url, body }: Json, called: string): string[] {
  if (receipts === null) return ['- it does not report: what it took stays sent, for good']
  if (receipts.kind === 'poll') return ['- it is asked what became of each message; nothing is to be done for that']
  const isHandedOver = `${url} ${JSON.stringify(body)}`.includes('{callbackUrl}')
  return [
    isHandedOver
      ? '- each message tells it where to call with its receipt:'
      : '- enter at the provider where it is to call with receipts:',
    `  hulaki carrier callback ${called} prints that address;`,
    '  it must be reachable from the internet',
  ]
}
