// Defines the command of each management API call: name, arguments and output. Options and texts come from the OpenAPI document (calls.ts).
import { CALLS } from './calls.ts'
import {
  captureText,
  carrierRow,
  figuresText,
  isTestPassed,
  newCarrierText,
  presetRow,
  pricesSetText,
  pricesText,
  receiptRow,
  testText,
} from './carrier-answers.ts'
import {
  type AnyJson,
  type Call,
  type CallField,
  type Command,
  isNamedKind,
  type Kind,
  type Option,
  pathIds,
} from './command.ts'
import { fieldLines, formatValue, tableOf } from './table.ts'

/** The parts of a command that the OpenAPI document does not define. */
interface CommandDesign extends Pick<Command, 'row' | 'show' | 'isSuccessful' | 'needsYes' | 'example'> {
  columns?: string
  implies?: Record<string, Record<string, AnyJson>>
}

const DELIVERY = 'id createdAt event status state failureReason messageId nextAttemptAt'
const TEMPLATE = 'id name type status text reason'
const REPLY = 'receivedAt from to text clientId inReplyTo'
const AUDIT_ENTRY = 'at actor action subject address details'
const TOKEN = 'id name role createdAt lastUsedAt expiresAt revokedAt'
const HANDSET_MESSAGE = 'receivedAt to from text'
const RATES = '--rate-transactional 1.5 --rate-otp 1.2 --rate-promotional 1'
const NEW_WORKSPACE = `'Himal Bank' --country NP --status active --monthly-credit 500 ${RATES}`

/** The words of each command, with the options that are arguments; ids of the path come before them, unless they are named too.
    null: a command of special-commands.ts makes this call. */
