// `hulaki forget` against a fake service: what it says about its steps and about what stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pretend } from './pretend.ts'
import { typist } from './typed.ts'

const NUMBER = '+9779841000777'

test('counts over all steps, and says one message and one reply in the singular', async (t) => {
  const steps = [
    { messages: 1, replies: 0, unfinished: 0, isDone: false },
    { messages: 0, replies: 1, unfinished: 0, isDone: true },
  ]
  const url = await pretend(t, (_, response) => response.end(JSON.stringify(steps.shift())))
  const { code, out, err } = await typist(url)('forget', NUMBER, '--yes')
  assert.deepEqual([code, out], [0, 'Removed the number from 1 message and 1 reply.'])
  assert.equal(err, '1 message and 0 replies, continuing')
})

test('a message in doubt cannot be cancelled: says how it ends', async (t) => {
  for (const [unfinished, start] of [
    [1, '1 message, reply or carrier test keeps the number, because it is not final'],
    [2, '2 messages, replies or carrier tests keep the number, because they are not final'],
  ] as const) {
    const step = { messages: 0, replies: 0, unfinished, isDone: true }
    const url = await pretend(t, (_, response) => response.end(JSON.stringify(step)))
    const { code, err } = await typist(url)('forget', NUMBER, '--yes')
    assert.equal(code, 1)
    assert.ok(err.startsWith(start), err)
    assert.match(err, /in 72 hours.*hulaki message fail/)
  }
})
