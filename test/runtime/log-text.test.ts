// The log on a terminal: one readable line for each entry, without control characters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import { createTextStream, formatEntry } from '../../src/runtime/log-text.ts'

function textOf(write: (log: ReturnType<typeof createLog>) => void, hasColours = false): string {
  const lines: string[] = []
  write(createLog('trace', createTextStream({ write: (line) => lines.push(line) }, hasColours)))
  return lines.join('')
}

test('an entry is one line: local time, level as a word, message, fields', () => {
  const at = new Date(2026, 10, 18, 15, 4, 5, 67)
  const line = JSON.stringify({
    level: 40,
    time: at.toISOString(),
    pid: 42,
    carrier: 'Everest',
    seconds: 5,
    none: null,
    msg: 'carrier bind failed, retrying',
  })
  assert.equal(
    formatEntry(line, false),
    '15:04:05.067 warn  carrier bind failed, retrying carrier=Everest seconds=5 pid=42',
  )
  assert.match(
    textOf((log) => log.info('ready')),
    /^\d\d:\d\d:\d\d\.\d{3} info {2}ready pid=\d+\n$/,
  )
})

test('values with spaces are quoted, objects are JSON, and errors show message, code and cause', () => {
  const error = Object.assign(new Error('no route to host', { cause: new Error('cable cut') }), {
    code: 'EHOSTUNREACH',
  })
  const text = textOf((log) => log.error({ err: error, list: [1, 2], name: 'Himal Bank' }, 'it failed'))
  assert.match(
    text,
    /it failed list=\[1,2\] name="Himal Bank" error="no route to host" code=EHOSTUNREACH cause="cable cut" pid=/,
  )
  assert.equal(text.split('\n').length, 2)
  assert.match(
    textOf((log) => log.fatal({ err: error }, 'uncaught exception')),
    /\n {4}at /,
  )
})

test('has colours only if asked, and never control characters of a field', () => {
  const write = (log: ReturnType<typeof createLog>) => log.warn({ text: 'a\u001b[2J\nb\u202e' }, 'x\u001b[31m')
  assert.doesNotMatch(textOf(write).trimEnd(), /[\p{Cc}\u202e]/u)
  assert.ok(textOf(write, true).includes('\u001b[33mwarn \u001b[0m'))
})

test('JSON entries have the time in ISO 8601, and secrets are hidden in both formats', () => {
  const lines: string[] = []
  createLog('info', { write: (line) => lines.push(line) }).info({ token: 'secret-1' }, 'x')
  assert.match(JSON.parse(lines[0] ?? '').time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.doesNotMatch(lines.join('') + textOf((log) => log.info({ token: 'secret-1' }, 'x')), /secret-1/)
})