const DESIGNS: Record<keyof typeof CALLS, string | [words: string, design: CommandDesign] | null> = {
  whoami: 'whoami',
  findNamed: ['find <kind> <name>', { example: "client 'Web shop'" }],

  createWorkspace: ['workspace create <name>', { example: NEW_WORKSPACE }],
  listWorkspaces: ['workspace list', { columns: 'id name status plan balance currency sentToday' }],
  getWorkspace: 'workspace show',
  getStart: 'workspace start',
  changeWorkspace: ['workspace change', { example: "'Himal Bank' --status suspended" }],
  topUp: 'credit add <amount>',
  listLedger: ['credit list', { columns: 'at kind amount balance period messages messageId note' }],
  setCreditAlert: 'credit alert <below>',
  getUsage: ['usage show', { columns: 'day clientId type messages segments cost refunded net carriers' }],
  getMonth: 'month show',
  getMonthCsv: 'month csv',

  listMembers: ['member list', { columns: 'id email name role lastSeenAt' }],
  changeMember: ['member change', { example: "'Himal Bank' $PERSON --role viewer" }],
  removeMember: 'member remove',
  recoverMember: 'member recover',
  inviteMember: 'member invite <email> <role>',
  listInvitations: 'invitation list',
  revokeInvitation: 'invitation revoke',
  createOwnerToken: ['owner-token create <name>', { example: "'Himal Bank' Terraform --role developer" }],
  listOwnerTokens: ['owner-token list', { columns: TOKEN }],
  revokeOwnerToken: 'owner-token revoke',
  listOperators: ['operator list', { columns: 'id email name lastSeenAt' }],
  removeOperator: 'operator remove',
  inviteOperator: 'operator invite',
  listOperatorInvitations: 'operator-invitation list',
  revokeOperatorInvitation: 'operator-invitation revoke',
  createOperatorToken: ['operator-token create <name>', { example: 'Terraform' }],
  listOperatorTokens: ['operator-token list', { columns: TOKEN }],
  revokeOperatorToken: 'operator-token revoke',
  changePerson: 'person change',
  recoverPerson: 'person recover',

  createClient: 'client create <name>',
  listClients: ['client list', { columns: 'id name brandName mode keyPrefix disabledAt' }],
  getClient: 'client show',
  changeClient: ['client change', { example: "'Web shop' --daily-cap 5000 --ip-allowlist 203.0.113.0/24" }],
  rotateApiKey: 'client rotate-key',
  rotateWebhookSecret: 'client rotate-webhook-secret',
  disableClient: 'client disable',
  enableClient: 'client enable',
  listClientFraudEvents: ['client fraud-events', { columns: 'struckAt scope rule mode strikes heldUntil reason' }],
  sendTestOtp: 'client test-otp <to>',
  verifyTestOtp: 'client verify-otp <to> <code>',
  listWebhookDeliveries: ['webhook list', { columns: DELIVERY }],
  listWorkspaceWebhookDeliveries: ['webhook list-all', { columns: `clientId ${DELIVERY}` }],
  getWebhookDelivery: 'webhook show',
  resendWebhookDelivery: 'webhook resend',
  replayWebhookDeliveries: 'webhook replay <since>',
  sendTestEvent: 'webhook test',
  triggerEvent: 'trigger <outcome> <client>',
  listen: null,
  endListening: null,

  submitTemplate: [
    'template submit <name> <text>',
    { example: "'Himal Bank' Order 'Your order {{number}} is on its way' --type transactional" },
  ],
  listWorkspaceTemplates: ['template list', { columns: TEMPLATE }],
  listTemplates: ['template list-all', { columns: `workspaceId ${TEMPLATE}` }],
  matchTemplates: 'template match <text>',
  approveTemplate: 'template approve',
  rejectTemplate: 'template reject <reason>',
  changeTemplate: ['template change', { example: `Order --carrier-fields '{"dltTemplateId": "1107"}'` }],

  listMessages: ['message list', { columns: 'id createdAt to from type status error segments charged' }],
  getTimeline: ['message show', { show: timelineText }],
  exportMessages: 'message export',
  countMessagesByHour: 'message by-hour',
  revealMessage: 'message reveal',
  cancelMessage: 'message cancel',
  cancelMessages: ['message cancel-all', { needsYes: true }],
  failMessage: 'message fail',
  failMessages: [
    'message fail-all',
    { needsYes: true, example: "'Himal Bank' --status sent --older-than 86400 --yes" },
  ],
  resendMessage: 'message resend',
  resendMessages: ['message resend-all', { needsYes: true }],
  listRefusedRequests: ['request list', { columns: 'id at clientId method route status code' }],
  countRequestErrors: 'request errors',
  listWorkspaceReplies: ['reply list', { columns: REPLY }],
  listReplies: ['reply list-all', { columns: `workspaceId id ${REPLY}` }],
  attributeReply: 'reply attribute <client>',
  listWorkspaceAuditLog: ['audit list', { columns: AUDIT_ENTRY }],
  listAuditLog: ['audit list-all', { columns: `workspaceId ${AUDIT_ENTRY}` }],

  getCodeFunnel: ['code funnel', { columns: 'day sent delivered verified' }],
  getCodesByPrefix: ['code prefixes', { columns: 'prefix sent delivered verified' }],
  listFraudEvents: ['code fraud-events', { columns: 'struckAt clientId scope rule refused passed heldUntil reason' }],
  listAllowedPrefixes: 'allowlist list',
  addAllowedPrefix: 'allowlist add <prefix>',
  removeAllowedPrefix: 'allowlist remove',

  createCarrier: [
    'carrier add <name>',
    {
      implies: { preset: { kind: 'http' }, http: { kind: 'http' } },
      show: newCarrierText,
      example: 'Everest --host smpp.example.net --port 2775 --system-id himal --password-file -',
    },
  ],
  listCarrierPresets: ['carrier presets', { columns: 'name title receipts values secrets isVerified', row: presetRow }],
  listCarriers: ['carrier list', { columns: 'id name kind address enabled binds health', row: carrierRow }],
  getCarrier: 'carrier show',
  changeCarrier: ['carrier change', { example: 'Everest --segments-per-second 50' }],
  removeCarrier: 'carrier remove',
  listUnmatchedReceipts: ['carrier receipts', { columns: 'receivedAt reference to state code cause', row: receiptRow }],
  getCarrierCallback: ['carrier callback', { show: ({ callbackUrl }) => callbackUrl }],
  testCarrier: [
    'carrier test',
    { show: testText, isSuccessful: isTestPassed, example: 'Everest --to +9779800000001 --receipt-seconds 30' },
  ],
  listCarrierTests: ['carrier tests', { columns: 'startedAt binds message' }],
  captureCarrier: 'carrier capture',
  listCarrierCaptures: ['carrier captures', { columns: 'id startedAt endsAt frames' }],
  getCarrierCapture: ['carrier capture-show', { show: captureText }],
  getCarrierCaptureFile: ['carrier capture-pcap', { show: ({ pcap }) => pcap }],
  getCarrierFigures: ['carrier figures', { show: figuresText }],
  getCarrierPrices: ['price list', { show: pricesText }],
  putCarrierPrices: ['price set <currency> <prices>', { show: pricesSetText }],

  createRoute: 'route add <country> <carrier>',
  listRoutes: ['route list', { columns: 'id country prefixes types carrierId priority overflow weight' }],
  changeRoute: ['route change', { example: '$ROUTE --priority 10' }],
  removeRoute: 'route remove',
  listCountries: ['country list', { columns: 'code name state timeZone quietHours policy' }],
  getCountry: 'country show',
  putCountry: ['country set <name> <state>', { example: 'IN India live --quiet-hours 21:00-09:00' }],
  removeCountry: 'country remove',

  getNow: 'service now',
  getService: 'service show',
  changeService: ['service change', { example: '--sms-enabled' }],
  checkHealth: null,
  listHandsetMessages: ['simulator messages', { columns: HANDSET_MESSAGE }],
  writeHandsetReply: ['simulator reply <from> <to> <text>', { example: '+9779800000001 Himal YES' }],
  listSimulatorOutcomes: 'simulator outcomes',
  listWorkspaceHandsetMessages: ['simulator workspace-messages', { columns: HANDSET_MESSAGE }],
  writeWorkspaceHandsetReply: [
    'simulator workspace-reply <from> <to> <text>',
    { example: "'Himal Bank' +9779800000001 Himal YES" },
  ],
  advanceClock: 'clock advance <seconds>',
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

/** Fields with another notation than that of their type. */
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

/** Lists that `none` empties. */
const EMPTIED_BY_NONE = ['prefixes', 'smpp.allowedSenders']

export const COMMANDS: readonly Command[] = Object.entries(DESIGNS).flatMap(([name, design]) => {
  const call = CALLS[name as keyof typeof CALLS]
  if (design === null) return []
  return [typeof design === 'string' ? commandOf(call, design) : commandOf(call, ...design)]
})

/** Most names are two words. */
export function findCommand(first: string, second: string): Command | undefined {
  return COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
}

function commandOf(
  { fields, ...call }: Call,
  words: string,
  { implies = {}, columns, ...design }: CommandDesign = {},
): Command {
  const [name = '', ...placed] = words.split(/ (?=<)/)
  const positionals = placed.map((place) => place.slice(1, -1))
  const ids = pathIds(call)
  const options = fields.map((field): [string, Option] => {
    const option = optionName(field.at)
    return [option, optionOf(field, { isPositional: positionals.includes(option), implies: implies[option] })]
  })
  return {
    ...call,
    ...design,
    ...(columns && { columns: columns.split(' ') }),
    name,
    positionals: [...ids.filter((id) => !positionals.includes(id)), ...positionals],
    options: Object.fromEntries(options),
  }
}

/** `restrictions.dailyCap` is `daily-cap`, but the parts of `rate` keep their prefix. */
function optionName(at: string): string {
  const field = at.replace(/^(restrictions|smpp)\./, '').replace('.', '-')
  return NAMES[at] ?? field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function optionOf(field: CallField, { isPositional, implies }: Pick<Option, 'isPositional' | 'implies'>): Option {
  const { at, isRequired, isNullable, isId, ...rest } = field
  const kind = at.replace(/Id$/, '')
  return {
    ...rest,
    at,
    kind: KINDS[at] ?? field.kind,
    ...(isRequired && !isPositional && { isRequired }),
    ...(isPositional && { isPositional }),
    ...(implies && { implies }),
    ...(isId && isNamedKind(kind) && { namedKind: kind }),
    ...(isNullable ? { none: 'null' } : EMPTIED_BY_NONE.includes(at) && { none: 'empty' }),
  }
}

function timelineText({ message, waitsUntil, waiting, timeline }: AnyJson, width: number | null): string {
  const events = timeline.map(({ at, what, ...details }: AnyJson) => ({ at, what: `${what} ${detailText(details)}` }))
  const fields = fieldLines({ ...message, waitsUntil, waiting: waiting && detailText(waiting) })
  return `${fields}\n\n${tableOf(events, { columns: ['at', 'what'], width })}`
}

function detailText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(' ')
}
