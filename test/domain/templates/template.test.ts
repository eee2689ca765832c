// Templates: which are valid, and how values fill them (§2.5, §4.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAX_PLACEHOLDERS,
  type ParsedTemplate,
  parseTemplate,
  renderTemplate,
} from '../../../src/domain/templates/template.ts'

const parsed: [text: string, literals: string[], variables: string[]][] = [
  ['Namaste', ['Namaste'], []],
  ['Dear {{name}}, pay {{amount}}.', ['Dear ', ', pay ', '.'], ['name', 'amount']],
  ['{{name}} owes {{ amount }}', ['', ' owes ', ''], ['name', 'amount']],
  ['{{first}} {{last}}: welcome', ['', ' ', ': welcome'], ['first', 'last']],
  ['{{1}} is {{2}}', ['', ' is ', ''], ['1', '2']],
  ['Hi {{a}}, bye {{a}}', ['Hi ', ', bye ', ''], ['a', 'a']],
  ['{x} costs {{price}} }', ['{x} costs ', ' }'], ['price']],
  ['प्रिय {{Name_1}}\r\nधन्यवाद', ['प्रिय ', '\r\nधन्यवाद'], ['Name_1']],
]
for (const [text, literals, variables] of parsed) {
  test(`parses ${JSON.stringify(text)} (§2.5)`, () => {
    assert.deepEqual(parseTemplate(text), { ok: true, template: { literals, variables } })
  })
}

const refused: [name: string, text: string, why: string][] = [
  ['an open brace pair', 'Dear {{name', 'unclear_braces'],
  ['a closing brace pair alone', 'Dear name}}', 'unclear_braces'],
  ['a placeholder inside a placeholder', 'Dear {{a{{b}}c}}', 'unclear_braces'],
  ['three braces', 'Dear {{{name}}}', 'unclear_braces'],
  ['a name of nothing', 'Dear {{ }}', 'bad_variable_name'],
  ['a name with a space', 'Dear {{first name}}', 'bad_variable_name'],
  ['a name that begins with an underscore', 'Dear {{__proto__}}', 'bad_variable_name'],
  ['a name of 41 characters', `Dear {{${'n'.repeat(41)}}}`, 'bad_variable_name'],
  ['variables side by side', 'Dear {{a}}{{b}}', 'adjacent_variables'],
  ['nothing at all', '', 'no_fixed_text'],
  ['a variable alone', '{{text}}', 'no_fixed_text'],
  ['variables held together by marks alone', '{{a}}, {{b}}! {{c}}', 'no_fixed_text'],
  ['61 variables', 'x{{a}}'.repeat(MAX_PLACEHOLDERS + 1), 'too_many_variables'],
  ['fixed text beyond 6 segments', 'a'.repeat(919), 'too_long'],
  ['fixed text beyond 6 segments once the variable has a character', `${'a'.repeat(918)}{{b}}`, 'too_long'],
  ['fixed text of UCS-2 beyond 6 segments', `न{{b}}${'a'.repeat(401)}`, 'too_long'],
  ['NUL', 'Dear \0{{name}}', 'control_character'],
  ['a lone surrogate', 'Dear \ud83d {{name}}', 'lone_surrogate'],
]
for (const [name, text, why] of refused) {
  test(`rejects ${name}: ${why} (§2.5)`, () => assert.deepEqual(parseTemplate(text), { ok: false, why }))
}

test('accepts fixed text of 6 segments (§8.4)', () => assert.ok(parseTemplate(`${'a'.repeat(917)}{{b}}`).ok))

test('fills every place of a variable with its string or number (§4.1)', () => {
  const template = read('{{who}} owes {{amount}}: {{who}}!')
  assert.deepEqual(renderTemplate(template, { who: 'Ram', amount: 12.5 }), { ok: true, text: 'Ram owes 12.5: Ram!' })
  assert.deepEqual(renderTemplate(read('Namaste'), {}), { ok: true, text: 'Namaste' })
})

test('keeps a value that looks like a placeholder (§4.1)', () => {
  const text = 'Dear {{b}}, $& {{a}}'
  assert.deepEqual(renderTemplate(read('Dear {{a}}, {{b}}'), { a: '{{b}}', b: '$& {{a}}' }), { ok: true, text })
})

const values: [name: string, value: string | number, why: string | null][] = [
  ['one character', 'a', null],
  ['zero', 0, null],
  ['a space', ' ', null],
  ['100 characters', 'a'.repeat(100), null],
  ['100 characters of two code units', '📨'.repeat(100), null],
  ['nothing', '', 'empty'],
  ['101 characters', 'a'.repeat(101), 'too_long'],
  ['101 characters of two code units', '📨'.repeat(101), 'too_long'],
  ['a line feed', 'a\nb', 'line_break'],
  ['a carriage return', 'a\rb', 'line_break'],
  ['a form feed', 'a\fb', 'line_break'],
  ['a vertical tab', 'a\vb', 'line_break'],
  ['a next line', 'a\u0085b', 'line_break'],
  ['a line separator', 'a\u2028b', 'line_break'],
  ['a paragraph separator', 'a\u2029b', 'line_break'],
  ['NUL', 'a\0b', 'control_character'],
  ['a tab (D4)', 'a\tb', 'control_character'],
  ['a lone surrogate', 'a\ud83d', 'lone_surrogate'],
]
for (const [name, value, why] of values) {
  test(`${why ? 'rejects' : 'accepts'} ${name} as a value (§4.1)`, () => {
    const rendered = renderTemplate(read('Dear {{v}}!'), { v: value })
    if (why) assert.deepEqual(rendered, { ok: false, errors: [{ variable: 'v', why }] })
    else assert.deepEqual(rendered, { ok: true, text: `Dear ${value}!` })
  })
}

const numbers: [value: number, isExact: boolean][] = [
  [0, true],
  [-12.5, true],
  [1.1, true],
  [2 ** 53 - 1, true],
  [2 ** 53, false],
  [-(2 ** 53), false],
  [1e21, false],
  [Number.POSITIVE_INFINITY, false],
  [0.000001, true],
  [0.0000001, false],
  [123456789012.345, true],
  [0.000123456789012345, true],
  [1234567890123.456, false],
  [0.1 + 0.2, false],
]
for (const [value, isExact] of numbers) {
  test(`${isExact ? 'accepts' : 'rejects'} the number ${value} as a value (D37)`, () => {
    const rendered = renderTemplate(read('Pay {{v}}!'), { v: value })
    if (isExact) assert.deepEqual(rendered, { ok: true, text: `Pay ${value}!` })
    else assert.deepEqual(rendered, { ok: false, errors: [{ variable: 'v', why: 'inexact_number' }] })
  })
}

test('reports every error, each variable once (§4.1)', () => {
  const template = read('{{a}} b {{c}} d {{constructor}} e {{a}}')
  assert.deepEqual(renderTemplate(template, { c: '', toString: 'x', z: 1 }), {
    ok: false,
    errors: [
      { variable: 'a', why: 'missing' },
      { variable: 'c', why: 'empty' },
      { variable: 'constructor', why: 'missing' },
      { variable: 'toString', why: 'unknown' },
      { variable: 'z', why: 'unknown' },
    ],
  })
})

function read(text: string): ParsedTemplate {
  const result = parseTemplate(text)
  assert.ok(result.ok)
  return result.template
}
