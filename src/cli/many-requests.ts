// The commands that are no single request of the management API: their words and options. What they do stands in files of their own.
import type { Option } from './command.ts'

export interface ManyRequests {
  name: string
  tells: string
  /** What follows its words, in order. */
  places: readonly string[]
  /** How many of them may be left out, from the end. */
  optionalPlaces?: number
  options?: Record<string, Option>
  /** It speaks with an API key, not with a token. */
  isForPrograms?: boolean
  isIdempotent?: boolean
}

const sending: Record<string, Option> = {
  'api-key-file': { kind: 'file', tells: 'with the API key', otherwise: 'HULAKI_API_KEY' },
}
const purpose: Option = { kind: 'text', tells: 'what the code is for', otherwise: 'login' }
const sender: Option = { kind: 'text', at: 'senderId', tells: 'whom it is from', otherwise: "the client's own" }
const wait: Option = { kind: 'flag', tells: 'show what becomes of it until that is final', otherwise: 'yes' }
const programs = { isForPrograms: true, isIdempotent: true }

export const TRIGGERS = ['delivered', 'failed', 'undelivered', 'rejected', 'inbound']

export const MANY_REQUESTS: readonly ManyRequests[] = [
  {
    name: 'send',
    tells: 'Sends a message with an API key',
    places: ['to', 'text'],
    optionalPlaces: 1,
    options: {
      type: { kind: 'text', tells: 'transactional, otp or promotional' },
      sender,
      'template-id': { kind: 'text', tells: 'an approved template, in place of a text' },
      variables: { kind: 'json', tells: `for the template, such as '{"order": 4711}'` },
      wait,
      ...sending,
    },
    ...programs,
  },
  {
    name: 'otp send',
    tells: 'Sends a one-time code with an API key',
    places: ['to'],
    options: { purpose, sender, wait, ...sending },
    ...programs,
  },
  {
    name: 'otp verify',
    tells: 'Verifies a one-time code with an API key',
    places: ['to', 'code'],
    options: { purpose, ...sending },
    ...programs,
  },
  {
    name: 'listen',
    tells: 'Tells the events of a client as they happen, or posts them here',
    places: ['client'],
    options: {
      'forward-to': { kind: 'text', tells: 'post each, in order and signed, to such as http://localhost:3000/hook' },
      'secret-file': { kind: 'file', tells: 'with the webhook secret to sign with', otherwise: 'one it prints' },
      'take-over': { kind: 'flag', tells: 'from another who listens' },
    },
  },
  {
    name: 'trigger',
    tells: 'Makes an event of a client by a message through the simulator',
    places: ['event', 'client'],
    options: { to: { kind: 'text', tells: 'a number whose last two digits may be chosen' } },
  },
  { name: 'doctor', tells: 'Looks whether all is well, and tells what to do where it is not', places: [] },
]

export function manyRequestsNamed(first: string, second: string): ManyRequests | undefined {
  return MANY_REQUESTS.find(({ name }) => name === first || name === `${first} ${second}`)
}
