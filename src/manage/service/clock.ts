// Advances the manual clock of a test service.
import { z } from 'zod'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'

const TEN_YEARS_SECONDS = 315_360_000
const step = z
  .strictObject({ seconds: z.number().min(0).max(TEN_YEARS_SECONDS).describe('Number of seconds.') })
  .meta({ title: 'ClockStep' })
const clockAnswer = z.object({ now: time }).meta({ title: 'Clock' })

const advancing = endpointsOf('Trying out')(OPERATORS, {
  operationId: 'advanceClock',
  summary: 'Advance the clock',
  description: 'Answers when all due work is done. Only with `HULAKI_CLOCK=manual`.',
  body: step,
  response: { 200: clockAnswer },
})

/** `advance` returns the new time when all work that became due is done; 0 seconds runs the work that is due now. */
export function mountClock(app: TypedServer, advance: (seconds: number) => Promise<Date>): void {
  app.post('/clock/advance', advancing, async (request) => ({
    now: await advance(request.body.seconds),
  }))
}
