// Converts restrictions to the fields of a form and back (§5.4): an empty field removes a restriction.
import type { Client, ClientChange } from '../api/calls.ts'
import { MESSAGE_TYPES, type MessageType } from '../parts/message-types.ts'

type Guard = Client['restrictions']['pumpingGuard']
type Change = NonNullable<ClientChange['restrictions']>

export const GUARDS: readonly Guard[] = ['off', 'monitor', 'block']

export interface Fields {
  types: readonly MessageType[]
  ipAllowlist: string
  numberPrefixes: string
  dailyCap: string
  hourlyCapPerNumber: string
  pumpingGuard: Guard
}

export function fieldsOf({ types, ipAllowlist, numberPrefixes, ...rest }: Client['restrictions']): Fields {
  return {
    types: types ?? MESSAGE_TYPES,
    ipAllowlist: (ipAllowlist ?? []).join('\n'),
    numberPrefixes: (numberPrefixes ?? []).join('\n'),
    dailyCap: rest.dailyCap === null ? '' : String(rest.dailyCap),
    hourlyCapPerNumber: rest.hourlyCapPerNumber === null ? '' : String(rest.hourlyCapPerNumber),
    pumpingGuard: rest.pumpingGuard,
  }
}

/** Only the edited fields. All types together are no restriction. */
export function restrictionsOf({ types, ipAllowlist, numberPrefixes, ...rest }: Partial<Fields>): Change {
  return {
    ...(types && { types: types.length === MESSAGE_TYPES.length ? null : [...types] }),
    ...(ipAllowlist !== undefined && { ipAllowlist: linesOf(ipAllowlist) }),
    ...(numberPrefixes !== undefined && { numberPrefixes: linesOf(numberPrefixes) }),
    ...(rest.dailyCap !== undefined && { dailyCap: capOf(rest.dailyCap) }),
    ...(rest.hourlyCapPerNumber !== undefined && { hourlyCapPerNumber: capOf(rest.hourlyCapPerNumber) }),
    ...(rest.pumpingGuard && { pumpingGuard: rest.pumpingGuard }),
  }
}

function linesOf(text: string): string[] | null {
  const lines = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines
}

function capOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}
