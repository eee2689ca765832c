// Both languages say everything: the shape is held by the compiler, here that nothing is empty or left in the other language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../../ui/words/en.ts'
import { ne } from '../../ui/words/ne.ts'

type Texts = { readonly [key: string]: string | Texts | ((...given: never[]) => string) }

/** What Nepali writes as English does: names and marks. */
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
