// Wrong arguments of `npm run crash` get one sentence, and no run starts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../bench/usage-error.ts'
import { parseArguments } from './arguments.ts'

test('has defaults, and reads every option', () => {
  assert.deepEqual(parseArguments([]), { kills: 200, senders: 10, accepts: 0, seed: null, fault: null })
  const all = ['--kills', '3', '--senders=4', '--accepts', '500', '--seed', '0', '--fault', 'lost']
  assert.deepEqual(parseArguments(all), { kills: 3, senders: 4, accepts: 500, seed: 0, fault: 'lost' })
  assert.equal(parseArguments(['--kills', '3', '--help']), null)
})

test('rejects wrong arguments in one sentence', () => {
  const wrong: [args: string[], message: string | RegExp][] = [
    [['--kill', '3'], 'Unknown option --kill.'],
    [['-k'], 'Unknown option -k.'],
    [['--toString', '3'], 'Unknown option --toString.'],
    [['3'], "'3' is not an option."],
    [['--kills'], '--kills needs a value.'],
    [['--kills', '-5'], "--kills must be a whole number, not '-5'."],
    [['--kills=-5'], "--kills must be a whole number, not '-5'."],
    [['--seed', '1.5'], "--seed must be a whole number, not '1.5'."],
    [['--kills', '--seed'], "--kills must be a whole number, not '--seed'."],
    [['--fault', 'nobody'], /^--fault must be one of lost, .*, not 'nobody'\.$/],
  ]
  for (const [args, message] of wrong)
    assert.throws(
      () => parseArguments(args),
      (error) =>
        error instanceof UsageError &&
        (typeof message === 'string' ? error.message === message : message.test(error.message)),
      args.join(' '),
    )
})
