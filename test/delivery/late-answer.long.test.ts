import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../harness/service.ts'
import { changeWindowBeforeAnswer } from './late-answer.ts'

/** Longer than two 10 s drain waits. Socket timers run in real time. */
const LATE_MS = 25_000

test('a change of the window keeps the connection for a response that takes 25 s', () =>
  changeWindowBeforeAnswer({ clock: systemClock() }, () => sleep(LATE_MS)))
