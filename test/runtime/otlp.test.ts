// The protobuf of exported spans is that of Google's library.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { type Export, type Span, toProtobuf } from '../../src/runtime/otlp.ts'

const ascii = (text: string) => Buffer.from(text).toString('hex')
const named = (key: string, stringValue: string) => ({ key, value: { stringValue } })

/** Ids of letters are legible in the output of protoc. */
const SPAN: Span = {
  traceId: ascii('trace-of-16bytes'),
  spanId: ascii('span-of8'),
  name: 'submit segment',
  kind: 3,
  startTimeUnixNano: '1794981599987500000',
  endTimeUnixNano: '1794981600000000000',
  attributes: [
    { key: 'hulaki.segment', value: { intValue: '300' } },
    { key: 'hulaki.balance', value: { intValue: '-2' } },
    { key: 'hulaki.attempt', value: { intValue: '0' } },
  ],
  links: [{ traceId: ascii('other-trace-of16'), spanId: ascii('other-id') }],
}

const EXPORT: Export = {
  resource: [named('service.name', 'hulaki')],
  scope: { name: 'hulaki', version: '0.1.0' },
  spans: [
    SPAN,
    { ...SPAN, parentSpanId: ascii('parent-8'), links: [], attributes: [], status: { code: 2, message: 'रद्द' } },
  ],
}

/** What `protoc --encode=ExportTraceServiceRequest otlp.proto` writes for the same spans. */
const GOLDEN =
  '0abb020a1a0a180a0c736572766963652e6e616d6512080a0668756c616b69129c020a0f0a0668756c616b691205302e312e3012aa010a1074726163' +
  '652d6f662d3136627974657312087370616e2d6f66382a0e7375626d6974207365676d656e74300339e0039e45410ee9184100c05c46410ee9184a15' +
  '0a0e68756c616b692e7365676d656e74120318ac024a1d0a0e68756c616b692e62616c616e6365120b18feffffffffffffffff014a140a0e68756c61' +
  '6b692e617474656d7074120218006a1c0a106f746865722d74726163652d6f66313612086f746865722d6964125c0a1074726163652d6f662d313662' +
  '7974657312087370616e2d6f66382208706172656e742d382a0e7375626d6974207365676d656e74300339e0039e45410ee9184100c05c46410ee918' +
  '7a10120ce0a4b0e0a4a6e0a58de0a4a61802'

test('encodes spans as the protobuf library of Google does', () => {
  assert.equal(toProtobuf(EXPORT).toString('hex'), GOLDEN)
})

test('encodes texts and numbers of every length so that the library of Google reads and writes the same bytes', {
  skip: spawnSync('protoc', ['--version']).error && 'protoc is not installed',
}, () => {
  const texts = Array.from({ length: 16 }, (_, bits) => named(`${bits}`, 'र'.repeat(2 ** bits)))
  const numbers = Array.from({ length: 63 }, (_, bits) => 2n ** BigInt(bits)).flatMap((value) =>
    [value - 1n, -value].map((it) => ({ key: `${it}`, value: { intValue: `${it}` } })),
  )
  const encoded = toProtobuf({ ...EXPORT, spans: [{ ...SPAN, attributes: [...texts, ...numbers] }, SPAN] })
  const protoc = (direction: string, input: Buffer) =>
    spawnSync(
      'protoc',
      [`--proto_path=${import.meta.dirname}`, `${direction}=ExportTraceServiceRequest`, 'otlp.proto'],
      { input },
    ).stdout
  const read = protoc('--decode', encoded)
  assert.deepEqual(
    Array.from(read.toString().matchAll(/int_value: (.+)/g), ([, value]) => value),
    [...numbers.map(({ key }) => key), '300', '-2', '0'],
  )
  assert.ok(protoc('--encode', read).equals(encoded))
})
