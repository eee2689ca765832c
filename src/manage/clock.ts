// Moves a manual clock: the route exists only where the service runs on one.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { ZodTypeProvider } from '../http/validation.ts'

const TEN_YEARS_SECONDS = 315_360_000
const step = z.strictObject({ seconds: z.number().min(0).max(TEN_YEARS_SECONDS) })

/** `advance` returns the new time once the roles have done what became due; by 0 seconds, what is due already. */
export function mountClock(server: FastifyInstance, advance: (seconds: number) => Promise<Date>): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/clock/advance', { schema: { body: step } }, async (request) => ({
    now: await advance(request.body.seconds),
  }))
}
