// Spans reach a collector in batches, and a collector that is slow or down costs the service only its spans.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Counter, Registry } from '@prometheus-io/client'
import { readConfig } from '../../src/boot/config.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { type EndedSpan, Tracer } from '../../src/runtime/tracer.ts'
import { until } from '../harness/until.ts'

const SPAN: EndedSpan = {
  traceId: '01a1e283060070008000000000000001',
  name: 'submit segment',
  kind: 'client',
  milliseconds: 12.5,
  attributes: { 'hulaki.carrier': 'Everest', 'hulaki.segment': 2, 'hulaki.carrier_status': null },
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void

async function startCollector(t: TestContext, respond: Respond = (_, response) => response.end('{}')) {
  const requests: { headers: IncomingMessage['headers']; url: string | undefined; body: Buffer }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const { headers, url } = request
      requests.push({ headers, url, body: Buffer.concat(parts) })
      respond(request, response)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function tracerFor(variables: Record<string, string>) {
  const read = readConfig(variables)
  assert.ok('config' in read && read.config.tracing)
  const dropped = new Counter({ name: 'dropped', help: 'dropped', registers: [new Registry()] })
  const clock = new ManualClock(new Date('2026-11-18T06:00:00Z'))
  const options = { clock, random: systemRandom, log: createLog('silent'), dropped }
  const droppedCount = async () => (await dropped.get()).values[0]?.value ?? 0
  return { tracer: new Tracer(read.config.tracing, options), droppedCount }
}

interface Exported {
  resourceSpans: {
    resource: { attributes: object[] }
    scopeSpans: { spans: { traceId: string; [field: string]: unknown }[] }[]
  }[]
}

const JSON_PROTOCOL = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }

const parsed = (body: Buffer): Exported => JSON.parse(body.toString())
const spansOf = (body: Buffer) => parsed(body).resourceSpans.flatMap((it) => it.scopeSpans.flatMap((of) => of.spans))

test('exports spans as the protocol describes, with the headers and attributes of the settings', async (t) => {
  const collector = await startCollector(t)
  const { tracer } = tracerFor({
    ...JSON_PROTOCOL,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue%20team,authorization=Bearer%20t',
    OTEL_SERVICE_NAME: 'sms',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
  })
  tracer.record({ ...SPAN, parent: { spanId: '8000000000000001' }, error: 'rejected' })
  await tracer.stop()
  const [{ headers, url, body } = { headers: {}, url: '', body: Buffer.alloc(0) }] = collector.requests
  assert.deepEqual([url, headers['x-tenant'], headers.authorization], ['/v1/traces', 'blue team', 'Bearer t'])
  assert.equal(headers['content-type'], 'application/json')
  const attributes = parsed(body).resourceSpans[0]?.resource.attributes
  const named = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  assert.deepEqual(attributes?.[0], named('service.name', 'sms'))
  assert.deepEqual(attributes?.at(-1), named('deployment.environment', 'test'))
  const [span] = spansOf(body)
  assert.match(String(span?.spanId), /^[\da-f]{16}$/)
  assert.deepEqual(
    { ...span, spanId: '' },
    {
      traceId: SPAN.traceId,
      spanId: '',
      parentSpanId: '8000000000000001',
      name: 'submit segment',
      kind: 3,
      startTimeUnixNano: '1794981599987500000',
      endTimeUnixNano: '1794981600000000000',
      attributes: [named('hulaki.carrier', 'Everest'), { key: 'hulaki.segment', value: { intValue: '2' } }],
      links: [],
      status: { code: 2, message: 'rejected' },
    },
  )
})

test('exports protobuf by default, and the settings of traces replace those of all signals', async (t) => {
  const collector = await startCollector(t)
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=all,x-other=1' }
  const ofTraces = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=traces',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
  }
  for (const settings of [common, { ...common, ...ofTraces }]) {
    const { tracer } = tracerFor(settings)
    tracer.record(SPAN)
    await tracer.stop()
  }
  const [byDefault, byTraces] = collector.requests
  assert.ok(byDefault && byTraces)
  const shown = ({ headers }: typeof byDefault) =>
    ['content-type', 'content-encoding', 'x-tenant', 'x-other'].map((name) => headers[name])
  assert.deepEqual(shown(byDefault), ['application/x-protobuf', undefined, 'all', '1'])
  assert.deepEqual(shown(byTraces), ['application/json', 'gzip', 'traces', undefined])
  assert.ok(byDefault.body.includes(Buffer.from(SPAN.traceId, 'hex')))
  assert.equal(spansOf(gunzipSync(byTraces.body))[0]?.traceId, SPAN.traceId)
})

