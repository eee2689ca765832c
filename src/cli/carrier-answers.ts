// Formats responses about carriers: lists, tests, captures, figures and prices.
import type { AnyJson } from './command.ts'
import { counted, fieldLines, percentOf, tableOf } from './table.ts'

export function carrierRow(carrier: AnyJson): AnyJson {
  return { ...carrier, address: addressOf(carrier), binds: connectedOf(carrier), health: healthOf(carrier) }
}

function addressOf({ kind, host, port, http }: AnyJson): string {
  return kind === 'http' ? new URL(http.url).host : `${host}:${port}`
}

/** Connected of all connections, for example 1/2; separate receivers exceed the configured number. */
function connectedOf({ binds, state }: AnyJson): string {
  const bound = state.filter((bind: AnyJson) => bind.state === 'bound').length
  return `${bound}/${Math.max(binds, state.length)}`
}

/** For example `working since 2026-11-16T04:00:00.000Z`, or `broken since …: no response for 10 s`. */
function healthOf({ health: { state, since, reason } }: AnyJson): string {
  const sinceWhen = since === null ? state : `${state} since ${since}`
  return reason === null ? sinceWhen : `${sinceWhen}: ${reason}`
}

/** Values with a default are in brackets. */
export function presetRow(preset: AnyJson): AnyJson {
  const values = preset.values
    .map(({ name, default: usual }: AnyJson) => (usual === null ? name : `[${name}]`))
    .join(' ')
  return { ...preset, values, secrets: preset.secrets.map(({ name }: AnyJson) => name).join(' ') }
}

/** Why no message matches a receipt, and which setting solves it. */
export function receiptRow(receipt: AnyJson): AnyJson {
  const { kind, idFormat, carrierId, carrierMessageId } = receipt.cause
  if (idFormat) return { ...receipt, cause: `${kind}: set --id-format '${JSON.stringify(idFormat)}'` }
  if (carrierId) return { ...receipt, cause: `${kind}: ${carrierId}` }
  return { ...receipt, cause: carrierMessageId ? `${kind}: the carrier's ID was ${carrierMessageId}` : kind }
}

