// Every cited § is a section of docs/reference/api-contract.md, and every D a decision of docs/design/decisions.md.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const INTERFACE = 'docs/reference/api-contract.md'
const DECISIONS = 'docs/design/decisions.md'

/** Written as a character code, so that examples in this file are not citations. */
const SIGN = '\u00a7'

/** A section of another document by name, for example SMPP 3.4. */
const ELSEWHERE = /(?:RFC \d+|SMPP 3\.4|GSM 03\.\d\d)(?:,? \u00a7\d[\d.-]*(?<=\d))+/g
const SECTION = /\u00a7 ?(\d+(?:\.\d+)*)(?: rules? (\d+)(?: and (\d+))?)?/g
/** Not part of a word, a hexadecimal number or a pattern. */
const DECISION = /(?<![\w\\%#])D[1-9]\d?\b/g

const headings = [...sectionsOf(read(INTERFACE)), ...decisionsOf(read(DECISIONS))]
const known = new Set(headings)
const files = globSync(
  ['*.md', '.env.example', 'bin/*', '{src,test,bench,scripts,docs,examples}/**/*.{ts,js,sql,md,pl,sh,py}'],
  {
    cwd: ROOT,
    exclude: ['examples/*/node_modules'],
  },
)

test('every cited section and decision exists', () => {
  assert.ok(files.length > 400, `only ${files.length} files were found`)
  none(files.flatMap((file) => faultsIn(file.split(sep).join('/'), read(file))))
})

test('no section or decision number is used twice', () => {
  none(headings.filter((heading, at) => headings.indexOf(heading) !== at))
})

test('reports unknown numbers with their place, and ignores other documents', () => {
  const text = [
    `// ${SIGN}4.1, ${SIGN}6.2 rule 3, ${SIGN}6.4 rules 2 and 3, D1 to D44, D11-D17`,
    `// (${SIGN}4.1, ${SIGN}4.19, D${98})`,
    `// ${SIGN}6.2 rules 4 and 5; ${SIGN}6.2.1`,
    `// RFC 9110 ${SIGN}5.55, SMPP 3.4 ${SIGN}5.2.12, ${SIGN}5.3.2.22-24; GSM 03.40 ${SIGN}9.2.3.24.1: whole; RFC 6066, ${SIGN}33.`,
    `// SMPP 3.4 ${SIGN}5.2.12; ${SIGN}5.2.28`,
    `'UTF-8', 0xD${77}, %D${88}, #D${99}, \\D${99}, ID${50}, D${50}a, ÄÖÑÜ${SIGN}¿`,
  ].join('\n')
  assert.deepEqual(
    faultsIn('a.ts', text).map((error) => error.split(' is cited')[0]),
    [
      `a.ts:2: ${SIGN}4.19`,
      `a.ts:2: D${98}`,
      `a.ts:3: ${SIGN}6.2 rule 5`,
      `a.ts:3: ${SIGN}6.2.1`,
      `a.ts:5: ${SIGN}5.2.28`,
    ],
  )
})

/** Includes the numbered rules of a section. */
function sectionsOf(text: string): string[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1]
    const rule = /^(\d+)\. /.exec(line)?.[1]
    section = heading ?? section
    if (heading !== undefined) return [`${SIGN}${heading}`]
    return rule === undefined ? [] : [`${SIGN}${section} rule ${rule}`]
  })
}

function decisionsOf(text: string): string[] {
  return Array.from(text.matchAll(/^### (D\d+) /gm), ([, number = '']) => number)
}

function faultsIn(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    citationsIn(line)
      .filter((cited) => !known.has(cited))
      .map((cited) => `${file}:${index + 1}: ${cited} is cited, ${whereOf(cited)}`),
  )
}

function citationsIn(line: string): string[] {
  const ours = line.replaceAll(ELSEWHERE, '')
  const sections = Array.from(ours.matchAll(SECTION), ([, section, ...rules]) => {
    const named = rules.filter((rule) => rule !== undefined)
    return named.length === 0 ? [`${SIGN}${section}`] : named.map((rule) => `${SIGN}${section} rule ${rule}`)
  })
  return [...sections.flat(), ...Array.from(ours.matchAll(DECISION), ([decision]) => decision)]
}

function whereOf(cited: string): string {
  if (cited.startsWith('D')) return `but ${DECISIONS} has no such heading`
  return `but ${INTERFACE} has no such section or rule; one of another document is cited with its name, as in RFC 9110 ${SIGN}5.5`
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function none(faults: string[]): void {
  assert.equal(faults.length, 0, `\n${faults.join('\n')}\n`)
}
