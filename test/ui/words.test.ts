// Both languages are complete: the compiler checks the keys, this test checks that no text is empty or in the other language.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { en } from '../../ui/words/en.ts'
import { ne } from '../../ui/words/ne.ts'

type Texts = { readonly [key: string]: string | Texts | ((...given: never[]) => string) }

/** Names and marks that are the same in Nepali. */
const SAME = /^[\W\d]*$|^(API|OTP|TEST|SMS|CSV|URL|TOTP|OIDC|JSON|curl|Python|TypeScript)([\s/·…]|$)/

test('no text is empty, and Nepali is written in Devanagari', () => {
  const faults: string[] = []
  compare(en, ne, '', faults)
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

/** Types of webhook events, which look like actions. */
const EVENTS = ['message.status', 'message.inbound']

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
    actions.filter((it) => !(it in en.team.actionNames)),
    [],
  )
})
