// The command line of `npm run bench`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatHelp, parseCommand } from '../../bench/usage.ts'
import { UsageError } from '../../bench/usage-error.ts'

test('no line of the help text is longer than 80 columns', () => {
  for (const line of formatHelp().split('\n')) assert.ok(line.length <= 80, line)
})

test('the first word is the benchmark, and the table is the default', () => {
  assert.deepEqual(parseCommand([]), { name: 'table', args: [] })
  assert.deepEqual(parseCommand(['--messages', '10']), { name: 'table', args: ['--messages', '10'] })
  const args = ['--messages', '10', 'queued', 'otp']
  assert.deepEqual(parseCommand(['table', ...args]), { name: 'table', args })
  assert.deepEqual(parseCommand(['accept', '--long']), { name: 'accept', args: ['--long'] })
  assert.deepEqual(parseCommand(['growth', '200000']), { name: 'growth', args: ['200000'] })
  assert.deepEqual(parseCommand(['delivery', 'claims', '9']), { name: 'delivery', args: ['claims', '9'] })
  for (const help of [['--help'], ['-h'], ['lists', '--help']]) assert.equal(parseCommand(help), null)
})

const REJECTED: [args: string[], message: string | RegExp][] = [
  [['speed'], /^There is no benchmark 'speed'; use table, accept, delivery, .*, postings\.$/],
  [['constructor'], /^There is no benchmark 'constructor'; use table, /],
  [['--speed'], "'table' has no option '--speed'; use --help, --messages."],
  [['lists', '--speed=1'], "'lists' has no option '--speed'; use --help."],
  [['table', 'queued', 'speed'], /^There is no row 'speed'; use bare, durable, .*, whole-webhooks\.$/],
  [['delivery', 'speed'], /^'delivery' has no kind 'speed'; use throughput, .*, claims\.$/],
  [['delivery', 'claims', 'many'], 'The count must be a positive whole number.'],
  [['delivery', 'claims', '9', '9'], "'delivery' has no argument '9'; --help lists the arguments."],
  [['hour', 'long'], 'The number of minutes must be a positive whole number.'],
  [['growth', 'fast'], 'The number of messages must be a positive whole number.'],
  [['live', 'speed'], "'live' has no argument 'speed'; --help lists the arguments."],
  [['--messages'], '--messages must be a positive whole number.'],
  [['--messages', '0'], '--messages must be a positive whole number.'],
  [['--messages', '-5'], /^(--messages must|'table' has no option '-5')/],
]

for (const [args, message] of REJECTED) {
  test(`rejects '${args.join(' ')}' with one sentence`, () => {
    assert.throws(
      () => parseCommand(args),
      (error) => {
        assert(error instanceof UsageError)
        if (typeof message === 'string') assert.equal(error.message, message)
        else assert.match(error.message, message)
        return true
      },
    )
  })
}
