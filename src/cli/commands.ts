// The command of each call of the management API: its name, its arguments, and how its answer is shown. Its options and sentences come
// from the OpenAPI document (calls.ts, made by `npm run types`).
import { CALLS } from './calls.ts'
import {
  captureText,
  carrierRow,
  figuresText,
  isTestPassed,
  newCarrierText,
  presetRow,
  pricesText,
  receiptRow,
  testText,
} from './carrier-answers.ts'
import {
  type Call,
  type Command,
  type Field,
  idsOf,
  isNamedKind,
  type Json,
  type Kind,
  type Option,
} from './command.ts'
import { fieldLines, tableOf, textOf } from './table.ts'

/** What the OpenAPI document does not say of a command. */
interface Design extends Pick<Command, 'row' | 'show' | 'isWell' | 'needsYes' | 'example'> {
  name: string
  /** Options that are written without their name, behind the ids of the path; or all places, where the ids are not first. */
  places?: readonly string[]
  columns?: readonly string[]
  implies?: Record<string, Record<string, Json>>
}

const DELIVERY = ['id', 'createdAt', 'event', 'status', 'state', 'deadBecause', 'messageId', 'nextPostingAt']
const TEMPLATE = ['id', 'name', 'type', 'status', 'text', 'reason']
const REPLY = ['receivedAt', 'from', 'to', 'text', 'clientId', 'inReplyTo']
const AUDIT_ENTRY = ['at', 'actor', 'action', 'subject', 'address', 'details']
const TOKEN = ['id', 'name', 'role', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt']
const OTP_COUNTS = ['sent', 'delivered', 'verified']
const HANDSET_MESSAGE = ['receivedAt', 'to', 'from', 'text']

/** null: a command of many-requests.ts makes this call. */
const DESIGNS: Record<keyof typeof CALLS, string | Design | null> = {
  whoami: 'whoami',
  findNamed: { name: 'find', places: ['kind', 'name'], example: "client 'Web shop'" },

  createWorkspace: {
    name: 'workspace create',
    places: ['name'],
    example:
      "'Himal Bank' --country NP --status active --monthly-credit 500 --rate-transactional 1.5 --rate-otp 1.2 --rate-promotional 1",
  },
  listWorkspaces: {
    name: 'workspace list',
    columns: ['id', 'name', 'status', 'plan', 'balance', 'currency', 'sentToday'],
  },
  getWorkspace: 'workspace show',
  getStart: 'workspace start',
  changeWorkspace: { name: 'workspace change', example: "'Himal Bank' --status suspended" },
  topUp: { name: 'credit add', places: ['amount'] },
  listLedger: {
    name: 'credit list',
    columns: ['at', 'kind', 'amount', 'balance', 'period', 'messages', 'messageId', 'note'],
  },
  setCreditAlert: { name: 'credit alert', places: ['below'] },
  getUsage: {
    name: 'usage show',
    columns: ['day', 'clientId', 'type', 'messages', 'segments', 'cost', 'refunded', 'net', 'carriers'],
  },
  getMonth: 'month show',
  getMonthCsv: 'month csv',

  listMembers: { name: 'member list', columns: ['id', 'email', 'name', 'role', 'lastSeenAt'] },
  changeMember: { name: 'member change', example: "'Himal Bank' $PERSON --role viewer" },
  removeMember: 'member remove',
  recoverMember: 'member recover',
  inviteMember: { name: 'member invite', places: ['email', 'role'] },
  listInvitations: 'invitation list',
  takeBackInvitation: 'invitation remove',
  createOwnerToken: {
    name: 'owner-token create',
    places: ['name'],
    example: "'Himal Bank' Terraform --role developer",
  },
  listOwnerTokens: { name: 'owner-token list', columns: TOKEN },
  revokeOwnerToken: 'owner-token revoke',
  listOperators: { name: 'operator list', columns: ['id', 'email', 'name', 'lastSeenAt'] },
  removeOperator: 'operator remove',
  inviteOperator: 'operator invite',
  listOperatorInvitations: 'operator-invitation list',
  takeBackOperatorInvitation: 'operator-invitation remove',
  createOperatorToken: { name: 'operator-token create', places: ['name'], example: 'Terraform' },
  listOperatorTokens: { name: 'operator-token list', columns: TOKEN },
  revokeOperatorToken: 'operator-token revoke',
  changePerson: { name: 'person change', example: '$PERSON --email sita@example.com' },
  recoverPerson: 'person recover',

  createClient: { name: 'client create', places: ['name'] },
  listClients: { name: 'client list', columns: ['id', 'name', 'brandName', 'mode', 'keyPrefix', 'disabledAt'] },
  getClient: 'client show',
  changeClient: { name: 'client change', example: "'Web shop' --daily-cap 5000 --ip-allowlist 203.0.113.0/24" },
  rotateApiKey: 'client rotate-key',
  rotateWebhookSecret: 'client rotate-webhook-secret',
  disableClient: 'client disable',
  enableClient: 'client enable',
  listPumpingHolds: {
    name: 'client fraud-events',
    columns: ['struckAt', 'scope', 'rule', 'mode', 'strikes', 'heldUntil', 'reason'],
  },
  tryCode: { name: 'client test-otp', places: ['to'] },
  verifyTriedCode: { name: 'client verify-otp', places: ['to', 'code'] },
  listWebhookDeliveries: { name: 'webhook list', columns: DELIVERY },
  listWorkspaceWebhookDeliveries: { name: 'webhook list-all', columns: ['clientId', ...DELIVERY] },
  getWebhookDelivery: 'webhook show',
  resendWebhookDelivery: 'webhook resend',
  replayWebhookDeliveries: { name: 'webhook replay', places: ['since'] },
  sendTestEvent: 'webhook test',
  triggerEvent: { name: 'trigger', places: ['outcome', 'client'] },
  listen: null,
  endListening: null,

  submitTemplate: {
    name: 'template submit',
    places: ['name', 'text'],
    example: "'Himal Bank' Order 'Your order {{number}} is on its way' --type transactional",
  },
  listWorkspaceTemplates: { name: 'template list', columns: TEMPLATE },
  listTemplates: { name: 'template list-all', columns: ['workspaceId', ...TEMPLATE] },
  matchTemplates: { name: 'template match', places: ['text'] },
  approveTemplate: 'template approve',
  rejectTemplate: { name: 'template reject', places: ['reason'] },
  changeTemplate: { name: 'template change', example: 'Order --carrier-fields \'{"dltTemplateId": "1107"}\'' },

  listMessages: {
    name: 'message list',
    columns: ['id', 'createdAt', 'to', 'from', 'type', 'status', 'error', 'segments', 'charged'],
  },
  getTimeline: { name: 'message show', show: timelineText },
  exportMessages: 'message export',
  countMessagesByHour: 'message by-hour',
  revealMessage: 'message reveal',
  cancelMessage: 'message cancel',
  cancelMessages: { name: 'message cancel-all', needsYes: true },
  failMessage: 'message fail',
  failMessages: {
    name: 'message fail-all',
    needsYes: true,
    example: "'Himal Bank' --status sent --older-than 86400 --yes",
  },
  resendMessage: 'message resend',
  resendMessages: { name: 'message resend-all', needsYes: true },
  listRefusedRequests: {
    name: 'request list',
    columns: ['id', 'at', 'clientId', 'method', 'route', 'status', 'code'],
  },
  countRequestErrors: 'request errors',
  listWorkspaceReplies: { name: 'reply list', columns: REPLY },
  listReplies: { name: 'reply list-all', columns: ['workspaceId', 'id', ...REPLY] },
  attributeReply: { name: 'reply attribute', places: ['client'] },
  listWorkspaceAuditLog: { name: 'audit list', columns: AUDIT_ENTRY },
  listAuditLog: { name: 'audit list-all', columns: ['workspaceId', ...AUDIT_ENTRY] },

  getCodeFunnel: { name: 'code funnel', columns: ['day', ...OTP_COUNTS] },
  getCodesByPrefix: { name: 'code prefixes', columns: ['prefix', ...OTP_COUNTS] },
  listPumpingFindings: {
    name: 'code findings',
    columns: ['struckAt', 'clientId', 'scope', 'rule', 'refused', 'passed', 'heldUntil', 'reason'],
  },
  listAllowedPrefixes: 'allowlist list',
  addAllowedPrefix: { name: 'allowlist add', places: ['prefix'] },
  removeAllowedPrefix: 'allowlist remove',

  createCarrier: {
    example: 'Everest --host smpp.example.net --port 2775 --system-id himal --password-file -',
    name: 'carrier add',
    places: ['name'],
    implies: { preset: { kind: 'http' }, http: { kind: 'http' } },
    show: newCarrierText,
  },
  listCarrierPresets: {
    name: 'carrier presets',
    columns: ['name', 'title', 'receipts', 'values', 'secrets', 'isTried'],
    row: presetRow,
  },
  listCarriers: {
    name: 'carrier list',
    columns: ['id', 'name', 'kind', 'address', 'enabled', 'binds', 'health'],
    row: carrierRow,
  },
  getCarrier: 'carrier show',
  changeCarrier: { name: 'carrier change', example: 'Everest --segments-per-second 50' },
  removeCarrier: 'carrier remove',
  listUnmatchedReceipts: {
    name: 'carrier receipts',
    columns: ['receivedAt', 'reference', 'to', 'state', 'code', 'cause'],
    row: receiptRow,
  },
  tellCarrierCallback: { name: 'carrier callback', show: ({ callbackUrl }) => callbackUrl },
  testCarrier: {
    name: 'carrier test',
    show: testText,
    isWell: isTestPassed,
    example: 'Everest --to +9779800000001 --receipt-seconds 30',
  },
  listCarrierTests: { name: 'carrier tests', columns: ['askedAt', 'binds', 'message'] },
  captureCarrier: 'carrier capture',
  listCarrierCaptures: { name: 'carrier captures', columns: ['id', 'askedAt', 'endsAt', 'frames'] },
  getCarrierCapture: { name: 'carrier capture-show', show: captureText },
  getCarrierCaptureFile: { name: 'carrier capture-pcap', show: ({ pcap }) => pcap },
  getCarrierFigures: { name: 'carrier figures', show: figuresText },
  getCarrierPrices: { name: 'price list', show: pricesText },
  putCarrierPrices: {
    name: 'price set',
    places: ['currency', 'prices'],
    show: ({ currency, prices }) => `${prices.length} ${prices.length === 1 ? 'price' : 'prices'} in ${currency}.`,
  },

  createRoute: { name: 'route add', places: ['country', 'carrier'] },
  listRoutes: {
    name: 'route list',
    columns: ['id', 'country', 'prefixes', 'types', 'carrierId', 'priority', 'overflow', 'weight'],
  },
  changeRoute: { name: 'route change', example: '$ROUTE --priority 10' },
  removeRoute: 'route remove',
  listCountries: {
    name: 'country list',
    columns: ['code', 'name', 'state', 'timeZone', 'quietHours', 'policy'],
  },
  getCountry: 'country show',
  putCountry: { name: 'country set', places: ['name', 'state'], example: 'IN India live --quiet-hours 21:00-09:00' },
  removeCountry: 'country remove',

  getNow: 'service now',
  getService: 'service show',
  changeService: { name: 'service change', example: '--sms-enabled' },
  examine: null,
  listHandsetMessages: { name: 'simulator messages', columns: HANDSET_MESSAGE },
  writeHandsetReply: { name: 'simulator reply', places: ['from', 'to', 'text'], example: '+9779800000001 Himal YES' },
  listSimulatorEndings: 'simulator endings',
  listWorkspaceHandsetMessages: { name: 'simulator workspace-messages', columns: HANDSET_MESSAGE },
  writeWorkspaceHandsetReply: {
    name: 'simulator workspace-reply',
    places: ['from', 'to', 'text'],
    example: "'Himal Bank' +9779800000001 Himal YES",
  },
  advanceClock: { name: 'clock advance', places: ['seconds'] },
}

/** Options with another name than their field. */
const NAMES: Record<string, string> = {
  carrierId: 'carrier',
  clientId: 'client',
  olderThanSeconds: 'older-than',
  password: 'password-file',
  presetValues: 'set',
  'restrictions.types': 'only-types',
  secrets: 'secret',
}

/** Fields whose type does not say how they are written best. */
const KINDS: Record<string, Kind> = {
  password: 'file',
  presetValues: 'pairs',
  prices: 'prices',
  quietHours: 'hours',
  secrets: 'secrets',
  'smpp.tlsCa': 'pem',
  'smpp.tlsCertificate': 'pem',
  tlsKey: 'pem',
}

/** Lists that the word `none` empties. */
const EMPTIED = ['prefixes', 'smpp.allowedSenders']

export const COMMANDS: readonly Command[] = Object.entries(DESIGNS).flatMap(([call, design]) =>
  design === null
    ? []
    : [commandOf(CALLS[call as keyof typeof CALLS], typeof design === 'string' ? { name: design } : design)],
)

/** Most names are two words. */
export function commandNamed(first: string, second: string): Command | undefined {
  return COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
}

function commandOf(call: Call, { places = [], implies = {}, ...design }: Design): Command {
  const ids = idsOf(call)
  const options = call.fields.map((field): [string, Option] => {
    const name = optionName(field.at)
    return [name, optionOf(field, { isPlaced: places.includes(name), implies: implies[name] })]
  })
  const { fields: _, ...rest } = call
  const areAll = ids.some((id) => places.includes(id) && !options.some(([name]) => name === id))
  return {
    ...rest,
    ...design,
    places: areAll ? places : [...ids, ...places],
    options: Object.fromEntries(options),
  }
}

/** `restrictions.dailyCap` is `daily-cap`, but the parts of `rate` keep their prefix. */
function optionName(at: string): string {
  const field = at.replace(/^(restrictions|smpp)\./, '').replace('.', '-')
  return NAMES[at] ?? field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function optionOf(field: Field, { isPlaced, implies }: Pick<Option, 'isPlaced' | 'implies'>): Option {
  const { at, isRequired, isNullable, isId, ...rest } = field
  const thing = at.replace(/Id$/, '')
  return {
    ...rest,
    at,
    kind: KINDS[at] ?? field.kind,
    ...(isRequired && !isPlaced && { isRequired }),
    ...(isPlaced && { isPlaced }),
    ...(implies && { implies }),
    ...(isId && isNamedKind(thing) && { thing }),
    ...(isNullable ? { none: 'null' } : EMPTIED.includes(at) && { none: 'empty' }),
  }
}

function timelineText({ message, waitsUntil, waiting, timeline }: Json, width: number | null): string {
  const events = timeline.map(({ at, what, ...details }: Json) => ({ at, what: `${what} ${detailText(details)}` }))
  const fields = fieldLines({ ...message, waitsUntil, waiting: waiting && detailText(waiting) })
  return `${fields}\n\n${tableOf(events, { columns: ['at', 'what'], width })}`
}

function detailText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(' ')
}
