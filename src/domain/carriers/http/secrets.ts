// The secrets of a carrier over HTTP (D50): sealed together, named in its description, and hidden in everything that is logged or shown.
import type { HttpSecrets } from '../secrets.ts'
import type { HttpDescription } from './description.ts'
import { SECRET_NAME } from './template.ts'

const HIDDEN = '***'
/** Shorter ones would blank out half of what a carrier says, and guard nothing. */
const SHORTEST_HIDDEN = 4

/** Of those that were given; an address for receipts is among the secrets, and was not (D52). */
export function secretNamesOf(secrets: HttpSecrets): string[] {
  return Object.keys(secrets)
    .filter((name) => SECRET_NAME.test(name))
    .sort()
}

/** As they shall be: null takes one away, and what is not named stays. */
export function changedSecrets(before: HttpSecrets, change: Readonly<Record<string, string | null>>): HttpSecrets {
  const all = Object.entries({ ...before, ...change })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Blanks them out of a text, in every spelling that a call may have sent them in. */
export function hider(secrets: HttpSecrets, auth: HttpDescription['auth']): (text: string) => string {
  const plain = Object.values(secrets)
  const basic = auth?.kind === 'basic' ? [filled(`${auth.user}:${auth.password}`, secrets)] : []
  const spelled = [...plain, ...basic].flatMap(spellings).filter((it) => it.length >= SHORTEST_HIDDEN)
  const longestFirst = [...new Set(spelled)].sort((one, other) => other.length - one.length)
  return (text) => longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text)
}

/** Also as a provider may write again what it was sent: with small letters behind each %, or as PHP writes a / within JSON. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  const hex = bytes.toString('hex')
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inUrl = [encodeURIComponent(secret), form, encodeURIComponent(base64)]
  const inText = [secret, inJson, base64, base64.replace(/=+$/, ''), bytes.toString('base64url')]
  return [
    ...inText,
    ...inText.map((it) => it.replaceAll('/', '\\/')),
    ...inUrl,
    ...inUrl.map((it) => it.replaceAll(/%../g, (spelled) => spelled.toLowerCase())),
    hex,
    hex.toUpperCase(),
  ]
}

function filled(template: string, secrets: HttpSecrets): string {
  return template.replaceAll(/\{secret\.(\w+)\}/g, (whole, name: string) => secrets[name] ?? whole)
}
