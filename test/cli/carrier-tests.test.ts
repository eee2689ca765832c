// The output of carrier tests and unmatched receipts, and the options of HTTP carriers.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listener } from '../harness/background.ts'
import { pretend, pretendAnswers } from './pretend.ts'
import { typist } from './typed.ts'

const ID = '01a1e878-53b4-7643-a841-10b5aabf01dd'
const bind = { number: 1, mode: 'transmitter', state: 'bound', boundAt: '2026-11-17T07:46:02.389Z', fault: null }
const addressStep = { step: 'address', detail: '127.0.0.1', fault: null, milliseconds: 0.2 }
const message = { to: '+9779841000001', commandStatus: 200, carrierMessageId: null, milliseconds: 9.6, report: null }

function pretendTest(
  context: TestContext,
  answer: { fault?: string | null; outcome?: string; detail?: string; why?: string },
) {
  const { fault = null, outcome, detail = 'HTTP 200', why = null } = answer
  const steps = outcome ? [addressStep, { step: 'answer', detail, fault: why, milliseconds: 9.6 }] : [addressStep]
  const body = {
    startedAt: '2026-11-17T07:46:40.217Z',
    binds: [{ ...bind, fault, steps }],
    message: outcome ? { ...message, outcome } : null,
  }
  return pretendAnswers(context, () => [200, JSON.stringify(body)])
}

test('carrier test shows an unreadable response, and its exit code tells whether the carrier accepted', async (context) => {
  const run = async (answer: Parameters<typeof pretendTest>[1]) => {
    const url = await pretendTest(context, answer)
    return typist(url)('carrier', 'test', ID)
  }
  const unread = await run({ outcome: 'unknown', why: 'response is not JSON' })
  assert.match(unread.out, /: unknown in 9\.6 ms, status 200\nresponse: HTTP 200; response is not JSON$/)
  assert.equal(unread.code, 1)
  const unanswered = await run({ outcome: 'unknown', detail: '', why: 'the connection was closed' })
  assert.match(unanswered.out, /\nresponse: the connection was closed$/)
  const taken = await run({ outcome: 'accepted' })
  assert.match(taken.out, /\nresponse: HTTP 200\nreceipt: none so far; /)
  assert.equal(taken.code, 0)
  assert.equal((await run({})).code, 0)
  assert.equal((await run({ fault: 'connection refused' })).code, 1)
})

test('an unmatched receipt is shown with the setting that solves it', async (context) => {
  const receipt = { receivedAt: '2026-11-17T07:46:48.034Z', reference: '1f', to: '', state: 'DELIVRD', code: '' }
  const causes = [
    { kind: 'id_format', idFormat: { answers: 'hex', reports: 'decimal' } },
    { kind: 'other_id', carrierMessageId: 'abc' },
    { kind: 'nothing_sent' },
  ]
  const items = causes.map((cause) => ({ ...receipt, cause }))
  const url = await pretendAnswers(context, () => [200, JSON.stringify({ items, next: null })])
  const { out } = await typist(url)('carrier', 'receipts', ID)
  assert.match(out, /id_format: set --id-format '\{"answers":"hex","reports":"decimal"\}'/)
  assert.match(out, /other_id: the carrier's ID was abc/)
  assert.match(out, /nothing_sent$/)
})

test('--http creates an HTTP carrier without --kind', async (context) => {
  const bodies: string[] = []
  const url = await pretend(
    context,
    listener(async (request, response) => {
      bodies.push((await request.toArray()).join(''))
      response.writeHead(201).end('{}')
    }),
  )
  const type = typist(url, {
    readFile: (name) => (name === 'broken.json' ? '{' : '{"url": "https://api.example.com"}'),
  })
  assert.equal((await type('carrier', 'add', 'Example', '--http', '@http.json')).code, 0)
  assert.deepEqual(JSON.parse(bodies[0] ?? ''), {
    name: 'Example',
    kind: 'http',
    http: { url: 'https://api.example.com' },
  })
  const broken = await type('carrier', 'add', 'Example', '--http', '@broken.json')
  assert.match(broken.err, /^'broken\.json' is not valid JSON: /)
  assert.equal(broken.code, 2)
})
