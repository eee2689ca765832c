// Templates, and what happened: messages, replies, the audit log.
import { type Command, type Json, type Option, PAGING } from './command.ts'
import { fieldLines, tableOf, textOf } from './table.ts'

const templates = ['id', 'name', 'type', 'status', 'text', 'reason']
const replies = ['receivedAt', 'from', 'to', 'text', 'clientId', 'inReplyTo']
const entries = ['at', 'actor', 'action', 'subject', 'address', 'details']
const ofStatus = { ...PAGING, status: { kind: 'text' as const, tells: 'pending, approved or rejected' } }
const aClient: Option = { kind: 'text', thing: 'client', tells: 'name or id of a client' }
const ofClient: Record<string, Option> = { ...PAGING, client: aClient }
const narrowed: Record<string, Option> = {
  status: { kind: 'list', tells: 'any of them, such as failed,rejected' },
  type: { kind: 'text', tells: 'transactional, otp or promotional' },
  to: { kind: 'text', tells: 'a mobile number, as it is sent to' },
  search: { kind: 'text', tells: 'a number or its end, an id or its beginning, or words of the text' },
  'from-date': { kind: 'text', at: 'from-date', tells: 'a day, or a time with its offset' },
  'to-date': { kind: 'text', at: 'to-date', tells: 'a day, included, or a time with its offset, not included' },
}

/** Which of a workspace's messages are acted on together. */
const someOf = (carrier: string, youngest: Omit<Option, 'kind'>): Record<string, Option> => ({
  client: aClient,
  carrier: { kind: 'text', thing: 'carrier', tells: carrier },
  'older-than': { kind: 'number', at: 'olderThanSeconds', ...youngest },
})
const goOn: Option = { kind: 'text', tells: 'where to go on, as the call before told' }

const auditFilters: Record<string, Option> = {
  action: { kind: 'text', tells: 'such as client.key_rotated, or all of client' },
  by: { kind: 'text', tells: 'the id of a person or token' },
  ...PAGING,
}

