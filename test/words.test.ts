// User-visible text is plain English and avoids known bad phrases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS } from '../src/cli/commands.ts'
import { helpOf, helpOfAll } from '../src/cli/help.ts'
import { SPECIAL_COMMANDS } from '../src/cli/special-commands.ts'
import { en } from '../ui/words/en.ts'
import { enBilling } from '../ui/words/en-billing.ts'
import { enBulk } from '../ui/words/en-bulk.ts'
import { enLog } from '../ui/words/en-log.ts'
import { enService } from '../ui/words/en-service.ts'
import { apiDocument, managementDocument } from './harness/mounted-routes.ts'

/** A phrase to avoid, and what to write instead. */
const FORBIDDEN: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'name the person: “an admin”, “anyone with the link”, “support”'],
  [/\bsomebody\b/i, 'name the person: “a member”, “another person”'],
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

/** Summaries, descriptions and error examples of an OpenAPI document. Code such as `GSM7` is quoted from the API contract. */
function* textsOfDocument(part: unknown, path: string): Generator<[place: string, text: string]> {
  if (typeof part !== 'object' || part === null) return
  for (const [key, value] of Object.entries(part)) {
    const isText = typeof value === 'string' && ['summary', 'description', 'error'].includes(key)
    if (isText) yield [`${path}.${key}`, value.replaceAll(/```.*?```|`[^`]*`/gs, '')]
    else yield* textsOfDocument(value, `${path}.${key}`)
  }
}

/** Lines of the help, without the values of an option, which are quoted from the API. */
function* textsOfHelp(): Generator<[place: string, text: string]> {
  const commands = [...COMMANDS, ...SPECIAL_COMMANDS]
  for (const [place, help] of [['help', helpOfAll()], ...commands.map((it) => [`${it.name} --help`, helpOf(it)])])
    for (const line of help?.split('\n') ?? []) yield [`hulaki ${place}`, line.replaceAll(/\([^)]*\)/g, '')]
}

/** Every user-visible text with its place. */
const READ = {
  console: textsIn({ ...en, ...enService, ...enLog, ...enBilling, ...enBulk }, 'ui/words/en.ts'),
  api: textsOfDocument(await apiDocument(), 'v1'),
  management: textsOfDocument(await managementDocument(), 'manage'),
  help: textsOfHelp(),
}

test('user-visible text avoids the phrases of the list', () => {
  const found = Object.values(READ).flatMap((texts) =>
    [...texts].flatMap(([place, text]) =>
      FORBIDDEN.filter(([phrase]) => phrase.test(text)).map(([, instead]) => `${place}: “${text}”. Write ${instead}.`),
    ),
  )
  assert.deepEqual(found, [])
})
