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
  hasName,
  isNamedKind,
  type Kind,
  type Option,
  pathIds,
  type View,
} from './command.ts'
import { statusText } from './service-answers.ts'
import { fieldLines, formatValue, percentOf, shortValue, tableOf } from './table.ts'
import { exactTime } from './time.ts'
import { waitSentence } from './wait-sentence.ts'
import { creditAlertsText, creditRequestText, ledgerRow, monthText, toppedUpText } from './workspace-answers.ts'

/** The parts of a command that the OpenAPI document does not define. */
interface CommandDesign extends Pick<Command, 'row' | 'show' | 'isSuccessful' | 'needsYes' | 'example'> {
  columns?: string
  /** The columns on a terminal, if all columns are too wide for 80. */
  brief?: string
  implies?: Record<string, Record<string, AnyJson>>
}

const DELIVERY = 'id createdAt event status state failureReason messageId nextAttemptAt'
const HEALTH = 'state success lastResponse failingSince waiting nextAttemptAt notifiedAt clientId url'
const TEMPLATE = 'id name type status text reason'
const REPLY = 'receivedAt from to text clientId inReplyTo'
const REQUEST = 'id at clientId method route status code milliseconds'
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

  forgetNumber: null,
  listArchivable: null,
  archiveDay: null,
  search: ['search <q>', { columns: 'kind id name status at workspace', example: '+9779841234567' }],

  createWorkspace: ['workspace create <name>', { example: NEW_WORKSPACE }],
  listWorkspaces: [
    'workspace list',
    { brief: 'name status balance currency sentToday id', columns: 'id name status plan balance currency sentToday' },
  ],
  getWorkspace: 'workspace show',
  getStart: 'workspace start',
  changeWorkspace: ['workspace change', { example: "'Himal Bank' --status suspended" }],
  topUp: ['credit add <amount>', { show: toppedUpText }],
  listLedger: [
    'credit list',
    {
      brief: 'at kind amount balance expiresAt note',
      columns: 'at kind amount balance period expiresAt messages messageId note',
      row: ledgerRow,
    },
  ],
  requestCredit: [
    'credit request <amount>',
    { show: creditRequestText, example: "'Himal Bank' 5000 --note 'Festival campaign'" },
  ],
  withdrawCreditRequest: ['credit withdraw', { show: creditRequestText }],
  declineCreditRequest: [
    'credit decline',
    { show: creditRequestText, example: "'Himal Bank' --reason 'Invoice 17 is unpaid'" },
  ],
  setCreditAlerts: [
    'credit alerts <below>',
    { show: creditAlertsText, example: "'Himal Bank' 500,100 --client 'Web shop'" },
  ],
  getUsage: [
    'usage show',
    {
      brief: 'day clientId type messages segments cost net',
      columns: 'day clientId type messages segments cost refunded net carriers',
    },
  ],
  getMonth: ['month show', { show: monthText }],
  getStatement: 'month statement',
  exportUsage: 'usage export',
  exportLedger: 'ledger export',

  listMembers: ['member list', { columns: 'id email name role lastSeenAt' }],
  changeMember: ['member change', { example: "'Himal Bank' $PERSON --role viewer" }],
  removeMember: 'member remove',
  recoverMember: 'member recover',
  inviteMember: 'member invite <email> <role>',
  listInvitations: 'invitation list',
  revokeInvitation: 'invitation revoke',
  createOwnerToken: ['owner-token create <name>', { example: "'Himal Bank' Terraform --role developer" }],
  listOwnerTokens: ['owner-token list', { brief: 'name role lastUsedAt expiresAt revokedAt id', columns: TOKEN }],
  revokeOwnerToken: 'owner-token revoke',
  listOperators: ['operator list', { columns: 'id email name lastSeenAt' }],
  removeOperator: 'operator remove',
  inviteOperator: 'operator invite',
  listOperatorInvitations: 'operator-invitation list',
  revokeOperatorInvitation: 'operator-invitation revoke',
  createOperatorToken: ['operator-token create <name>', { example: 'Terraform' }],
  listOperatorTokens: ['operator-token list', { brief: 'name lastUsedAt expiresAt revokedAt id', columns: TOKEN }],
  revokeOperatorToken: 'operator-token revoke',
  changePerson: 'person change',
  recoverPerson: 'person recover',

  createClient: 'client create <name>',
  listClients: [
    'client list',
    { brief: 'name mode keyPrefix disabledAt id', columns: 'id name brandName mode keyPrefix disabledAt' },
  ],
  getClient: 'client show',
  changeClient: ['client change', { example: "'Web shop' --daily-cap 5000 --ip-allowlist 203.0.113.0/24" }],
  addClientKey: 'client key add',
  listClientKeys: ['client key list', { columns: 'id prefix createdAt' }],
  revokeClientKey: 'client key revoke',
  rotateApiKey: 'client rotate-key',
  rotateWebhookSecret: 'client rotate-webhook-secret',
  disableClient: 'client disable',
  enableClient: 'client enable',
  listClientFraudEvents: [
    'client fraud-events',
    { brief: 'struckAt scope rule strikes heldUntil', columns: 'struckAt scope rule mode strikes heldUntil reason' },
  ],
  sendMessage: ['client send <to>', { example: "'Web shop' 9800000001 --text Namaste" }],
  previewMessage: ['client preview', { example: "'Web shop' --to 9800000001 --text Namaste" }],
  sendTestOtp: 'client test-otp <to>',
  verifyTestOtp: 'client verify-otp <to> <code>',
  listWebhookDeliveries: [
    'webhook list',
    { brief: 'createdAt event status state nextAttemptAt id', columns: DELIVERY },
  ],
  listWorkspaceWebhookDeliveries: [
    'webhook list-all',
    { brief: 'createdAt clientId event status state id', columns: `clientId ${DELIVERY}` },
  ],
  listAllWebhookDeliveries: [
    'webhook events-all',
    {
      brief: 'createdAt workspaceName event status state id',
      columns: `${DELIVERY} workspaceName clientName`,
    },
  ],
  listWebhookEndpoints: [
    'webhook endpoints',
    { brief: 'client state success failingSince lastResponse', columns: `client ${HEALTH}`, row: endpointRow },
  ],
  listAllWebhookEndpoints: [
    'webhook endpoints-all',
    {
      brief: 'workspaceName client state success failingSince lastResponse',
      columns: `client workspaceName ${HEALTH} workspaceId`,
      row: endpointRow,
    },
  ],
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
  listWorkspaceTemplates: ['template list', { brief: 'name type status text id', columns: TEMPLATE }],
  listTemplates: [
    'template list-all',
    { brief: 'workspaceId name type status text id', columns: `workspaceId ${TEMPLATE}` },
  ],
  getTemplate: 'template show',
  matchTemplates: 'template match <text>',
  approveTemplate: 'template approve',
  rejectTemplate: 'template reject <reason>',
  changeTemplate: ['template change', { example: `Order --carrier-fields '{"dltTemplateId": "1107"}'` }],

  listAllMessages: [
    'message list-all',
    {
      brief: 'createdAt workspaceName to status error id',
      columns: 'id workspaceName createdAt to type status error charged currency',
    },
  ],
  listMessages: [
    'message list',
    {
      brief: 'createdAt to status charged error id',
      columns: 'id createdAt to from type status error segments charged',
    },
  ],
  getTimeline: ['message show', { show: timelineText }],
  exportMessages: 'message export',
  exportRevealedMessages: 'message export-revealed',
  getMessageHistory: 'message history',
  getServiceMessageHistory: 'message history-all',
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
  cancelSelectedMessages: ['message cancel-selected', { needsYes: true }],
  failSelectedMessages: ['message fail-selected', { needsYes: true }],
  resendSelectedMessages: ['message resend-selected', { needsYes: true }],
  exportSelectedMessages: 'message export-selected',
  listWorkspaceRequests: ['request list', { brief: 'at clientId method route status code id', columns: REQUEST }],
  listRequests: [
    'request list-all',
    { brief: 'at workspaceName method route status code id', columns: `workspaceName ${REQUEST}` },
  ],
  listUnknownKeyRequests: ['request unknown-keys', { columns: 'lastAt address keyHint requests method route' }],
  countRequestErrors: 'request errors',
  listWorkspaceReplies: ['reply list', { brief: 'receivedAt from to text', columns: REPLY }],
  listReplies: ['reply list-all', { brief: 'receivedAt workspaceId from text id', columns: `workspaceId id ${REPLY}` }],
  attributeReply: 'reply attribute <client>',
  listWorkspaceAuditLog: ['audit list', { brief: 'at actor action subject', columns: AUDIT_ENTRY }],
  listAuditLog: [
    'audit list-all',
    { brief: 'at workspaceId actor action subject', columns: `workspaceId ${AUDIT_ENTRY}` },
  ],

  getCodeFunnel: ['code funnel', { columns: 'day sent delivered verified' }],
  getCodesByPrefix: ['code prefixes', { columns: 'prefix sent delivered verified' }],
  listFraudEvents: [
    'code fraud-events',
    {
      brief: 'struckAt clientId scope rule refused passed',
      columns: 'struckAt clientId scope rule refused passed heldUntil reason',
    },
  ],
  getServiceCodeFunnel: ['code funnel-all', { columns: 'day sent delivered verified' }],
  getServiceCodesByPrefix: ['code prefixes-all', { columns: 'prefix sent delivered verified' }],
  getCodesByWorkspace: [
    'code workspaces',
    { columns: 'workspaceName sent delivered verified rate refused', row: rateRow },
  ],
  listAllFraudEvents: [
    'code fraud-events-all',
    {
      brief: 'struckAt workspaceName scope rule refused passed',
      columns: 'struckAt workspaceName clientName scope rule refused passed heldUntil reason',
    },
  ],
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
  listCarrierPresets: [
    'carrier presets',
    {
      brief: 'name receipts isVerified values',
      columns: 'name title receipts values secrets isVerified',
      row: presetRow,
    },
  ],
  listCarriers: [
    'carrier list',
    {
      brief: 'name kind address binds health id',
      columns: 'id name kind address enabled binds health',
      row: carrierRow,
    },
  ],
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
  listRoutes: [
    'route list',
    {
      brief: 'country carrierId priority overflow weight types prefixes id',
      columns: 'id country prefixes types carrierId priority overflow weight',
    },
  ],
  changeRoute: ['route change', { example: '$ROUTE --priority 10' }],
  removeRoute: 'route remove',
  listCountries: ['country list', { columns: 'code name state timeZone quietHours policy' }],
  getCountry: 'country show',
  putCountry: ['country set <name> <state>', { example: 'IN India live --quiet-hours 21:00-09:00' }],
  removeCountry: 'country remove',

  getNow: ['service now', { show: statusText }],
  getNowHistory: [
    'service history',
    { columns: 'at accepted sent delivered undelivered rejected refused', example: '--range 24h' },
  ],
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
const EMPTIED_BY_NONE = ['below', 'prefixes', 'smpp.allowedSenders']

