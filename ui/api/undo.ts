// The call that undoes a change: the opposite call, or the same call with the values that the loaded data had before.
import type { Calls } from './calls.ts'

type Name = keyof Calls

type Values = Record<string, unknown>

/** A call with its input. */
export interface Undo {
  name: Name
  input: object
}

interface Loose {
  params?: Values
  body?: unknown
}

/** By change: the calls whose responses hold the values before it, and the name of its parameter in them; null where there is one value. */
const VALUES: Partial<Record<Name, readonly [of: readonly Name[], parameter: 'id' | 'code' | null]>> = {
  changeClient: [['getClient'], 'id'],
  changeCarrier: [['getCarrier'], 'id'],
  changeRoute: [['listRoutes'], 'id'],
  putCountry: [['listCountries'], 'code'],
  changeWorkspace: [['getWorkspace'], 'id'],
  changeService: [['getNow'], null],
}

/** `cached` returns the loaded responses of a call. */
export function undoOf(name: Name, input: object, cached: (name: Name) => unknown[]): Undo | null {
  const { params = {}, body } = input as Loose
  const isOperator = findIn(cached('whoami'), null, null)?.isOperator === true
  if (name === 'disableClient') return { name: 'enableClient', input: { params } }
  if (name === 'enableClient') {
    const client = findIn(cached('getClient'), 'id', params.id)
    // D43: only an operator can enable a client that an operator disabled, so another role would not restore the state before.
    return client && (client.disabledBy === 'operator') === isOperator
      ? { name: 'disableClient', input: { params } }
      : null
  }
  const [calls, parameter] = VALUES[name] ?? []
  if (!calls || parameter === undefined || !isRecord(body)) return null
  const before = findIn(calls.flatMap(cached), parameter, parameter && params[parameter])
  const values = before && mayRestore(body, before, isOperator) && previousOf(body, before)
  return values ? { name, input: { params, body: values } } : null
}

/** D43: operators and owners have restrictions of their own. A value is put back only by those who had set it. */
function mayRestore({ restrictions }: Values, before: Values, isOperator: boolean): boolean {
  if (!isRecord(restrictions)) return true
  const values = isRecord(before.restrictions) ? before.restrictions : {}
  const bounds = isRecord(before.setByOperator) ? before.setByOperator : {}
  return Object.keys(restrictions).every((field) => {
    const [value, bound = null] = [values[field], bounds[field]]
    return isOperator ? value === null || JSON.stringify(value) === JSON.stringify(bound) : bound === null
  })
}

/** Undoes a creation. */
export function undoOfCreated(name: Name, answer: unknown): Undo | null {
  if (name !== 'createRoute' || !isRecord(answer)) return null
  return { name: 'removeRoute', input: { params: { id: answer.id } } }
}

/** A response is a record, a list, or the pages of a list. */
function findIn(responses: readonly unknown[], parameter: string | null, value: unknown): Values | null {
  for (const response of responses) {
    if (!isRecord(response)) continue
    const pages = Array.isArray(response.pages) ? response.pages : [response]
    const records = pages.flatMap((page) => (isRecord(page) && Array.isArray(page.items) ? page.items : [page]))
    const found = records.filter(isRecord).find((it) => parameter === null || it[parameter] === value)
    if (found) return found
  }
  return null
}

/** Objects that a change merges into the old ones; it replaces other objects as a whole. */
const MERGED: readonly string[] = ['restrictions', 'rate']

/** Null if a value is not in the response, such as a password. */
function previousOf(body: Values, before: Values): Values | null {
  const values: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(body)) {
    const was = before[name]
    const previous = MERGED.includes(name) && isRecord(value) && isRecord(was) ? previousOf(value, was) : was
    if (was === undefined || (previous === null && was !== null)) return null
    values.push([name, previous])
  }
  return values.length > 0 ? Object.fromEntries(values) : null
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
