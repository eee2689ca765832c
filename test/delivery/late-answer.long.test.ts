import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../harness/service.ts'
import { changeWindowBeforeAnswer } from './late-answer.ts'

/** Longer than two of the 10 s that a drained session waits for anything but an answer. Timers of the wire run in real time. */
const LATE_MS = 25_000

test('a change of the window keeps the connection for an answer that takes 25 s', () =>
  changeWindowBeforeAnswer({ clock: systemClock() }, () => sleep(LATE_MS)))
