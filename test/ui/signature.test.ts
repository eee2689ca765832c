// The signature checker of the console against the signatures that the service makes (§6.3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { checkSignature } from '../../ui/webhooks/signature.ts'

const SECRET = 'whsec_5f8e2a'
const BODY = '{"type":"message.status","text":"नमस्ते"}'
const NOW = new Date('2026-11-16T04:00:00Z')
const SECONDS = NOW.getTime() / 1000

function headersOf(secrets: readonly [string] | readonly [string, string], unixSeconds = SECONDS): string {
  const value = signatureHeader({ unixSeconds, body: Buffer.from(BODY), secrets })
  return `content-type: application/json\nx-svc-signature: ${value}\nx-svc-event: message.status`
}

test('§6.3: accepts a signature of the service, and names the valid one during a rotation', async () => {
  const headers = headersOf(['whsec_new', SECRET])
  const verdict = await checkSignature({ headers, body: BODY, secret: ` ${SECRET}\n` }, NOW)
  assert.deepEqual(
    verdict?.signatures.map(({ matches }) => matches),
    [false, true],
  )
  assert.deepEqual([verdict?.isFresh, verdict?.isTrimmed, verdict?.signedAt], [true, false, NOW])
})

test('§6.3: rejects another secret, body or time; a time is valid for 300 seconds', async () => {
  const right = { headers: headersOf([SECRET]), body: BODY, secret: SECRET }
  const isRight = async (pasted: typeof right) =>
    (await checkSignature(pasted, NOW))?.signatures.some((it) => it.matches)
  assert.equal(await isRight({ ...right, secret: 'whsec_other' }), false)
  assert.equal(await isRight({ ...right, body: BODY.replace('status', 'state') }), false)
  assert.equal(await isRight({ ...right, headers: right.headers.replace(`t=${SECONDS}`, `t=${SECONDS + 1}`) }), false)
  const isFresh = async (age: number) =>
    (await checkSignature({ ...right, headers: headersOf([SECRET], SECONDS - age) }, NOW))?.isFresh
  assert.deepEqual([await isFresh(300), await isFresh(301), await isFresh(-301)], [true, false, false])
})

test('detects a line break added by copying, and headers without a signature', async () => {
  const verdict = await checkSignature({ headers: headersOf([SECRET]), body: `${BODY}\n`, secret: SECRET }, NOW)
  assert.deepEqual([verdict?.isTrimmed, verdict?.signatures[0]?.matches], [true, true])
  assert.equal(await checkSignature({ headers: 'content-type: text/plain', body: BODY, secret: SECRET }, NOW), null)
})
