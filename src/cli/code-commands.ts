// One-time codes: how many arrive and are verified, and what passes the pumping guard.
import { type Command, type Option, PAGING } from './command.ts'

/** Days of the workspace's calendar. */
export const DAYS: Record<string, Option> = {
  from: { kind: 'text', tells: 'first day, such as 2026-11-01', otherwise: '30 days ago' },
  to: { kind: 'text', tells: 'last day', otherwise: 'today' },
}

const COUNTS = ['sent', 'delivered', 'verified']

export const codeCommands: Command[] = [
  {
    name: 'code funnel',
    tells: 'Shows how many codes were sent, delivered and verified by day',
    asks: 'GET /workspaces/{workspace}/codes/funnel',
    options: DAYS,
    columns: ['day', ...COUNTS],
  },
  {
    name: 'code prefixes',
    tells: 'Shows the same by operator prefix',
    asks: 'GET /workspaces/{workspace}/codes/by-prefix',
    options: DAYS,
    columns: ['prefix', ...COUNTS],
  },
  {
    name: 'code findings',
    tells: 'Lists what the pumping guard saw in the last 30 days, and did',
    asks: 'GET /workspaces/{workspace}/codes/findings',
    options: PAGING,
    columns: ['struckAt', 'clientId', 'scope', 'rule', 'refused', 'passed', 'heldUntil', 'reason'],
  },
  {
    name: 'allowlist list',
    tells: 'Lists what always passes the pumping guard of a client',
    asks: 'GET /clients/{client}/pumping-allowlist',
    columns: ['prefix'],
  },
  {
    name: 'allowlist add',
    tells: 'Lets a number or a prefix pass',
    asks: 'POST /clients/{client}/pumping-allowlist',
    options: { prefix: { kind: 'text', tells: 'such as +97798', isPlaced: true } },
  },
  {
    name: 'allowlist remove',
    tells: 'Has the guard judge a number or a prefix again',
    asks: 'DELETE /clients/{client}/pumping-allowlist/{prefix}',
  },
]
