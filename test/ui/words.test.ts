// Both languages are complete: the compiler checks the keys, this test checks that no text is empty or in the other language.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REFUSALS } from '../../src/domain/refusals.ts'
import { EVENT_NAMES } from '../../src/domain/webhooks/webhook-event.ts'
import { en } from '../../ui/words/en.ts'
import { enBilling } from '../../ui/words/en-billing.ts'
import { enBulk } from '../../ui/words/en-bulk.ts'
import { enLog } from '../../ui/words/en-log.ts'
import { enPalette } from '../../ui/words/en-palette.ts'
import { enSend } from '../../ui/words/en-send.ts'
import { enService } from '../../ui/words/en-service.ts'
import { enToasts } from '../../ui/words/en-toasts.ts'
import { ne } from '../../ui/words/ne.ts'
import { neBilling } from '../../ui/words/ne-billing.ts'
import { neBulk } from '../../ui/words/ne-bulk.ts'
import { neLog } from '../../ui/words/ne-log.ts'
import { nePalette } from '../../ui/words/ne-palette.ts'
import { neSend } from '../../ui/words/ne-send.ts'
import { neService } from '../../ui/words/ne-service.ts'
import { neToasts } from '../../ui/words/ne-toasts.ts'

type Texts = { readonly [key: string]: string | Texts | ((...given: never[]) => string) }

/** Names and marks that are the same in Nepali. */
const SAME = /^[\W\d]*$|^(API|OTP|TEST|SMS|CSV|URL|TOTP|OIDC|JSON|UTC|curl|Python|TypeScript)([\s/·…]|$)/

test('no text is empty, and Nepali is written in Devanagari', () => {
  const faults: string[] = []
  compare(
    { ...en, ...enService, ...enSend, ...enPalette, ...enLog, ...enBilling, ...enBulk, ...enToasts },
    { ...ne, ...neService, ...neSend, ...nePalette, ...neLog, ...neBilling, ...neBulk, ...neToasts },
    '',
    faults,
  )
  assert.deepEqual(faults, [])
})

function compare(one: Texts, other: Texts, path: string, faults: string[]): void {
  for (const [key, value] of Object.entries(one)) {
    const place = path === '' ? key : `${path}.${key}`
    const same = other[key]
    if (typeof value === 'object') {
      if (typeof same !== 'object') faults.push(`${place}: is missing in Nepali`)
      else compare(value, same, place, faults)
      continue
    }
    const [english, nepali] = [textOf(value), textOf(same)]
    if (english.trim() === '') faults.push(`${place}: is empty in English`)
    if (nepali.trim() === '') faults.push(`${place}: is empty in Nepali`)
    else if (!/\p{Script=Devanagari}/u.test(nepali) && !SAME.test(nepali))
      faults.push(`${place}: is not Nepali: ${nepali}`)
  }
  for (const key of Object.keys(other)) if (!(key in one)) faults.push(`${path}.${key}: is missing in English`)
}

function textOf(value: Texts[string] | undefined): string {
  if (typeof value === 'function') return value(...(Array.from({ length: value.length }, () => '1') as never[]))
  return typeof value === 'string' ? value : ''
}

/** Codes of the management API only. */
const NOT_LOGGED = ['sign_in_again', 'conflict', 'key_limit']

test('the API log has a fix for every error code of the v1 API', () => {
  const codes = Object.keys(REFUSALS).filter((code) => !NOT_LOGGED.includes(code))
  assert.deepEqual(Object.keys(enLog.requests.fixes).sort(), codes.sort())
})

/** Their names look like actions. */
const EVENTS: readonly string[] = EVENT_NAMES

test('every action of the audit log has a name', () => {
  const written = globSync('src/actions/**/*.ts').flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/'([a-z_]+\.[a-z_]+)'/g), ([, action = '']) => action),
  )
  // The review of a template composes its action from the status.
  const composed = ['approved', 'rejected'].map((status) => `template.${status}`)
  const kinds = Object.keys(en.team.resources)
  const actions = [...written, ...composed].filter(
    (it) => kinds.includes(it.split('.')[0] ?? '') && !EVENTS.includes(it),
  )
  assert.ok(actions.length > 30)
  assert.deepEqual(
    actions.filter((it) => !(it in enLog.audit.actionNames)),
    [],
  )
})
