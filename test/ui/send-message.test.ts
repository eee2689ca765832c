// The dialog that sends a message: what it sends, what is missing, and where an error is shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Template } from '../../ui/api/calls.ts'
import { bodyOf, type Draft, missingOf, plainNumber, problemsOf } from '../../ui/send/message-draft.ts'

const template = { id: 'order', variables: ['number', 'name'] } as unknown as Template
const draft: Draft = {
  to: '984 123-4501',
  content: 'text',
  text: 'Namaste',
  type: 'transactional',
  template: undefined,
  variables: { number: '4711', old: 'of another template' },
}

test('a number is sent without spaces and punctuation, in Latin digits', () => {
  assert.equal(plainNumber('+977 (98) 4123-4501'), '+9779841234501')
  assert.equal(plainNumber('९८४१२३४५०१'), '9841234501')
})

test('sends only the chosen content, and only variables of the chosen template', () => {
  assert.deepEqual(bodyOf(draft), { to: '9841234501', text: 'Namaste', type: 'transactional' })
  assert.deepEqual(bodyOf({ ...draft, content: 'template', template }), {
    to: '9841234501',
    templateId: 'order',
    variables: { number: '4711' },
  })
})

test('names the fields that are still empty', () => {
  assert.deepEqual(missingOf({ ...draft, to: ' ', text: '' }), ['to', 'text'])
  assert.deepEqual(missingOf({ ...draft, content: 'template' }), ['templateId'])
  assert.deepEqual(missingOf({ ...draft, content: 'template', template }), ['variables.name'])
})

test('a refusal is shown at its field, once, and otherwise below the form', () => {
  const sentences = { invalid_number: 'Check the digits.' }
  const refused = (code: string, details: { path: string[]; message: string; code: string }[] = []) => ({
    code,
    message: `server: ${code}`,
    details,
  })
  const problems = (refusals: ReturnType<typeof refused>[], content: Draft['content'] = 'text') =>
    problemsOf(refusals, { content, sentences })
  assert.deepEqual(problems([refused('invalid_number')]), { fields: { to: 'Check the digits.' }, rest: null })
  assert.deepEqual(problems([refused('template_required')], 'template').fields, {
    templateId: 'server: template_required',
  })
  assert.deepEqual(problems([refused('insufficient_balance')]), { fields: {}, rest: 'server: insufficient_balance' })
  const details = [
    { path: ['variables', 'number'], message: 'Too long', code: 'too_long' },
    { path: ['variables', 'name'], message: 'Missing', code: 'missing' },
  ]
  assert.deepEqual(problems([refused('invalid_variables', details)]), {
    fields: { 'variables.number': 'Too long' },
    rest: null,
  })
})
