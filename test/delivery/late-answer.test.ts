import { test } from 'node:test'
import { changeWindowBeforeAnswer } from './late-answer.ts'

test('a change of the window keeps the connection for a response 25 s later by the clock', () =>
  changeWindowBeforeAnswer({}, (service) => service.advance(25)))
