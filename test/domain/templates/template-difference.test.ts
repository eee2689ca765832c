// Where a rejected text first differs from the closest template (§4.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTemplate } from '../../../src/domain/templates/template.ts'
import { findClosestTemplate } from '../../../src/domain/templates/template-difference.ts'

const cases: [template: string, text: string, position: number, expected: string, found: string][] = [
  ['Namaste', 'Namaskar', 5, "'te'", "'kar'"],
  ['Namaste', 'Namaste!', 7, 'the end of the text', "'!'"],
  ['Namaste', 'Nama', 4, "'ste'", 'the end of the text'],
  ['Your order {{id}} is on its way.', 'Your order 4711 is on the way.', 22, "'its way.'", "'the way.'"],
  ['Dear {{name}}, hi', 'Dear Ram, hi.', 12, 'the end of the text', "'.'"],
  ['Dear {{name}}, hi', 'Dear Ram', 5, "{{name}}, 1 to 100 characters without a line break, and then ', hi'", "'Ram'"],
  ['Code {{code}}', 'Code 1\n2', 5, '{{code}}, 1 to 100 characters without a line break', "'1\n2'"],
  ['Code {{code}}', 'Code ', 5, '{{code}}, 1 to 100 characters without a line break', 'the end of the text'],
  [
    'Pay {{v}} now',
    `Pay ${'9'.repeat(101)} now`,
    4,
    '{{v}}, 1 to 100 characters without a line break',
    `'${'9'.repeat(40)}…'`,
  ],
  ['{{a}} to {{b}}: {{a}}', 'x to y: z', 0, 'the same value for every {{a}}', "'x to y: z'"],
]
for (const [template, text, position, expected, found] of cases) {
  test(`${JSON.stringify(template)} and ${JSON.stringify(text.slice(0, 40))} differ first at ${position} (§4.1)`, () => {
    assert.deepEqual(findClosestTemplate([named(template)], text)?.difference, { position, expected, found })
  })
}

test('finds the template whose fixed text is followed furthest (§4.1)', () => {
  const templates = [
    'Your code is {{c}}, keep it.',
    'Your order {{id}} is on its way.',
    'Your order {{id}} was cancelled.',
    'Hi',
  ]
  assert.equal(
    findClosestTemplate(templates.map(named), 'Your order 7 was canceled.')?.id,
    'Your order {{id}} was cancelled.',
  )
  assert.equal(findClosestTemplate(templates.map(named), 'Your code: 7')?.id, 'Your code is {{c}}, keep it.')
  assert.equal(findClosestTemplate([], 'Your code: 7'), null)
})

test('names a position within the text for every difference (§4.1, property)', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '📨'), maxLength: 4 })
  fc.assert(
    fc.property(
      piece,
      piece,
      piece,
      fc.string({ unit: fc.constantFrom('a', 'b', '\n', '📨'), minLength: 1 }),
      (x, y, z, text) => {
        const difference = findClosestTemplate([named(`x${x}{{p}}y${y}{{q}}${z}`)], text)?.difference
        assert.ok(difference && difference.position <= text.length)
        assert.ok(difference.found.isWellFormed() && difference.expected.isWellFormed())
      },
    ),
  )
})

test('takes a few milliseconds at most, for any templates (D43)', () => {
  const variables = Array.from({ length: 58 }, (_, index) => `{{v${index}}}a`).join('')
  const many = Array.from({ length: 10_000 }, (_, index) => named(`b${variables}{{y}}q${index}{{z}}b`))
  const before = process.cpuUsage()
  for (let times = 0; times < 10; times++) assert.ok(findClosestTemplate(many, `b${'a'.repeat(915)}cb`))
  const { user } = process.cpuUsage(before)
  assert.ok(user / 10 < 50_000, `${user / 10} µs`)
})

function named(text: string) {
  const parsed = parseTemplate(text)
  assert.ok(parsed.ok, text)
  return { id: text, name: text, template: parsed.template }
}
