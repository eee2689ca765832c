// A message is one trace over all roles, and a request belongs to the trace of its caller.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { makeClient } from './harness/client.ts'
import { addCarrier, addRoute } from './harness/sending.ts'
import { ownService } from './harness/service.ts'
import { startSmsc } from './harness/smsc.ts'
import { startEndpoint } from './webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from './webhooks/webhook-service.ts'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  links: { traceId: string }[]
}

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

test('accept, submission, receipt and webhooks are one trace with the id of the message, without its number and text', async (t) => {
  let exported = ''
  const collector = createServer((request, response) => {
    request.on('data', (part) => {
      exported += part
    })
    request.on('end', () => {
      exported += '\n'
      response.end('{}')
    })
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    collector.closeAllConnections()
    collector.close()
  })
  const { port } = collector.address() as AddressInfo
  const service = await ownService({
    env: {
      HULAKI_ROLES: 'api,delivery,webhooks',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...WEBHOOK_ENV,
    },
  })
  const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
  await addRoute(service, await addCarrier(service, smsc.port))
  const endpoint = await startEndpoint(t, (response) => response.writeHead(204).end())
  const client = await makeClient(service, { webhookUrl: urlOf(endpoint) })
  const headers = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` }
  const { body } = await client.send({ to: '+9779841000555', text: 'Secret of Sita' }, headers)
  await service.settle()
  await service.ports.tracer?.stop()

  const bodies = exported.trim().split('\n')
  const spans: Span[] = bodies.flatMap((it) => JSON.parse(it).resourceSpans[0].scopeSpans[0].spans)
  const attributeOf = (span: Span | undefined, name: string) =>
    Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0]
  const traceId = body.messageId.replaceAll('-', '')
  const ofMessage = spans.filter((span) => span.traceId === traceId)
  assert.deepEqual(ofMessage.map(({ name }) => name).toSorted(), [
    'POST message.status',
    'POST message.status',
    'accept message',
    'record delivery receipt',
    'submit segment',
  ])
  const root = ofMessage.find(({ name }) => name === 'accept message')
  for (const { name, parentSpanId } of ofMessage)
    assert.equal(parentSpanId, name === 'accept message' ? undefined : root?.spanId)
  const submission = ofMessage.find(({ name }) => name === 'submit segment')
  assert.deepEqual(
    [attributeOf(submission, 'hulaki.outcome'), attributeOf(submission, 'hulaki.attempt')],
    ['accepted', '1'],
  )
  const request = spans.find(({ name }) => name === 'POST /api/sms/v1/sms/send')
  assert.deepEqual([request?.traceId, request?.parentSpanId], [CALLER.traceId, CALLER.spanId])
  assert.deepEqual([attributeOf(request, 'http.response.status_code'), request?.links[0]?.traceId], ['200', traceId])
  for (const secret of ['9841000555', 'Sita', client.apiKey]) assert.ok(!exported.includes(secret), secret)
})
