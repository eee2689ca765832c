// Signs people in and out, and lists their sessions.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { endOtherSessions, endSession, type IssuedSession } from '../../actions/people/sessions.ts'
import { signIn, signInAgain } from '../../actions/people/sign-in.ts'
import type { Ports } from '../../actions/ports.ts'
import { MAX_PASSWORD_LENGTH } from '../../domain/people/person.ts'
import { FRESH_MINUTES, freshUntil, IDLE_HOURS, MAX_SESSION_DAYS } from '../../domain/people/session.ts'
import { Refusal } from '../../domain/refusals.ts'
import { respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listSessions } from '../../store/people/sessions.ts'
import { callerOf, dbOf, sessionOf } from '../authenticate.ts'
import { checkHttps, clearSessionCookie, fromOf, setSessionCookies } from '../browser.ts'
import { ANYBODY, EVERY_PERSON, endpointsOf } from '../endpoint.ts'
import { email, noContent, uuid, wholeListOf } from '../fields.ts'

const password = z.string().min(1).max(MAX_PASSWORD_LENGTH)
const code = z.string().min(1).max(40).describe('Code of an authenticator app, or a recovery code.')
const credentials = z.strictObject({ email, password, code: code.optional() }).meta({ title: 'Credentials' })
const again = z.strictObject({ password: password.optional(), code: code.optional() }).meta({
  title: 'CredentialsAgain',
  description: 'The password, if the person has one, and a code, if an authenticator app is on.',
})

export const signedInAnswer = z
  .object({
    signedIn: z.boolean().describe('Whether a session cookie is set.'),
    needs: z
      .enum(['code', 'sign_in'])
      .nullable()
      .describe('`code`: repeat the call with a code. `sign_in`: the password is set; sign in with it.'),
  })
  .meta({ title: 'SignedIn' })
export const freshAnswer = z.object({ freshUntil: time }).meta({ title: 'FreshSignIn' })
const endedAnswer = z.object({ ended: z.int() }).meta({ title: 'SessionsEnded' })
const sessionAnswer = z
  .object({
    id: z.uuid(),
    createdAt: time,
    lastSeenAt: time.describe('Accurate to the minute.'),
    endsAt: time.describe('When the session ends without a request.'),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    isCurrent: z.boolean().describe('Whether this is the current session.'),
  })
  .meta({ title: 'Session' })

const endpoint = endpointsOf('Signing in')
const calls = {
  signIn: endpoint(ANYBODY, {
    operationId: 'signIn',
    summary: 'Sign in',
    description: `A session lasts ${MAX_SESSION_DAYS} days, or ${IDLE_HOURS} h without a request. The answer does not reveal whether the account exists.`,
    body: credentials,
    response: { 200: signedInAnswer },
    refusals: ['rate_limited'],
  }),
  signOut: endpoint(EVERY_PERSON, { operationId: 'signOut', summary: 'Sign out', response: { 204: noContent } }),
  again: endpoint(EVERY_PERSON, {
    operationId: 'signInAgain',
    summary: 'Confirm your identity',
    description: `For ${FRESH_MINUTES} min the session may then make the calls that answer \`sign_in_again\`.`,
    body: again,
    response: { 200: freshAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(EVERY_PERSON, {
    operationId: 'listSessions',
    summary: 'List active sessions',
    response: { 200: wholeListOf(sessionAnswer) },
  }),
  end: endpoint(EVERY_PERSON, {
    operationId: 'endSession',
    summary: 'End a session',
    params: z.object({ sessionId: uuid }),
    response: { 204: noContent },
    refusals: ['not_found'],
  }),
  endOthers: endpoint(EVERY_PERSON, {
    operationId: 'endOtherSessions',
    summary: 'End all other sessions',
    response: { 200: endedAnswer },
  }),
}

/** Sets the session cookies, or returns what the sign-in still needs. */
export function answerSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: IssuedSession | 'needs_code' | 'sign_in' | Refusal,
): FastifyReply {
  if (outcome instanceof Refusal) return sendRefusal(reply, outcome)
  const isIn = typeof outcome !== 'string'
  if (isIn) setSessionCookies(request, reply, outcome)
  const answer: z.input<typeof signedInAnswer> = {
    signedIn: isIn,
    needs: isIn ? null : outcome === 'needs_code' ? 'code' : 'sign_in',
  }
  return reply.send(answer)
}

export function mountSessions(app: TypedServer, ports: Ports): void {
  app.post('/session', calls.signIn, async (request, reply) => {
    const refusal = checkHttps(request)
    if (refusal) return sendRefusal(reply, refusal)
    const { email, password, code = null } = request.body
    return answerSignIn(request, reply, await signIn(ports, { email, password, code, from: fromOf(request) }))
  })

  app.delete('/session', calls.signOut, async (request, reply) => {
    // A refusal means that the session has ended already.
    await endSession(ports, callerOf(request), sessionOf(request))
    clearSessionCookie(request, reply)
    return reply.code(204).send(null)
  })

  app.post('/session/refresh', calls.again, async (request, reply) => {
    const { password = null, code = null } = request.body
    const requested = { session: sessionOf(request), password, code, from: fromOf(request) }
    const result = await signInAgain(ports, callerOf(request), requested)
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
    return respondEmpty(reply, refusal)
  })

  app.delete('/sessions', calls.endOthers, async (request) => ({
    ended: await endOtherSessions(ports, callerOf(request), sessionOf(request)),
  }))
}