export const COMMANDS: readonly Command[] = Object.entries(DESIGNS).flatMap(([name, design]) => {
  const call = CALLS[name as keyof typeof CALLS]
  if (design === null) return []
  return [typeof design === 'string' ? commandOf(call, design) : commandOf(call, ...design)]
})

export function findCommand(words: readonly string[]): Command | undefined {
  return COMMANDS.find((command) => hasName(command, words))
}

function commandOf(
  { fields, ...call }: Call,
  words: string,
  { implies = {}, columns, brief, ...design }: CommandDesign = {},
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
    ...(brief && { brief: brief.split(' ') }),
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

/** For example `61.2 % of 880` and `HTTP 502, 31 ms`. */
function endpointRow({ clientName, attempts, successRate, latest, waiting, ...endpoint }: AnyJson): AnyJson {
  const response = latest && `${latest.error ?? `HTTP ${latest.statusCode}`}, ${latest.milliseconds} ms`
  const success = successRate === null ? null : `${percentOf(successRate)} of ${attempts}`
  return { ...endpoint, client: clientName, success, lastResponse: response, waiting: waiting || null }
}

/** The share of verified OTPs. */
function rateRow({ sent, verified, ...codes }: AnyJson): AnyJson {
  return { ...codes, sent, verified, rate: percentOf(sent > 0 ? verified / sent : null) }
}

/** On a terminal: the fields that matter, then one line for each event with the time of day. */
function timelineText({ message, waitsUntil, waiting, timeline }: AnyJson, width: number | null, view: View): string {
  const events = timeline.map(({ at, what, ...details }: AnyJson) => ({ at, what: `${what} ${detailText(details)}` }))
  if (width === null) {
    const fields = fieldLines({ ...message, waitsUntil, waiting: waiting && detailText(waiting) })
    return `${fields}\n\n${tableOf(events, { columns: ['at', 'what'], width })}`
  }
  const { to, from, type, status, error, segments, encoding, charged, text, clientId, workspaceId, createdAt, id } =
    message
  const { resentAs, resentFrom } = message
  const shown = {
    ...{ to, from, status, error, waiting: waiting && waitSentence(waiting, view.now), type, text },
    ...{ segments: `${segments} (${encoding})`, charged, client: clientId, workspace: workspaceId },
    ...{ created: createdAt, 'resent as': resentAs, 'resent from': resentFrom, id },
  }
  const present = Object.entries(shown).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const rows = timeline.map(({ at, what, ...details }: AnyJson) => ({
    time: exactTime(at).split(' ').at(-1),
    what: `${what} ${detailText(shortValue(details, view)).replaceAll(/\b(client|workspace|carrier)Id=/g, '$1=')}`.trim(),
  }))
  return `${fieldLines(Object.fromEntries(present), width, view)}\n\n${tableOf(rows, { columns: ['time', 'what'], width })}`
}

function detailText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(' ')
}