/** A new carrier, and for an HTTP carrier the next steps. */
export function newCarrierText(carrier: AnyJson): string {
  const { name, http } = carrier
  if (!http) return fieldLines(carrier)
  const quotedName = /^[\w.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
  // A test does not poll for its receipt.
  const wait = http.receipts?.kind === 'callback' ? ' --receipt-seconds 50' : ''
  const steps = [
    '',
    'Next:',
    ...receiptLines(http, quotedName),
    `- send yourself a message: hulaki carrier test ${quotedName} --to +977…${wait}`,
    `- route messages to it: hulaki route add NP ${quotedName}`,
  ]
  return `${fieldLines(carrier)}\n${steps.join('\n')}`
}

function receiptLines({ receipts, url, body }: AnyJson, quotedName: string): string[] {
  if (receipts === null) return ['- the carrier sends no delivery receipts: accepted messages stay sent']
  if (receipts.kind === 'poll') return ['- Hulaki polls the carrier for receipts; there is nothing to set up']
  const isInMessage = `${url} ${JSON.stringify(body)}`.includes('{callbackUrl}')
  return [
    isInMessage
      ? '- each message carries the callback URL for its receipt:'
      : '- enter the callback URL for receipts at the provider:',
    `  hulaki carrier callback ${quotedName} prints it;`,
    '  it must be reachable from the internet',
  ]
}

/** One line for each step of a test, in order. */
export function testText({ startedAt, binds, message }: AnyJson): string {
  const linkOf = ({ state, boundAt, fault }: AnyJson) =>
    boundAt ? `connected since ${boundAt}` : `not connected (${state})${fault === null ? '' : `: ${fault}`}`
  const enquiryOf = ({ milliseconds, fault }: AnyJson) =>
    milliseconds === null ? (fault ?? 'no response yet') : `response in ${milliseconds.toFixed(1)} ms`
  const connectionSteps = (bind: AnyJson) => bind.steps.filter((it: AnyJson) => it.step !== 'answer')
  const stepOf = ({ step, detail, fault, milliseconds }: AnyJson) =>
    fault === null
      ? `${step}: ${detail === '' ? 'done' : detail} in ${milliseconds.toFixed(1)} ms`
      : `${step}: ${fault}`
  const steps = binds.flatMap((bind: AnyJson) => [
    `connection ${bind.number} (${bind.mode}): ${linkOf(bind)}`,
    ...connectionSteps(bind).map((it: AnyJson) => `connection ${bind.number} ${stepOf(it)}`),
    ...(bind.boundAt && connectionSteps(bind).length === 0
      ? [`connection ${bind.number} enquire_link: ${enquiryOf(bind)}`]
      : []),
  ])
  const answered = binds.flatMap((bind: AnyJson) => bind.steps.filter((it: AnyJson) => it.step === 'answer'))
  const answers = answered.map(
    ({ detail, fault }: AnyJson) => `response: ${[detail, fault].filter(Boolean).join('; ')}`,
  )
  return [`started at ${startedAt}`, ...steps, ...(message ? messageSteps(message, answers) : [])].join('\n')
}

function messageSteps(message: AnyJson, answers: string[]): string[] {
  const { to, outcome, commandStatus, carrierMessageId, milliseconds, report } = message
  const time = milliseconds === null ? '' : ` in ${milliseconds.toFixed(1)} ms`
  const status = commandStatus === null ? '' : `, status ${commandStatus}`
  const id = carrierMessageId === null ? '' : `, ID ${carrierMessageId}`
  const receipt = report
    ? `${report.state} at ${report.at}: ${report.raw}`
    : "none so far; 'carrier tests' shows it when it arrives"
  return [
    `message to ${to}: ${outcome}${time}${status}${id}`,
    ...answers,
    ...(outcome === 'accepted' ? [`receipt: ${receipt}`] : []),
  ]
}

/** Every connection responded, and the carrier accepted the test message, if any. */
export function isTestPassed({ binds, message }: AnyJson): boolean {
  return binds.every((bind: AnyJson) => bind.fault === null) && (message === null || message.outcome === 'accepted')
}

export function captureText({ endsAt, exchanged }: AnyJson): string {
  if (exchanged.length === 0) return `Nothing is stored yet: a capture is stored when it ends, at ${endsAt}.`
  return exchanged
    .map(({ at, bind, exchange, outgoing, decoded }: AnyJson) => {
      const source = exchange === null ? bind : `${bind === 0 ? 'receipts' : bind}/${exchange}`
      return `${at} ${source} ${outgoing ? '>' : '<'} ${JSON.stringify(decoded)}`
    })
    .join('\n')
}

export function figuresText({ total, prefixes }: AnyJson, width: number | null): string {
  const all = [{ ...total, prefix: 'all' }, ...prefixes.map((it: AnyJson) => ({ ...it, prefix: it.prefix || 'other' }))]
  const rows = all.map((it) => ({ ...it, deliveryRatio: percentOf(it.deliveryRatio) }))
  const counts = ['accepted', 'rejected', 'unanswered', 'delivered', 'undelivered']
  return tableOf(rows, { columns: ['prefix', ...counts, 'deliveryRatio', 'answerSeconds', 'receiptSeconds'], width })
}

export function pricesText({ currency, prices }: AnyJson, width: number | null): string {
  if (prices.length === 0) return 'No results.'
  const rows = prices.map(({ prefix, price }: AnyJson) => ({ prefix: prefix || 'all', price, currency }))
  return tableOf(rows, { columns: ['prefix', 'price', 'currency'], width })
}

export function pricesSetText({ currency, prices }: AnyJson): string {
  return `${counted(prices.length, 'price')} in ${currency}.`
}
