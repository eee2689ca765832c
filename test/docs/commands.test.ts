// Every command that a sentence names exists, with its options. blocks.ts says which commands are run as printed.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findCommand } from '../../src/cli/commands.ts'
import { parseCommand } from '../../src/cli/request.ts'
import { findSpecialCommand } from '../../src/cli/special-commands.ts'
import { allDocuments } from './blocks.ts'

/** The changelog also names commands that have another name now. */
const PAGES = [...allDocuments(), 'CONTRIBUTING.md', 'ARCHITECTURE.md', '.env.example']

/** The commands in the sentences of all pages, with their place. */
function commandsLike(pattern: RegExp): { where: string; text: string }[] {
  return PAGES.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line, index) =>
      Array.from(line.matchAll(pattern), ([, text = '']) => ({ where: `${file}:${index + 1}`, text })),
    )
  })
}

/** Why a command line would be refused before its first request. */
function faultOf(text: string): string | null {
  const words = Array.from(text.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? '')
  if (['help', '--version'].includes(words[0] ?? '')) return null
  const form = findSpecialCommand(words) ?? findCommand(words)
  if (!form) return 'no such command'
  try {
    const { positionals, common } = parseCommand(words.slice(form.name.split(' ').length), form)
    return common.help || positionals.length <= form.positionals.length ? null : 'too many arguments'
  } catch (error) {
    return String(error)
  }
}

test('every command of hulaki in a sentence exists, with its options', () => {
  const named = commandsLike(/`(?:\w+=\S+ )?(?:bin\/)?hulaki ([\w-][^`]*)`/g)
  assert.ok(named.length > 60, `${named.length}`)
  const faults = named.flatMap(({ where, text }) => {
    // A sentence may name an option without its value.
    const fault = faultOf(text) && faultOf(`${text} value`)
    return fault ? `${where}: hulaki ${text}: ${fault}` : []
  })
  assert.deepEqual(faults, [])
})

test('every npm script in a sentence or block exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const named = commandsLike(/\bnpm run ([\w:]+)/g)
  assert.ok(named.length > 20, `${named.length}`)
  assert.deepEqual(
    named.filter(({ text }) => !(text in scripts)),
    [],
  )
})
