// The input of a call, and its URL.
import { CALLS, type Calls } from './calls.ts'

export const ROOT = '/api/manage/v1'

type Given<Fields> = Record<never, never> extends Fields ? { [Key in keyof Fields]?: Fields[Key] } : Fields
type Part<Name extends string, Fields> = [keyof Fields] extends [never]
  ? { [Key in Name]?: undefined }
  : Partial<Fields> extends Fields
    ? { [Key in Name]?: Given<Fields> }
    : { [Key in Name]: Fields }
type BodyOf<Body> = Body extends undefined ? { body?: undefined } : { body: Body }

/** The input of a call: path parameters, query and body, each where the call has one. */
export type Input<Name extends keyof Calls> = Part<'params', Calls[Name]['params']> &
  Part<'query', Calls[Name]['query']> &
  BodyOf<Calls[Name]['body']>
export type Answer<Name extends keyof Calls> = Calls[Name]['answer']

export interface Loose {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/** The URL of a call on this server. */
export function addressOf<Name extends keyof Calls>(name: Name, input: Input<Name>): string {
  const { params = {}, query = {} } = input as Loose
  const path = CALLS[name][1].replaceAll(/\{(\w+)\}/g, (_, key) => encodeURIComponent(String(params[key])))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') search.append(key, String(one))
    }
  }
  return `${ROOT}${path}${search.size > 0 ? `?${search}` : ''}`
}
