// Every change that the console makes has a toast, except those that their screens confirm.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { enToasts } from '../../ui/words/en-toasts.ts'

const UI = join(import.meta.dirname, '..', '..', 'ui')

const SHOWN_ON_SCREEN = new Set([
  // The signed-in state or the next page.
  'signIn',
  'signOut',
  'signInAgain',
  'useLink',
  'getLink',
  'recoverByMail',
  'startTotp',
  // Their result: texts, files, steps, codes, replies, counts.
  'revealMessage',
  'exportRevealedMessages',
  'exportSelectedMessages',
  'matchTemplates',
  'getCarrierCallback',
  'testCarrier',
  'sendTestOtp',
  'verifyTestOtp',
  'writeHandsetReply',
  'writeWorkspaceHandsetReply',
  'replayWebhookDeliveries',
  // A toast with the name of the client.
  'attributeReply',
])

test('every change has a text for its toast, or is shown on its screen', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: UI }).map((file) => readFileSync(join(UI, file), 'utf8'))
  const made = new Set(
    sources.flatMap((text) =>
      Array.from(text.matchAll(/(?:useAction\(|of: \{ change: )'(\w+)'/g), ([, name = '']) => name),
    ),
  )
  assert.ok(made.size > 50)
  const withText = new Set(Object.keys(enToasts.toasts.of))
  assert.deepEqual(
    [...made].filter((name) => !withText.has(name) && !SHOWN_ON_SCREEN.has(name)),
    [],
  )
  assert.deepEqual(
    [...SHOWN_ON_SCREEN, ...withText].filter((name) => !made.has(name)),
    [],
  )
})
