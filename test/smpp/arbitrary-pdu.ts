// Arbitrary PDUs for property tests, generated from the command table.
import fc from 'fast-check'
import { type CommandName, commands, type OutgoingPdu, type Pdu, tlvs } from '../../src/smpp/commands.ts'
import type { PduField } from '../../src/smpp/fields.ts'

export const commandNames = Object.keys(commands) as CommandName[]

export function arbitraryPdu(names: CommandName[] = commandNames): fc.Arbitrary<Pdu> {
  return fc.constantFrom(...names).chain((command) =>
    fc
      .record({
        status: fc.constant(0),
        sequence: fc.integer({ min: 1, max: 0x7fffffff }),
        tlvs: arbitraryTlvs(),
        ...recordOf(commands[command].fields),
      })
      .map((values) => ({ command, ...values }) as unknown as Pdu),
  )
}

/** A PDU with every field at its maximum. */
export function fullestPdu(command: CommandName): OutgoingPdu {
  const fields = Object.entries(commands[command].fields as Record<string, PduField<unknown>>)
  const values = fields.map(([name, field]) => [name, fullestValue(field)])
  return { command, sequence: 0x7fffffff, ...Object.fromEntries(values) } as OutgoingPdu
}

const asciiWithoutNul = fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCharCode(code))

function arbitraryTlvs() {
  const known = recordOf(Object.fromEntries(Object.entries(tlvs).map(([name, { field }]) => [name, field])))
  const unknownTlv = fc
    .tuple(fc.integer({ min: 0x1400, max: 0x3fff }), arbitraryOctets(40))
    .map(([tag, value]) => ({ tag, value }))
  const all = { ...known, unknown: fc.array(unknownTlv, { minLength: 1, maxLength: 3 }) }
  return fc.record(all, { requiredKeys: [], noNullPrototype: true })
}

function recordOf(fields: Record<string, PduField<string> | PduField<number> | PduField<Buffer>>) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, arbitraryValue(field as PduField<unknown>)]),
  )
}

function arbitraryValue(field: PduField<unknown>): fc.Arbitrary<unknown> {
  if (typeof field.zero === 'number') return fc.nat(2 ** (8 * (field.fixedBytes ?? 1)) - 1)
  const maxLength = Math.min(300, longest(field))
  return typeof field.zero === 'string' ? fc.string({ unit: asciiWithoutNul, maxLength }) : arbitraryOctets(maxLength)
}

function arbitraryOctets(maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))
}

function fullestValue(field: PduField<unknown>): unknown {
  if (typeof field.zero === 'number') return 2 ** (8 * (field.fixedBytes ?? 1)) - 1
  return typeof field.zero === 'string' ? '\x7f'.repeat(longest(field)) : Buffer.alloc(longest(field), 0xff)
}

function longest(field: PduField<unknown>): number {
  const ofLength = (length: number) => (typeof field.zero === 'string' ? 'a'.repeat(length) : Buffer.alloc(length))
  let length = 0
  while (length < 300 && field.problem(ofLength(length + 1)) === undefined) length++
  return length
}
