// Carriers, as the operator connects, tests and watches them, and what they charge.
import { addedLines } from './carrier-steps.ts'
import { type Command, changeable, type Json, type Option, PAGING } from './command.ts'
import { smppOptions } from './smpp-options.ts'
import { tableOf } from './table.ts'

const HTTP_TELLS = 'how one over HTTP is called, all of it: @file'

const carrier: Record<string, Option> = {
  name: { kind: 'text', tells: 'no two the same', isPlaced: true },
  host: { kind: 'text', tells: 'a host name or an address' },
  port: { kind: 'number', tells: '1 to 65535' },
  'system-id': { kind: 'text', tells: 'the account' },
  'password-file': {
    kind: 'file',
    at: 'password',
    tells: 'a file with the password, or - for standard input',
  },
  'system-type': { kind: 'text', tells: 'where the carrier asks for one', otherwise: 'empty' },
  tls: { kind: 'flag', tells: 'whether the link is encrypted', otherwise: 'no' },
  'bind-mode': { kind: 'text', tells: 'transceiver or separate', otherwise: 'transceiver' },
  binds: { kind: 'number', tells: 'connections, over all machines', otherwise: '1' },
  window: { kind: 'number', tells: 'submissions under way on each', otherwise: '10' },
  'answer-seconds': { kind: 'number', tells: 'how long an answer is waited for', otherwise: '30' },
  'segments-per-second': { kind: 'number', tells: 'over all binds', otherwise: 'no limit', none: 'null' },
  'id-format': {
    kind: 'json',
    tells: 'opaque, hex or decimal, or {"answers": "hex", "reports": "decimal"}',
    otherwise: 'opaque',
  },
  'receipts-by-text': { kind: 'flag', tells: 'whether its receipts may be known by their text alone', otherwise: 'no' },
  alphabet: { kind: 'text', tells: 'gsm, latin1 or ascii', otherwise: 'gsm' },
  'long-messages': { kind: 'text', tells: 'udh, sar or payload', otherwise: 'udh' },
  'source-ton': { kind: 'number', tells: '0 to 255', otherwise: 'by the sender', none: 'null' },
  'source-npi': { kind: 'number', tells: '0 to 255', otherwise: 'by the sender', none: 'null' },
  'default-sender': {
    kind: 'text',
    tells: 'for messages whose own sender cannot be sent',
    otherwise: 'SMS',
    none: 'null',
  },
  'status-overrides': { kind: 'json', tells: '{"answers": …, "reports": …, "states": …}', otherwise: 'none' },
  'resend-unknown': { kind: 'flag', tells: 'whether to send again when nobody knows if it was taken', otherwise: 'no' },
  'break-after-unanswered': {
    kind: 'number',
    tells: 'submissions in a row without an answer make it broken',
    otherwise: '5',
    none: 'null',
  },
  'break-after-refused': {
    kind: 'number',
    tells: 'submissions in a row that all fail there make it broken',
    otherwise: '20',
    none: 'null',
  },
  ...smppOptions,
  http: { kind: 'json', tells: HTTP_TELLS },
  secret: { kind: 'secrets', at: 'secrets', tells: 'of one over HTTP; once more for each' },
  enabled: { kind: 'flag', tells: 'whether it is bound', otherwise: 'yes' },
}

const FIGURES = ['deliveryRatio', 'answerSeconds', 'receiptSeconds']