export const messageCommands: Command[] = [
  {
    name: 'template submit',
    tells: 'Submits a template for review',
    asks: 'POST /workspaces/{workspace}/templates',
    options: {
      name: { kind: 'text', tells: 'what it is called', isPlaced: true },
      text: { kind: 'text', tells: "such as 'Your order {{number}} is on its way'", isPlaced: true },
      type: { kind: 'text', tells: 'transactional, otp or promotional', isNeeded: true },
      'carrier-fields': { kind: 'json', tells: '{"dltTemplateId": …}, for carriers' },
    },
  },
  {
    name: 'template list',
    tells: 'Lists the templates of a workspace',
    asks: 'GET /workspaces/{workspace}/templates',
    options: ofStatus,
    columns: templates,
  },
  {
    name: 'template list-all',
    tells: 'Lists the templates of all workspaces',
    asks: 'GET /templates',
    options: ofStatus,
    columns: ['workspaceId', ...templates],
  },
  {
    name: 'template match',
    tells: 'Tells whether a text matches an approved template, and what it costs',
    asks: 'POST /workspaces/{workspace}/templates/match',
    options: {
      text: { kind: 'text', tells: 'as it would be sent', isPlaced: true },
      type: { kind: 'text', tells: 'transactional, otp or promotional', otherwise: 'transactional' },
    },
  },
  { name: 'template approve', tells: 'Lets it be sent', asks: 'POST /templates/{template}/approve' },
  {
    name: 'template reject',
    tells: 'Refuses it, with a reason for its owner',
    asks: 'POST /templates/{template}/reject',
    options: { reason: { kind: 'text', tells: 'what is wrong with it', isPlaced: true } },
  },
  {
    name: 'template change',
    tells: 'Changes what it says to carriers',
    asks: 'PATCH /templates/{template}',
    options: { 'carrier-fields': { kind: 'json', tells: '{"dltTemplateId": …}' } },
  },
  {
    name: 'message list',
    tells: 'Lists messages, newest first',
    asks: 'GET /workspaces/{workspace}/messages',
    options: { ...ofClient, ...narrowed },
    columns: ['id', 'createdAt', 'to', 'from', 'type', 'status', 'error', 'segments', 'charged'],
  },
  {
    name: 'message export',
    tells: 'Prints messages as CSV, newest first',
    asks: 'GET /workspaces/{workspace}/messages.csv',
    options: { client: aClient, ...narrowed },
    isText: true,
  },
  {
    name: 'message by-hour',
    tells: 'Counts messages by the hour and by what became of them',
    asks: 'GET /workspaces/{workspace}/messages/by-hour',
    options: { hours: { kind: 'number', tells: 'how many, up to this one', otherwise: '24' } },
  },
  {
    name: 'message reveal',
    tells: 'Shows number and text; the audit log keeps that',
    asks: 'POST /messages/{message}/reveal',
  },
  {
    name: 'message cancel',
    tells: 'Cancels a message that still waits, and refunds it',
    asks: 'POST /messages/{message}/cancel',
  },
  {
    name: 'message cancel-all',
    tells: 'Cancels what still waits of a workspace, 1000 at a time',
    asks: 'POST /workspaces/{workspace}/messages/cancel',
    options: {
      ...someOf('to which they would go', { tells: 'seconds', otherwise: '0' }),
      status: { kind: 'list', tells: 'queued: nothing else can be cancelled', otherwise: 'queued' },
    },
    needsYes: true,
  },
  {
    name: 'message fail',
    tells: 'Ends a message that hangs, and refunds it',
    asks: 'POST /messages/{message}/fail',
  },
  {
    name: 'message fail-all',
    tells: 'Ends what hangs of a workspace, 1000 at a time',
    asks: 'POST /workspaces/{workspace}/messages/fail',
    options: {
      ...someOf('that had them last', { tells: 'seconds, 60 or more', isNeeded: true }),
      status: { kind: 'list', tells: 'any of queued,submitting,submitted,sent' },
      after: goOn,
    },
    needsYes: true,
  },
  {
    name: 'message resend',
    tells: 'Sends a message once more: one a network may have, or one that failed',
    asks: 'POST /messages/{message}/resend',
  },
  {
    name: 'message resend-all',
    tells: 'Sends messages of a workspace once more, 1000 at a time',
    asks: 'POST /workspaces/{workspace}/messages/resend',
    options: {
      ...someOf('that had them last', { tells: 'seconds', otherwise: '0' }),
      status: { kind: 'list', tells: 'any of failed,submitting,submitted', isNeeded: true },
      after: goOn,
    },
    needsYes: true,
  },
  {
    name: 'request list',
    tells: 'Lists the requests of API clients that were refused in the last week',
    asks: 'GET /workspaces/{workspace}/requests',
    options: { ...ofClient, code: { kind: 'text', tells: 'such as rate_limited' } },
    columns: ['id', 'at', 'clientId', 'method', 'route', 'status', 'code'],
  },
  {
    name: 'request errors',
    tells: 'Counts the requests of API clients by what they were refused with',
    asks: 'GET /workspaces/{workspace}/requests/errors',
    options: { hours: { kind: 'number', tells: 'how many, up to this one', otherwise: '24' } },
  },
  {
    name: 'message show',
    tells: 'Tells what happened to one message, in order',
    asks: 'GET /messages/{message}/timeline',
    show: timelineText,
  },
  {
    name: 'reply list',
    tells: 'Lists the replies to a workspace',
    asks: 'GET /workspaces/{workspace}/inbound',
    options: ofClient,
    columns: replies,
  },
  {
    name: 'reply list-all',
    tells: 'Lists all replies',
    asks: 'GET /inbound',
    options: {
      ...ofClient,
      workspace: { kind: 'text', thing: 'workspace', tells: 'name or id of a workspace' },
      unattributed: { kind: 'flag', tells: 'only those that belong to nobody' },
    },
    columns: ['workspaceId', 'id', ...replies],
  },
  {
    name: 'reply attribute',
    tells: 'Gives a reply that is nobody’s to a client, and tells it so',
    asks: 'POST /inbound/{reply}/attribute',
    options: { client: { kind: 'text', at: 'clientId', tells: 'the id of a client', isPlaced: true } },
  },
  {
    name: 'audit list',
    tells: 'Lists who changed what in a workspace',
    asks: 'GET /workspaces/{workspace}/audit-log',
    options: auditFilters,
    columns: entries,
  },
  {
    name: 'audit list-all',
    tells: 'Lists who changed what, everywhere',
    asks: 'GET /audit-log',
    options: auditFilters,
    columns: ['workspaceId', ...entries],
  },
]

function timelineText({ message, waitsUntil, waiting, timeline }: Json, width: number | null): string {
  const happenings = timeline.map(({ at, what, ...details }: Json) => ({ at, what: `${what} ${detailText(details)}` }))
  return `${fieldLines({ ...message, waitsUntil, waiting: waiting && detailText(waiting) })}\n\n${tableOf(happenings, { columns: ['at', 'what'], width })}`
}

function detailText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .join(' ')
}
