// Signing in and out over HTTP, and where else somebody is signed in.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { endOtherSessions, endSession } from '../actions/sessions.ts'
import { signIn, signInAgain } from '../actions/sign-in.ts'
import { EVERY_ROLE } from '../domain/permission.ts'
import { LONGEST_PASSWORD } from '../domain/person.ts'
import { Refusal } from '../domain/refusals.ts'
import { FRESH_MINUTES, freshUntil, IDLE_HOURS, LONGEST_DAYS } from '../domain/session.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listSessions } from '../store/sessions.ts'
import { callerOf, dbOf, sessionOf } from './authenticate.ts'
import { fromOf, giveTickets, judgeWire, takeTicket } from './browser.ts'
import { endpointsOf } from './endpoint.ts'
import { email, nothing, wholeListOf } from './fields.ts'

const password = z.string().min(1).max(LONGEST_PASSWORD)
const credentials = z.strictObject({ email, password }).meta({ title: 'Credentials' })
const again = z.strictObject({ password }).meta({ title: 'CredentialsAgain' })

export const signedInAnswer = z
  .object({ signedIn: z.boolean().describe('With a cookie, which the browser keeps.') })
  .meta({ title: 'SignedIn' })
const freshAnswer = z.object({ freshUntil: time }).meta({ title: 'FreshSignIn' })
const endedAnswer = z.object({ ended: z.int() }).meta({ title: 'SessionsEnded' })
const sessionAnswer = z
  .object({
    id: z.uuid(),
    createdAt: time,
    lastSeenAt: time.describe('To the minute.'),
    endsAt: time.describe('Unless it is used before.'),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    isCurrent: z.boolean().describe('The one that asks.'),
  })
  .meta({ title: 'Session' })

const endpoint = endpointsOf('Signing in')
const calls = {
  signIn: endpoint(
    { roles: ['anybody'], scope: 'person' },
    {
      operationId: 'signIn',
      summary: 'Sign in',
      description: `For ${LONGEST_DAYS} days, or until nothing was asked for ${IDLE_HOURS} h. The answer does not tell whether there is such a person.`,
      body: credentials,
      response: { 200: signedInAnswer },
      refusals: ['rate_limited'],
    },
  ),
  signOut: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    { operationId: 'signOut', summary: 'Sign out', response: { 204: nothing } },
  ),
  again: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'signInAgain',
      summary: 'Show again who you are',
      description: `For ${FRESH_MINUTES} min it is then good for what answers \`sign_in_again\`.`,
      body: again,
      response: { 200: freshAnswer },
      refusals: ['conflict'],
    },
  ),
  list: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'listSessions',
      summary: 'List where you are signed in',
      response: { 200: wholeListOf(sessionAnswer) },
    },
  ),
  end: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'endSession',
      summary: 'Sign out elsewhere',
      params: z.object({ sessionId: z.uuid() }),
      response: { 204: nothing },
      refusals: ['not_found'],
    },
  ),
  endOthers: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    { operationId: 'endOtherSessions', summary: 'Sign out everywhere else', response: { 200: endedAnswer } },
  ),
}

export function mountSessions(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/session', calls.signIn, async (request, reply) => {
    const refusal = judgeWire(request)
    if (refusal) return sendRefusal(reply, refusal)
    const tickets = await signIn(ports, { ...request.body, from: fromOf(request) })
    if (!(tickets instanceof Refusal)) giveTickets(request, reply, tickets)
    return respond(reply, tickets, { view: () => ({ signedIn: true }) })
  })

  app.delete('/session', calls.signOut, async (request, reply) => {
    // One that ended in the meantime has ended too.
    await endSession(ports, callerOf(request), sessionOf(request))
    takeTicket(request, reply)
    return reply.code(204).send(null)
  })

  app.post('/session/refresh', calls.again, async (request, reply) => {
    const asked = { session: sessionOf(request), password: request.body.password, from: fromOf(request) }
    const result = await signInAgain(ports, callerOf(request), asked)
    return respond(reply, result, { view: (signedInAt) => ({ freshUntil: freshUntil({ signedInAt }) }) })
  })

  app.get('/sessions', calls.list, async (request) => {
    const { id: current, personId } = sessionOf(request)
    const sessions = await listSessions(dbOf(ports, request), { personId, now: ports.clock.now() })
    const items = sessions.map(({ id, createdAt, lastSeenAt, endsAt, address, userAgent }) => ({
      ...{ id, createdAt, lastSeenAt, endsAt, address, userAgent },
      isCurrent: id === current,
    }))
    return { items, next: null }
  })

  app.delete('/sessions/:sessionId', calls.end, async (request, reply) => {
    const { personId } = sessionOf(request)
    const refusal = await endSession(ports, callerOf(request), { id: request.params.sessionId, personId })
    return respond(reply, refusal, { status: 204, view: () => null })
  })

  app.delete('/sessions', calls.endOthers, async (request) => ({
    ended: await endOtherSessions(ports, callerOf(request), sessionOf(request)),
  }))
}
