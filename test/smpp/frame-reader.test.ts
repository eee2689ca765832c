import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decode, encode, RecoverablePduError } from '../../src/smpp/codec.ts'
import { FrameReader, UnrecoverableFrameError } from '../../src/smpp/frame-reader.ts'
import { arbitraryPdu } from './arbitrary-pdu.ts'

const MAX_BYTES = 64 * 1024

function framesIn(reader: FrameReader, chunk: Buffer): Buffer[] {
  reader.append(chunk)
  const frames = []
  for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame)
  return frames
}

function cut(bytes: Buffer, places: number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
}

test('reads PDUs for all chunk boundaries', () => {
  fc.assert(
    fc.property(fc.array(arbitraryPdu(), { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (pdus, places) => {
      const reader = new FrameReader(MAX_BYTES)
      const stream = Buffer.concat(pdus.map(encode))
      const read = cut(stream, places).flatMap((chunk) => framesIn(reader, chunk).map(decode))
      assert.deepEqual(read, pdus)
    }),
    { numRuns: 100 },
  )
})

test('reads a stream of single bytes', () => {
  const reader = new FrameReader(MAX_BYTES)
  const stream = Buffer.concat([1, 2, 3].map((sequence) => encode({ command: 'enquire_link', sequence })))
  const read = Array.from(stream, (byte) => framesIn(reader, Buffer.from([byte]))).flat()
  assert.deepEqual(
    read.map((frame) => decode(frame).sequence),
    [1, 2, 3],
  )
})

test('a 64 KiB frame in single bytes is not copied for every byte', (t) => {
  const reader = new FrameReader(MAX_BYTES)
  const frame = Buffer.alloc(MAX_BYTES)
  frame.writeUInt32BE(MAX_BYTES, 0)
  const joined = t.mock.method(Buffer, 'concat')
  let frames = 0
  for (const byte of frame) frames += framesIn(reader, Buffer.from([byte])).length
  assert.equal(frames, 1)
  assert(joined.mock.callCount() <= 2, `copied ${joined.mock.callCount()} times`)
})

for (const length of [0, 4, 8, 15, MAX_BYTES + 1, 0x7fffffff, 0xffffffff]) {
  test(`a command_length of ${length} is an error after the frames before it`, () => {
    const reader = new FrameReader(MAX_BYTES)
    const bad = Buffer.alloc(4)
    bad.writeUInt32BE(length)
    reader.append(Buffer.concat([encode({ command: 'unbind', sequence: 1 }), bad]))
    assert.equal(reader.next()?.length, 16)
    assert.throws(() => reader.next(), UnrecoverableFrameError)
    assert.throws(() => reader.next(), UnrecoverableFrameError)
  })
}

test('random and mutated bytes give a PDU or one of the two errors', () => {
  const mutation = fc.record({ place: fc.nat(), byte: fc.nat(255) })
  const mutated = fc
    .tuple(fc.array(arbitraryPdu(), { minLength: 1, maxLength: 4 }), fc.array(mutation, { maxLength: 8 }))
    .map(([pdus, mutations]) => {
      const bytes = Buffer.concat(pdus.map(encode))
      for (const { place, byte } of mutations) bytes[place % bytes.length] = byte
      return bytes
    })
  const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
  // Framed with a known command, so that the decoder runs.
  const framed = fc.tuple(random, fc.constantFrom(0x04, 0x05, 0x103, 0x09, 0x80000004)).map(([body, id]) => {
    const head = Buffer.alloc(16)
    head.writeUInt32BE(16 + body.length, 0)
    head.writeUInt32BE(id, 4)
    return Buffer.concat([head, body])
  })
  fc.assert(
    fc.property(fc.oneof(mutated, random, framed), (bytes) => readAll(bytes)),
    { numRuns: 1000 },
  )
})

function readAll(bytes: Buffer): void {
  const reader = new FrameReader(MAX_BYTES)
  try {
    for (const frame of framesIn(reader, bytes)) decodeOrRefuse(frame)
  } catch (error) {
    if (!(error instanceof UnrecoverableFrameError)) throw error
  }
}

function decodeOrRefuse(frame: Buffer): void {
  try {
    decode(frame)
  } catch (error) {
    if (!(error instanceof RecoverablePduError)) throw error
  }
}
