// ⌘K: which answer is shown, where a record leads, and which entries match.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerFor, hrefOf, isNumber, matching, searchOf } from '../../ui/palette/entries.ts'

test('an answer is shown only for the text that is typed now, so Enter opens no record of an older text', () => {
  const answer = ['a record']
  assert.equal(answerFor(' web ', { asked: 'web', answer, isOld: false }), answer)
  assert.equal(answerFor('web s', { asked: 'web', answer, isOld: false }), undefined, 'more was typed')
  assert.equal(answerFor('web', { asked: 'web', answer, isOld: true }), undefined, 'the data of the text before')
  assert.equal(answerFor('w', { asked: null, answer, isOld: false }), undefined)
})

test('asks the server from two characters', () => {
  assert.deepEqual(['', ' a ', ' ab ', 'x'.repeat(201)].map(searchOf), [null, null, 'ab', null])
})

test('every kind of record leads to its page', () => {
  const workspace = { id: 'w', name: 'Himal' }
  const href = (kind: Parameters<typeof hrefOf>[0]['kind']) =>
    hrefOf({ kind, id: 'x', name: '', status: null, at: null, workspace: kind === 'carrier' ? null : workspace })
  assert.deepEqual(
    (['message', 'delivery', 'request', 'client', 'template', 'workspace', 'carrier'] as const).map(href),
    [
      '~/console/w/w/messages/x',
      '~/console/w/w/webhooks/x',
      '~/console/w/w/requests?request=x&open=x',
      '~/console/w/w/clients/x',
      '~/console/w/w/templates?open=x',
      '~/console/w/w',
      '~/console/carriers/x',
    ],
  )
})

test('names that begin with the text come first', () => {
  const names = (typed: string) =>
    matching(
      ['Send message', 'Messages', 'Team'].map((name) => ({ name })),
      typed,
    ).map((it) => it.name)
  assert.deepEqual(names('mess'), ['Messages', 'Send message'])
  assert.deepEqual(names(''), ['Send message', 'Messages', 'Team'])
})

test('knows a text that may be a phone number', () => {
  assert.deepEqual(['98415', '+977 98-415', '9841x', '984'].map(isNumber), [true, true, false, false])
})