export const carrierCommands: Command[] = [
  {
    name: 'carrier add',
    tells: 'Connects a carrier; it needs a route to get messages',
    asks: 'POST /carriers',
    options: {
      kind: { kind: 'text', tells: 'smpp or http', otherwise: 'smpp' },
      preset: { kind: 'text', tells: "a provider, as 'carrier presets' lists them", implies: { kind: 'http' } },
      set: { kind: 'pairs', at: 'presetValues', tells: 'of the preset; once more for each' },
      ...carrier,
      http: { kind: 'json', tells: HTTP_TELLS, implies: { kind: 'http' } },
    },
    show: addedLines,
  },
  {
    name: 'carrier presets',
    tells: 'Lists the providers that a carrier can be made for by name',
    asks: 'GET /carrier-presets',
    columns: ['name', 'title', 'receipts', 'values', 'secrets', 'isTried'],
    row: (preset) => ({ ...preset, values: openOf(preset), secrets: namesOf(preset.secrets) }),
  },
  {
    name: 'carrier list',
    tells: 'Lists the carriers',
    asks: 'GET /carriers',
    options: PAGING,
    columns: ['id', 'name', 'kind', 'address', 'enabled', 'binds', 'health'],
    row: (carrier) => ({
      ...carrier,
      address: addressOf(carrier),
      binds: boundOf(carrier),
      health: healthOf(carrier),
    }),
  },
  {
    name: 'carrier show',
    tells: 'Shows one, with whether it works, and the state of each bind',
    asks: 'GET /carriers/{carrier}',
  },
  {
    name: 'carrier change',
    tells: 'Changes what is named',
    asks: 'PATCH /carriers/{carrier}',
    options: changeable(carrier),
  },
  {
    name: 'carrier receipts',
    tells: 'Lists receipts that belong to nothing, with the likely cause',
    asks: 'GET /carriers/{carrier}/receipts',
    options: PAGING,
    columns: ['receivedAt', 'reference', 'to', 'state', 'code', 'cause'],
    row: (receipt) => ({ ...receipt, cause: causeOf(receipt.cause) }),
  },
  {
    name: 'carrier callback',
    tells: 'Tells where a carrier over HTTP calls with its receipts',
    asks: 'POST /carriers/{carrier}/callback',
    options: {
      renew: { kind: 'flag', tells: 'whether to make a new one; the one before ends at once', otherwise: 'no' },
    },
    show: ({ callbackUrl }) => callbackUrl,
  },
  {
    name: 'carrier test',
    tells: 'Asks over each bind whether it is there, and may send a message',
    asks: 'POST /carriers/{carrier}/test',
    options: {
      to: { kind: 'text', tells: 'a number with its plus, for one message past the queue', otherwise: 'no message' },
      text: { kind: 'text', tells: 'of that message', otherwise: 'that it is a test' },
      'receipt-seconds': { kind: 'number', tells: 'how long to wait for its receipt, up to 50', otherwise: '0' },
    },
    show: testSteps,
    isWell: isTestPassed,
  },
  {
    name: 'carrier tests',
    tells: 'Lists its latest tests, with the receipts that came',
    asks: 'GET /carriers/{carrier}/tests',
    columns: ['askedAt', 'binds', 'message'],
  },
  {
    name: 'carrier capture',
    tells: 'Writes down what goes over its wire, without codes',
    asks: 'POST /carriers/{carrier}/captures',
    options: { seconds: { kind: 'number', tells: 'for how long, up to 600', otherwise: '60' } },
  },
  {
    name: 'carrier captures',
    tells: 'Lists the captures of its wire of the last hour',
    asks: 'GET /carriers/{carrier}/captures',
    columns: ['id', 'askedAt', 'endsAt', 'frames'],
  },
  {
    name: 'carrier capture-show',
    tells: 'Shows what a capture holds, decoded',
    asks: 'GET /carriers/{carrier}/captures/{capture}',
    show: exchangedLines,
  },
  {
    name: 'carrier capture-pcap',
    tells: 'Prints a capture for Wireshark: pipe it into base64 -d > wire.pcap',
    asks: 'GET /carriers/{carrier}/captures/{capture}/pcap',
    show: ({ pcap }) => pcap,
  },
  { name: 'carrier remove', tells: 'Removes one that no route leads to', asks: 'DELETE /carriers/{carrier}' },
  {
    name: 'carrier figures',
    tells: 'Shows how it did in the last hour, by prefix',
    asks: 'GET /carriers/{carrier}/figures',
    show: ({ total, prefixes }, width) =>
      tableOf([{ prefix: 'all', ...total }, ...prefixes.map((it: Json) => ({ ...it, prefix: it.prefix || 'other' }))], {
        columns: ['prefix', 'taken', 'refused', 'unanswered', 'delivered', 'undelivered', ...FIGURES],
        width,
      }),
  },
  {
    name: 'price list',
    tells: 'Lists what a carrier charges per segment',
    asks: 'GET /carriers/{carrier}/prices',
    show: ({ currency, prices }, width) =>
      prices.length === 0
        ? 'None.'
        : tableOf(
            prices.map(({ prefix, price }: Json) => ({ prefix: prefix || 'all', price, currency })),
            { columns: ['prefix', 'price', 'currency'], width },
          ),
  },
  {
    name: 'price set',
    tells: 'Replaces what a carrier charges per segment',
    asks: 'PUT /carriers/{carrier}/prices',
    options: {
      currency: { kind: 'text', tells: 'that of the prices of the other carriers, such as NPR', isPlaced: true },
      prices: { kind: 'prices', tells: 'a file with a line such as +97798,0.35 for each, or -', isPlaced: true },
    },
    show: ({ currency, prices }) => `${prices.length} ${prices.length === 1 ? 'price' : 'prices'} in ${currency}.`,
  },
]

