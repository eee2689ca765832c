// Which approved template a free text is an instance of (§4.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ParsedTemplate, parseTemplate, renderTemplate } from '../../../src/domain/templates/template.ts'
import { compileTemplates, matchText, type TemplateIndex } from '../../../src/domain/templates/template-index.ts'

const cases: [template: string, texts: string[], others: string[]][] = [
  ['Namaste', ['Namaste'], ['Namaste!', 'namaste', '', 'Namast']],
  [
    'Dear {{name}}, hi',
    ['Dear Ram, hi', 'Dear a, hi, hi', 'Dear {{name}}, hi'],
    ['Dear , hi', 'Dear Ram, hi.', 'Dear Ram'],
  ],
  ['{{name}} owes', ['Ram owes', ' owes owes'], [' owes', 'Ram owes ']],
  ['Code {{code}}', ['Code 1', 'Code Code '], ['Code ', 'Code', 'code 1']],
  ['aba{{x}}aba', ['aba-aba', 'abaabaaba'], ['ababa', 'abaaba']],
  ['{{x}} and {{y}}', ['a and b', 'and and and', ' and  and b'], [' and b', 'a and ', ' and  and ']],
  ['Hi {{a}}\nBye', ['Hi x\nBye'], ['Hi x\ny\nBye', 'Hi \nBye', 'Hi x\r\nBye']],
  [
    '{{a}} to {{b}}: {{a}}',
    ['x to y: x', 'p to q to r: p to q', 'p to q to r: p'],
    ['x to y: z', 'x to y: xx', 'x to y: '],
  ],
  ['{{a}}-{{b}}-{{a}}-{{b}} ok', ['1-2-1-2 ok', '1-1-1-1-1-1-1-1 ok'], ['1-2-2-1 ok', '1-2-1-2-1 ok']],
  ['Pay {{v}} now', [`Pay ${'9'.repeat(100)} now`, `Pay ${'📨'.repeat(100)} now`], [`Pay ${'9'.repeat(101)} now`]],
  ['Pay {{v}}!', [`Pay ${'!'.repeat(101)}`], [`Pay ${'!'.repeat(102)}`, `Pay ${'📨'.repeat(101)}!`]],
]
for (const [template, texts, others] of cases) {
  test(`${JSON.stringify(template)} matches its instances and nothing else (§4.1)`, () => {
    for (const text of texts) assert.equal(find([template], text), 't0', text)
    for (const text of others) assert.equal(find([template], text), null, text)
  })
}

test('finds the template of a text, the longest beginning first (§4.1)', () => {
  const templates = ['{{a}} is {{b}}', 'Your {{a}} is {{b}}', 'Your code is {{b}}', 'Your code is 1']
  assert.equal(find(templates, 'Your code is 1'), 't3')
  assert.equal(find(templates, 'Your code is 2'), 't2')
  assert.equal(find(templates, 'Your name is 2'), 't1')
  assert.equal(find(templates, 'My name is 2'), 't0')
  assert.equal(find(templates, 'My name was 2'), null)
  assert.equal(find([], 'My name was 2'), null)
})

const manyVariables = (distinct: number, places = 60) =>
  Array.from({ length: places }, (_, index) => `{{v${index % distinct}}}a`).join('')

test('decides a text with countless readings (§4.1)', () => {
  assert.equal(find([`b${manyVariables(60)}`], `b${'a'.repeat(917)}`), 't0')
  assert.equal(find([`b${manyVariables(60)}`], `b${'a'.repeat(916)}b`), null)
  assert.equal(find([`b${manyVariables(20)}`], `b${'a'.repeat(60 + 3 * 120)}`), 't0')
})

test('stops an endless search without a match (§4.1)', () => {
  assert.equal(find([`b${manyVariables(20)}`], `b${'aab'.repeat(70)}c${'aba'.repeat(200)}`), null)
})

// In CPU time of the process, which other processes do not affect.
test('takes a few milliseconds at most with many templates or many variables (D43)', () => {
  const alike = (count: number) =>
    Array.from({ length: count }, (_, index) => `b${manyVariables(58, 58)}{{y}}q${index}{{z}}b`)
  const many = compile(alike(2_000))
  const text = `b${'a'.repeat(915)}cb`
  const before = process.cpuUsage()
  for (let times = 0; times < 10; times++) assert.equal(matchText(many, text), null)
  const { user } = process.cpuUsage(before)
  assert.ok(user / 10 < 100_000, `${user / 10} µs`)
})

test('finds a template among 10 000 with the same beginning and end (§4.1)', () => {
  const templates = Array.from(
    { length: 10_000 },
    (_, index) => `Dear {{name}}, your order k${index} of {{day}} is ready.`,
  )
  assert.equal(find(templates, 'Dear Ram, your order k9999 of Monday is ready.'), 't9999')
})

const names = fc.constantFrom('p', 'q', 'r', 's')
const literals = (minLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength, maxLength: 2 })
const templates = fc
  .tuple(literals(0), fc.array(fc.tuple(names, literals(1)), { maxLength: 4 }), literals(0))
  .map(([first, middle, last]): ParsedTemplate => {
    const texts = [first, ...middle.map(([, literal]) => literal)]
    return { literals: middle.length > 0 ? texts.with(-1, last) : texts, variables: middle.map(([name]) => name) }
  })

test('always recognises a rendered template (§4.1, property)', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '📨'), minLength: 1, maxLength: 100 })
  const values = fc.record({ p: value, q: value, r: value, s: value })
  fc.assert(
    fc.property(templates, values, (template, all) => {
      const wanted = Object.fromEntries(Object.entries(all).filter(([name]) => template.variables.includes(name)))
      const rendered = renderTemplate(template, wanted)
      assert.ok(rendered.ok)
      assert.equal(matchText(compileTemplates([{ id: 't', template }]), rendered.text), 't')
    }),
    { numRuns: 500 },
  )
})

// Mostly near misses: each place of a repeated variable draws its own value, so about half the texts are instances.
test('agrees with trying every reading (§4.1, property)', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'b', '\n'), maxLength: 2 })
  fc.assert(
    fc.property(templates, fc.array(value, { minLength: 4, maxLength: 4 }), (template, values) => {
      const text = template.literals.map((literal, index) => literal + (index < 4 ? values[index] : '')).join('')
      const found = matchText(compileTemplates([{ id: 't', template }]), text) === 't'
      assert.equal(found, matchesByTrial(template, text))
    }),
    { numRuns: 5_000 },
  )
})

// The oracle: plain backtracking over all values, for short texts only.
function matchesByTrial(
  { literals, variables }: ParsedTemplate,
  text: string,
  bound: Record<string, string> = {},
): boolean {
  const [literal = '', ...laterLiterals] = literals
  const [variable, ...laterVariables] = variables
  if (variable === undefined) return text === literal
  if (!text.startsWith(literal)) return false
  const rest = text.slice(literal.length)
  const values = Array.from(rest, (_, index) => rest.slice(0, index + 1)).filter((value) => !value.includes('\n'))
  return values.some(
    (value) =>
      (bound[variable] ?? value) === value &&
      matchesByTrial({ literals: laterLiterals, variables: laterVariables }, rest.slice(value.length), {
        ...bound,
        [variable]: value,
      }),
  )
}

function find(texts: string[], text: string): string | null {
  return matchText(compile(texts), text)
}

function compile(texts: string[]): TemplateIndex {
  const approved = texts.map((source, index) => {
    const result = parseTemplate(source)
    assert.ok(result.ok, source)
    return { id: `t${index}`, template: result.template }
  })
  return compileTemplates(approved)
}