test('gives a collector the time of the settings', async (t) => {
  const collector = await startCollector(t, () => {})
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '0' }
  const patient = tracerFor(all)
  const hurried = tracerFor({ ...all, OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '20' })
  for (const { tracer } of [patient, hurried]) for (let count = 0; count < 512; count++) tracer.record(SPAN)
  await until(async () => (await hurried.droppedCount()) === 512)
  assert.equal(await patient.droppedCount(), 0)
})

test('a trace is exported whole or not at all, and a caller can decide it', async (t) => {
  const collector = await startCollector(t)
  const endpoint = { ...JSON_PROTOCOL, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here` }
  const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }
  const { tracer } = tracerFor({ ...endpoint, ...ratio })
  const traceIds = Array.from(
    { length: 400 },
    () => `01a1e283060070008${systemRandom.bytes(8).toString('hex').slice(1)}`,
  )
  for (const traceId of traceIds) for (let times = 0; times < 2; times++) tracer.record({ ...SPAN, traceId })
  const caller = { spanId: '8000000000000001', isSampled: true }
  tracer.record({ ...SPAN, traceId: 'f'.repeat(32), parent: caller })
  tracer.record({ ...SPAN, traceId: `${'0'.repeat(31)}1`, parent: { ...caller, isSampled: false } })
  await tracer.stop()
  assert.equal(collector.requests[0]?.url, '/here')
  const exported = collector.requests.flatMap(({ body }) => spansOf(body)).map(({ traceId }) => traceId)
  assert.equal(exported.pop(), 'f'.repeat(32))
  assert.equal(exported.length, 2 * new Set(exported).size)
  assert.ok(exported.length > 80 && exported.length < 360, `${exported.length} of 800`)
})

test('spans beyond the queue are dropped and counted while the collector does not respond', async (t) => {
  const collector = await startCollector(t, () => {})
  const { tracer, droppedCount } = tracerFor({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  // 512 are being exported, and 2,048 wait.
  for (let count = 0; count < 2_600; count++) tracer.record(SPAN)
  assert.equal(await droppedCount(), 40)
})

test('spans that the collector rejects are dropped and counted, and later spans are exported', async (t) => {
  let status = 503
  const collector = await startCollector(t, (_, response) => response.writeHead(status).end())
  const { tracer, droppedCount } = tracerFor({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  tracer.record(SPAN)
  await tracer.stop()
  assert.equal(await droppedCount(), 1)
  status = 200
  tracer.record(SPAN)
  await tracer.stop()
  assert.deepEqual([collector.requests.length, await droppedCount()], [2, 1])
})

test('reads the standard settings, and names every error without the values of headers and URLs', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  const tracingOf = (variables: Record<string, string>) => {
    const read = readConfig(variables)
    return 'config' in read ? read.config.tracing : read.errors
  }
  // Other programs may share the environment.
  const disabled: Record<string, string>[] = [
    { ...endpoint, OTEL_SDK_DISABLED: 'True' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'console', OTEL_SDK_DISABLED: '0' },
  ]
  for (const variables of disabled) assert.equal(tracingOf(variables), null)
  const noLimit = tracingOf({ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '0' })
  assert.ok(noLimit && 'timeoutMs' in noLimit && noLimit.timeoutMs > 1e9)
  const errors = tracingOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret%',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'zstd',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '2',
  })
  assert.deepEqual(errors, [
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL like http://127.0.0.1:4318.',
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json: Hulaki does not export over gRPC. Collectors accept both at port 4318.',
    "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION must be one of gzip, none, not 'zstd'.",
    'OTEL_EXPORTER_OTLP_HEADERS must be a list like name=value,name=value, with percent-encoded values.',
    "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not '2'.",
  ])
})
