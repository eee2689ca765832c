// API clients: their keys, restrictions and webhook deliveries.
import { type Command, changeable, type Option, PAGING } from './command.ts'

const restriction = (name: string, kind: Option['kind'], tells: string): Option => ({
  kind,
  at: `restrictions.${name}`,
  tells,
  none: 'null',
})

const settings: Record<string, Option> = {
  name: { kind: 'text', tells: 'what it is called', isPlaced: true },
  'brand-name': { kind: 'text', tells: 'begins the text of its codes', isNeeded: true },
  'default-sender': { kind: 'text', tells: 'whom messages are from', otherwise: 'the brand name' },
  'webhook-url': { kind: 'text', tells: 'https://…', none: 'null' },
  'requests-per-second': { kind: 'number', tells: 'only the operator may set it', otherwise: '20' },
  'test-otp-code': { kind: 'text', tells: 'six digits that a test client always gets', none: 'null' },
  'only-types': restriction('types', 'list', 'message types it may send'),
  'ip-allowlist': restriction('ipAllowlist', 'list', 'addresses or networks it may call from'),
  'number-prefixes': restriction('numberPrefixes', 'list', 'beginnings of numbers it may send to, such as +97798'),
  'daily-cap': restriction('dailyCap', 'number', 'messages in a day'),
  'hourly-cap-per-number': restriction('hourlyCapPerNumber', 'number', 'messages to one number in an hour'),
  'pumping-guard': {
    kind: 'text',
    at: 'restrictions.pumpingGuard',
    tells: 'off, monitor or block',
    otherwise: 'monitor',
  },
  'pumping-allowlist': restriction('pumpingAllowlist', 'list', 'beginnings of numbers the guard lets pass'),
}

const deliveries: Record<string, Option> = {
  ...PAGING,
  state: { kind: 'text', tells: 'pending, delivered or dead' },
  event: { kind: 'text', tells: 'message.status or message.inbound' },
  message: { kind: 'text', tells: 'the id of a message' },
  since: { kind: 'text', tells: 'a time with its offset, such as 2026-11-15T00:00:00Z' },
  until: { kind: 'text', tells: 'a time with its offset' },
}
const deliveryColumns = ['id', 'createdAt', 'event', 'status', 'state', 'deadBecause', 'messageId', 'nextPostingAt']

export const clientCommands: Command[] = [
  {
    name: 'client create',
    tells: 'Makes an API client; its key and webhook secret are shown only now',
    asks: 'POST /workspaces/{workspace}/clients',
    options: { ...settings, mode: { kind: 'text', tells: 'live or test', otherwise: 'live' } },
  },
  {
    name: 'client list',
    tells: 'Lists the clients of a workspace',
    asks: 'GET /workspaces/{workspace}/clients',
    options: PAGING,
    columns: ['id', 'name', 'brandName', 'mode', 'keyPrefix', 'disabledAt'],
  },
  { name: 'client show', tells: 'Shows one', asks: 'GET /clients/{client}' },
  {
    name: 'client change',
    tells: 'Changes what is named',
    asks: 'PATCH /clients/{client}',
    options: changeable(settings),
  },
  {
    name: 'client rotate-key',
    tells: 'Gives it a new API key, shown only now; the old one ends at once',
    asks: 'POST /clients/{client}/rotate-key',
  },
  {
    name: 'client rotate-webhook-secret',
    tells: 'Gives it a new webhook secret, shown only now',
    asks: 'POST /clients/{client}/rotate-webhook-secret',
    options: { 'grace-hours': { kind: 'number', tells: 'how long the old one signs too, 0 to 168', otherwise: '24' } },
  },
  { name: 'client disable', tells: 'Refuses its key from now on', asks: 'POST /clients/{client}/disable' },
  { name: 'client enable', tells: 'Takes its key again', asks: 'POST /clients/{client}/enable' },
  {
    name: 'client holds',
    tells: 'Lists what the pumping guard has seen in the last day',
    asks: 'GET /clients/{client}/pumping-holds',
    columns: ['struckAt', 'scope', 'rule', 'mode', 'strikes', 'heldUntil', 'reason'],
  },
  {
    name: 'client try-code',
    tells: 'Sends a code as its program would',
    asks: 'POST /clients/{client}/try-code',
    options: { to: { kind: 'text', tells: 'a mobile number', isPlaced: true } },
  },
  {
    name: 'client verify-code',
    tells: 'Checks a code as its program would',
    asks: 'POST /clients/{client}/try-code/verify',
    options: {
      to: { kind: 'text', tells: 'the number it was sent to', isPlaced: true },
      code: { kind: 'text', tells: 'the six digits', isPlaced: true },
    },
  },
  {
    name: 'webhook list',
    tells: 'Lists the webhook deliveries of a client',
    asks: 'GET /clients/{client}/webhook-deliveries',
    options: deliveries,
    columns: deliveryColumns,
  },
  {
    name: 'webhook list-all',
    tells: 'Lists the webhook deliveries of all clients of a workspace',
    asks: 'GET /workspaces/{workspace}/webhook-deliveries',
    options: { ...deliveries, client: { kind: 'text', thing: 'client', tells: 'name or id of a client' } },
    columns: ['clientId', ...deliveryColumns],
  },
  { name: 'webhook show', tells: 'Shows one, with every posting', asks: 'GET /webhook-deliveries/{delivery}' },
  { name: 'webhook resend', tells: 'Posts one again', asks: 'POST /webhook-deliveries/{delivery}/resend' },
  {
    name: 'webhook replay',
    tells: 'Posts all dead ones of a client again',
    asks: 'POST /clients/{client}/webhook-deliveries/replay',
    options: { since: { kind: 'text', tells: 'a time with its offset, such as 2026-11-15T00:00:00Z', isPlaced: true } },
  },
  { name: 'webhook test', tells: 'Posts a test event to a client', asks: 'POST /clients/{client}/test-event' },
]
