// The request of OTLP that exports spans, in JSON and in protobuf. The field numbers are those of opentelemetry-proto.

export interface Export {
  resource: readonly Attribute[]
  scope: { name: string; version: string }
  spans: readonly Span[]
}

/** In JSON, ids are hexadecimal and 64-bit integers are strings. */
export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: readonly Attribute[]
  links: readonly SpanContext[]
  status?: { code: number; message: string }
}

export interface SpanContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
}

export interface Attribute {
  key: string
  value: { stringValue: string } | { intValue: string }
}

export function toJson({ resource, scope, spans }: Export): Buffer {
  const resourceSpans = [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }]
  return Buffer.from(JSON.stringify({ resourceSpans }))
}

/** Bytes are gathered as characters up to 255: joining strings is several times as fast as joining buffers. */
type Bytes = string

export function toProtobuf({ resource, scope, spans }: Export): Buffer {
  const encodedScope = field(1, text(1, scope.name) + text(2, scope.version))
  const encodedSpans = spans.map((span) => field(2, spanFields(span))).join('')
  const resourceSpans = field(1, attributes(1, resource)) + field(2, encodedScope + encodedSpans)
  return Buffer.from(field(1, resourceSpans), 'latin1')
}

function spanFields(span: Span): Bytes {
  return [
    hex(1, span.traceId),
    hex(2, span.spanId),
    span.parentSpanId === undefined ? '' : hex(4, span.parentSpanId),
    text(5, span.name),
    integer(6, span.kind),
    fixed64(7, span.startTimeUnixNano),
    fixed64(8, span.endTimeUnixNano),
    attributes(9, span.attributes),
    ...span.links.map(({ traceId, spanId }) => field(13, hex(1, traceId) + hex(2, spanId))),
    span.status ? field(15, text(2, span.status.message) + integer(3, span.status.code)) : '',
  ].join('')
}

function attributes(number: number, items: readonly Attribute[]): Bytes {
  const encoded = items.map(({ key, value }) => {
    const content = 'intValue' in value ? integer(3, value.intValue) : text(1, value.stringValue)
    return field(number, text(1, key) + field(2, content))
  })
  return encoded.join('')
}

/** The wire types of protobuf. */
const VARINT = 0
const FIXED64 = 1
const DELIMITED = 2

const tag = (number: number, wireType: number) => varint((number << 3) | wireType)
const field = (number: number, bytes: Bytes) => tag(number, DELIMITED) + varint(bytes.length) + bytes
const text = (number: number, value: string) => field(number, Buffer.from(value).toString('latin1'))
const hex = (number: number, value: string) => field(number, Buffer.from(value, 'hex').toString('latin1'))
const integer = (number: number, value: string | number) => tag(number, VARINT) + varint(value)

function fixed64(number: number, value: string): Bytes {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return tag(number, FIXED64) + bytes.toString('latin1')
}

/** Seven bits per byte, the lowest first; a set high bit means that more follow. A negative integer has 64 bits. */
function varint(value: string | number): Bytes {
  let rest = BigInt.asUintN(64, BigInt(value))
  let bytes = ''
  for (; rest > 0x7fn; rest >>= 7n) bytes += String.fromCharCode(Number(rest & 0x7fn) | 0x80)
  return bytes + String.fromCharCode(Number(rest))
}
