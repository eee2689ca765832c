// User-visible text is plain English and avoids known bad phrases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../ui/words/en.ts'

/** A phrase to avoid, and what to write instead. */
const FORBIDDEN: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'name the person: “an admin”, “anyone with the link”, “support”'],
  [/\bnobody\b/i, 'say what is missing: “No members yet.”'],
  [/\b(is|are|was|be) told\b/i, '“a webhook is sent”, “notified”'],
  [/\bwhat died\b|\bdead\b/i, '“failed events”'],
  [/\btake back\b/i, '“Revoke”'],
  [/\bI have kept it\b/i, '“Done”'],
  [/\bput off\b/i, '“deferred”'],
  [/\bmend\b/i, '“fix”'],
  [/^make it$/i, '“Create”'],
  [/\bgo on\b/i, '“Continue”'],
  [/\b(sent )?anew\b/i, '“resent”, “again”'],
  [/\bis like that\b/i, '“No … match your filters.”'],
  [/\bunder way\b/i, '“in progress”'],
  [/\bfor good\b/i, '“permanent”'],
  [/\bgiven up\b/i, '“failed” or “expired”'],
  [/\bwhat it did\b|\bof what\b|\bfor what\b/i, 'a noun: “Action”, “Target”, “Description”'],
  [/\bblotted out\b/i, '“redacted”'],
  [/\bone-time code\b/i, '“OTP”'],
  [/^To the\b/, 'a verb: “View templates”, “Open test phone”'],
  [/\bGSM7\b|\bUCS2\b/, '“GSM-7”, “UCS-2”'],
  [/^Do$/, '“Actions”'],
]

type Texts = { readonly [key: string]: string | Texts | ((...given: never[]) => string) }

function* textsIn(texts: Texts, path: string): Generator<[place: string, text: string]> {
  for (const [key, value] of Object.entries(texts)) {
    const place = path === '' ? key : `${path}.${key}`
    if (typeof value === 'object') yield* textsIn(value, place)
    else if (typeof value === 'string') yield [place, value]
    else yield [place, value(...(Array.from({ length: value.length }, () => '1') as never[]))]
  }
}

/** Every user-visible text with its place. */
const READ = { console: textsIn(en, 'ui/words/en.ts') }

test('user-visible text avoids the phrases of the list', () => {
  const found = Object.values(READ).flatMap((texts) =>
    [...texts].flatMap(([place, text]) =>
      FORBIDDEN.filter(([phrase]) => phrase.test(text)).map(([, instead]) => `${place}: “${text}”. Write ${instead}.`),
    ),
  )
  assert.deepEqual(found, [])
})
