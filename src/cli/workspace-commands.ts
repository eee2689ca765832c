// Workspaces and their credit.
import { DAYS } from './code-commands.ts'
import { type Command, changeable, type Option, PAGING } from './command.ts'

const kept: Record<string, Option> = {
  country: { kind: 'text', tells: 'ISO 3166-1 alpha-2, such as NP', isNeeded: true },
  currency: { kind: 'text', tells: 'ISO 4217', otherwise: 'NPR' },
  'time-zone': { kind: 'text', tells: 'when its days and months begin', otherwise: 'Asia/Kathmandu' },
}

const settings: Record<string, Option> = {
  name: { kind: 'text', tells: 'what it is called', isPlaced: true },
  plan: { kind: 'text', tells: 'standard or enterprise', otherwise: 'standard' },
  status: { kind: 'text', tells: 'pending, active or suspended', otherwise: 'pending' },
  'monthly-credit': { kind: 'number', tells: 'what is granted for a month', isNeeded: true },
  'rate-transactional': { kind: 'number', at: 'rate.transactional', tells: 'price of a segment', isNeeded: true },
  'rate-otp': { kind: 'number', at: 'rate.otp', tells: 'price of a segment', isNeeded: true },
  'rate-promotional': { kind: 'number', at: 'rate.promotional', tells: 'price of a segment', isNeeded: true },
  'allowed-types': { kind: 'list', tells: 'transactional,otp,promotional', otherwise: 'all of the plan' },
  'allowed-countries': { kind: 'list', tells: 'codes', otherwise: 'every live country', none: 'null' },
  'max-clients': { kind: 'number', tells: 'how many clients it may have', otherwise: '20' },
  'templates-required': { kind: 'flag', tells: 'whether free text must match a template', otherwise: 'yes' },
  'carrier-fields': { kind: 'json', tells: '{"dltEntityId": …}, for carriers' },
}

export const workspaceCommands: Command[] = [
  { name: 'whoami', tells: 'Tells whose token it is, its role, and for which workspace', asks: 'GET /whoami' },
  {
    name: 'name find',
    tells: 'Lists what is called so, with its id',
    asks: 'GET /names',
    options: {
      kind: { kind: 'text', tells: 'workspace, client, template or carrier', isPlaced: true },
      name: { kind: 'text', tells: 'the whole name', isPlaced: true },
      workspace: { kind: 'text', thing: 'workspace', tells: 'only what is in it' },
    },
    columns: ['id', 'name', 'workspaceId'],
  },
  {
    name: 'workspace create',
    tells: 'Makes a workspace',
    asks: 'POST /workspaces',
    options: { ...settings, ...kept },
  },
  {
    name: 'workspace list',
    tells: 'Lists all workspaces',
    asks: 'GET /workspaces',
    options: {
      ...PAGING,
      name: { kind: 'text', tells: 'some of its name' },
      status: { kind: 'text', tells: 'pending, active or suspended' },
    },
    columns: ['id', 'name', 'status', 'plan', 'balance', 'currency', 'sentToday'],
  },
  { name: 'workspace show', tells: 'Shows one, with its balance', asks: 'GET /workspaces/{workspace}' },
  {
    name: 'workspace start',
    tells: 'Tells how far it has come: a key used, a message, a code, a webhook',
    asks: 'GET /workspaces/{workspace}/start',
  },
  {
    name: 'workspace change',
    tells: 'Changes what is named',
    asks: 'PATCH /workspaces/{workspace}',
    options: changeable(settings),
  },
  {
    name: 'credit add',
    tells: 'Tops up',
    asks: 'POST /workspaces/{workspace}/credits',
    options: {
      amount: { kind: 'number', tells: 'how much', isPlaced: true },
      note: { kind: 'text', tells: 'for the ledger', none: 'null' },
    },
    isIdempotent: true,
  },
  {
    name: 'credit list',
    tells: 'Lists the ledger, newest first',
    asks: 'GET /workspaces/{workspace}/ledger',
    options: {
      ...PAGING,
      kind: { kind: 'list', tells: 'any of them, such as topUp,refund' },
      from: { kind: 'text', tells: 'first day, such as 2026-11-01' },
      to: { kind: 'text', tells: 'last day' },
    },
    columns: ['at', 'kind', 'amount', 'balance', 'period', 'messages', 'messageId', 'note'],
  },
  {
    name: 'credit alert',
    tells: 'Sets the balance below which credit is low',
    asks: 'PUT /workspaces/{workspace}/credit-alert',
    options: { below: { kind: 'number', tells: 'the balance', isPlaced: true, none: 'null' } },
  },
  {
    name: 'usage show',
    tells: 'Shows messages, segments and cost by day, client and type',
    asks: 'GET /workspaces/{workspace}/usage',
    options: { ...DAYS, by: { kind: 'text', tells: 'day' } },
    columns: ['day', 'clientId', 'type', 'messages', 'segments', 'cost', 'refunded', 'net', 'carriers'],
  },
  {
    name: 'month show',
    tells: 'Shows what each client sent and paid in a month, such as 2026-11',
    asks: 'GET /workspaces/{workspace}/months/{month}',
  },
  {
    name: 'month csv',
    tells: 'Prints a month by day, client and type, as CSV',
    asks: 'GET /workspaces/{workspace}/months/{month}.csv',
    isText: true,
  },
]
