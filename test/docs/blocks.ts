// The fenced blocks of the documentation, each with the instructions of the comment above it, and the commands in its sentences.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

export interface Block {
  file: string
  line: number
  language: string
  text: string
  marker: Marker | null
}

export interface Marker {
  kind: (typeof KINDS)[number]
  words: string
}

/** Skipped with a reason; run by another test; refused with a code; runs until the page ends and prints some words; saved in a file. */
const KINDS = ['not run', 'run by', 'refused', 'stays', 'saved'] as const

/** Pages whose listings need other packages, and the folder of the tests that run or compile them. */
export const RUN_ELSEWHERE: Record<string, string> = {
  'sdk/README.md': 'test/sdk',
  'examples/': 'test/examples',
  'docs/guides/phone-login.md': 'test/examples',
}

/** Pages that are run here. */
export function documents(): string[] {
  const elsewhere = Object.keys(RUN_ELSEWHERE)
  return allDocuments().filter((file) => !elsewhere.some((it) => file.startsWith(it)))
}

export function allDocuments(): string[] {
  const patterns = ['README.md', 'docs/**/*.md', 'sdk/README.md', 'examples/**/README.md']
  return globSync(patterns, { cwd: ROOT, exclude: (name) => name === 'node_modules' })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

export function blocksOf(file: string): Block[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language = ''] = /^( *)```(\w*)$/.exec(lines[at] ?? '') ?? []
    if (indent === undefined) {
      blocks.push(...commandsIn(lines[at] ?? '').map((command) => ({ ...command, file, line: at + 1 })))
      continue
    }
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```')
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
    blocks.push({ file, line: at + 1, language, text: text.join('\n'), marker: markerAbove(lines, at) })
    at = end
  }
  return blocks
}

/** A command in a sentence is run where it stands: `bin/hulaki operator invite`. `hulaki …` only names a command. */
function commandsIn(line: string): Omit<Block, 'file' | 'line'>[] {
  const commands = Array.from(line.matchAll(/`(bin\/hulaki [^`]+)`/g), ([, text = '']) => text)
  return commands.map((text) => ({ language: 'sh', text, marker: null }))
}

/** The `count` blocks of a page that a test of another folder runs, because they need root, another server, or much time. */
export function blocksRunBy(test: string, page: string, count: number): Block[] {
  const blocks = blocksOf(page).filter(({ marker }) => marker?.kind === 'run by' && marker.words === test)
  assert.equal(blocks.length, count, `${test} runs ${count} blocks of ${page}`)
  return blocks
}

export function isRunAsPrinted({ marker }: Block): boolean {
  return marker?.kind !== 'not run' && marker?.kind !== 'run by'
}

function markerAbove(lines: string[], at: number): Marker | null {
  const [, kind, words = ''] = /^ *<!-- ([\w ]+): (.+) -->$/.exec(lines[at - 1] ?? '') ?? []
  const known = KINDS.find((it) => it === kind)
  return known ? { kind: known, words } : null
}

/** A listing whose first line, or the line after `<?php`, names a file. */
export function fileNameOf({ text, marker }: Block): string | null {
  if (marker?.kind === 'saved') return marker.words
  return /^(?:<\?php\n)?(?:\/\/|#) ([\w-]+\.(?:ts|js|mjs|py|php|sh))(?:\n|$)/.exec(text)?.[1] ?? null
}

/** All programs that the commands of the pages may call; paths are relative to the checkout. */
export const PROGRAMS = [
  'curl',
  'node',
  'npm',
  'python3',
  'php',
  'jq',
  'openssl',
  'base64',
  'cat',
  'cut',
  'date',
  'grep',
  'head',
  'mkdir',
  'sed',
  'tr',
]
const BUILT_IN = ['cd', 'echo', 'export', 'printf', 'bin/hulaki', ...PROGRAMS]

/** The first word of each command in a shell block, also within $( ). */
export function programsIn(text: string): string[] {
  const bare = text
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"((?:[^"\\]|\\.)*)"/gs, (_all, inside: string) => `""${inside.match(/\$\([^)]*\)/g)?.join(' ') ?? ''}`)
    .replaceAll(/(^|\s)#.*$/gm, '')
  return bare
    .split(/[\n;|&]+|\$\(|\{ /)
    .map((command) => command.trim().replace(/^(?:\w+=(?:""|''|[^\s]*)\s*)+/, ''))
    .map((command) => command.split(/[\s)]/)[0] ?? '')
    .filter((word) => word !== '' && /^[\w./-]+$/.test(word) && !/^-/.test(word))
}

export function strangersIn(text: string): string[] {
  return programsIn(text).filter((word) => !BUILT_IN.includes(word))
}

/** A start of the service with its settings. */
export function startIn(text: string): Record<string, string> | null {
  const [, settings] = /^((?:[A-Z_]+=\S+ )*)npm start$/.exec(text.trim()) ?? []
  if (settings === undefined) return null
  return Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((pair) => pair.split('=') as [string, string]),
  )
}