/** Why a receipt is nobody's, and what to set where a setting mends it. */
function causeOf({ kind, idFormat, carrierId, carrierMessageId }: Json): string {
  if (idFormat) return `${kind}: set --id-format '${JSON.stringify(idFormat)}'`
  if (carrierId) return `${kind}: ${carrierId}`
  return carrierMessageId ? `${kind}: it was answered with ${carrierMessageId}` : kind
}

/** The values of a preset, with those that can be left out in brackets. */
function openOf({ values }: Json): string {
  return values.map(({ name, otherwise }: Json) => (otherwise === null ? name : `[${name}]`)).join(' ')
}

function namesOf(some: Json): string {
  return some.map(({ name }: Json) => name).join(' ')
}

function addressOf({ kind, host, port, http }: Json): string {
  return kind === 'http' ? new URL(http.url).host : `${host}:${port}`
}

/** How many of its binds are bound, such as 1/2; with a receiver of its own there is one more than was asked for. */
function boundOf({ binds, state }: Json): string {
  const bound = state.filter((bind: Json) => bind.state === 'bound').length
  return `${bound}/${Math.max(binds, state.length)}`
}

/** Such as `working since 2026-11-16T04:00:00.000Z`, or `broken since …: no answer for 10 s`. */
function healthOf({ health: { state, since, reason } }: Json): string {
  const sinceWhen = since === null ? state : `${state} since ${since}`
  return reason === null ? sinceWhen : `${sinceWhen}: ${reason}`
}

/** One line for each step of a test, in their order. */
function testSteps({ askedAt, binds, message }: Json): string {
  const linkOf = ({ state, boundAt, fault }: Json) =>
    boundAt ? `bound since ${boundAt}` : `not bound (${state})${fault === null ? '' : `: ${fault}`}`
  const enquiryOf = ({ milliseconds, fault }: Json) =>
    milliseconds === null ? (fault ?? 'no answer yet') : `answered in ${milliseconds.toFixed(1)} ms`
  const onTheWay = (bind: Json) => bind.steps.filter((it: Json) => it.step !== 'answer')
  const wayOf = ({ step, told, fault, milliseconds }: Json) =>
    fault === null ? `${step}: ${told === '' ? 'made' : told} in ${milliseconds.toFixed(1)} ms` : `${step}: ${fault}`
  const steps = binds.flatMap((bind: Json) => [
    `bind ${bind.number} (${bind.mode}): ${linkOf(bind)}`,
    ...onTheWay(bind).map((it: Json) => `bind ${bind.number} ${wayOf(it)}`),
    ...(bind.boundAt && onTheWay(bind).length === 0 ? [`bind ${bind.number} enquire_link: ${enquiryOf(bind)}`] : []),
  ])
  const said = binds.flatMap((bind: Json) => bind.steps.filter((it: Json) => it.step === 'answer'))
  const answers = said.map(({ told, fault }: Json) => `answer: ${[told, fault].filter(Boolean).join('; ')}`)
  return [`asked at ${askedAt}`, ...steps, ...(message ? messageSteps(message, answers) : [])].join('\n')
}

/** Whether every bind is there and, where there was a message, it was taken. */
function isTestPassed({ binds, message }: Json): boolean {
  return binds.every((bind: Json) => bind.fault === null) && (message === null || message.outcome === 'taken')
}

function messageSteps(message: Json, answers: string[]): string[] {
  const { to, outcome, commandStatus, carrierMessageId, milliseconds, report } = message
  const time = milliseconds === null ? '' : ` in ${milliseconds.toFixed(1)} ms`
  const status = commandStatus === null ? '' : `, status ${commandStatus}`
  const named = carrierMessageId === null ? '' : `, as ${carrierMessageId}`
  const told = report
    ? `${report.state} at ${report.at}: ${report.raw}`
    : "none so far; 'carrier tests' shows it if it comes"
  const receipt = outcome === 'taken' ? [`receipt: ${told}`] : []
  return [`message to ${to}: ${outcome}${time}${status}${named}`, ...answers, ...receipt]
}

function exchangedLines({ endsAt, exchanged }: Json): string {
  if (exchanged.length === 0) return `Nothing is stored; what went over the wire is stored when it ends, at ${endsAt}.`
  return exchanged
    .map(({ at, bind, exchange, outgoing, decoded }: Json) => {
      const whose = exchange === null ? bind : `${bind === 0 ? 'receipts' : bind}/${exchange}`
      return `${at} ${whose} ${outgoing ? '>' : '<'} ${JSON.stringify(decoded)}`
    })
    .join('\n')
}
