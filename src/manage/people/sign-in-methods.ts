// Sign-in methods beside the password: passkeys, an OpenID Connect provider, and recovery by mail.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recoverByMail } from '../../actions/people/invite-people.ts'
import {
  signInAgainByPasskey,
  signInByPasskey,
  signInByProvider,
  UNKNOWN_PASSKEY,
} from '../../actions/people/passwordless-sign-in.ts'
import { answerChallenge, createChallenge, createProviderChallenge } from '../../actions/people/second-factors.ts'
import type { Ports } from '../../actions/ports.ts'
import { isEmail, normalEmail } from '../../domain/people/person.ts'
import { freshUntil } from '../../domain/people/session.ts'
import { OVERLOADED, Refusal, refuse } from '../../domain/refusals.ts'
import { serviceAddress } from '../../http/address.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { Oidc, OidcChallenge } from '../../identity/oidc.ts'
import { askForPasskey, readPasskey } from '../../identity/passkeys.ts'
import { inBackground } from '../../runtime/log.ts'
import { findPasskey } from '../../store/people/second-factors.ts'
import { callerOf, sessionOf } from '../authenticate.ts'
import { checkHttps, fromOf, readProviderCookie, setProviderCookie, setSessionCookies, siteOf } from '../browser.ts'
import { ANYBODY, EVERY_PERSON, endpointsOf } from '../endpoint.ts'
import { email } from '../fields.ts'
import { deliverLink, type MailContext } from './mailing.ts'
import { answerSignIn, freshAnswer, signedInAnswer } from './sessions.ts'

export interface SignInMethods extends MailContext {
  oidc: Oidc | null
  /** The workspace in which people without an invitation become viewers when they sign in with the provider. */
  newcomersTo: string | null
}

const waysAnswer = z
  .object({
    provider: z.string().nullable().describe('Name of the OpenID Connect provider, or null.'),
    mail: z.boolean().describe('Whether a password can be reset by mail.'),
  })
  .meta({ title: 'WaysToSignIn' })

/** The library validates the rest. */
export const fromAuthenticator = z
  .looseObject({ id: z.string().max(2000), response: z.looseObject({}) })
  .describe('Response of the browser, as JSON.')
export const challengeAnswer = z
  .object({ id: z.uuid(), options: z.record(z.string(), z.unknown()).describe('Options for the browser.') })
  .meta({ title: 'PasskeyChallenge' })
const answered = z.strictObject({ id: z.uuid(), response: fromAuthenticator }).meta({ title: 'PasskeyAnswer' })
const recovery = z.strictObject({ email }).meta({ title: 'RecoveryByMail' })
const recoveryAnswer = z.object({ mailed: z.literal(true) }).meta({ title: 'RecoveryMailed' })

const endpoint = endpointsOf('Signing in')
const calls = {
  ways: endpoint(ANYBODY, {
    operationId: 'getWaysToSignIn',
    summary: 'List sign-in methods',
    response: { 200: waysAnswer },
  }),
  passkeyOptions: endpoint(ANYBODY, {
    operationId: 'askForPasskey',
    summary: 'Get passkey sign-in options',
    response: { 200: challengeAnswer },
  }),
  passkey: endpoint(ANYBODY, {
    operationId: 'signInByPasskey',
    summary: 'Sign in with a passkey',
    body: answered,
    response: { 200: signedInAnswer },
  }),
  passkeyAgain: endpoint(EVERY_PERSON, {
    operationId: 'signInAgainByPasskey',
    summary: 'Confirm your identity by passkey',
    body: answered,
    response: { 200: freshAnswer },
  }),
  oidc: endpoint(ANYBODY, {
    operationId: 'goToProvider',
    summary: 'Redirect to the provider',
    response: { 302: z.null().describe('Redirect to the provider.') },
  }),
  back: endpoint(ANYBODY, {
    operationId: 'comeFromProvider',
    summary: 'Return from the provider',
    querystring: z.looseObject({}),
    response: { 302: z.null().describe('Redirect to the console.') },
  }),
  recover: endpoint(ANYBODY, {
    operationId: 'recoverByMail',
    summary: 'Request a password reset',
    description: 'Mails a link. The answer does not reveal whether the account exists.',
    body: recovery,
    response: { 202: recoveryAnswer },
    refusals: ['conflict'],
  }),
}

const CALLBACK = '/sign-in/provider/back'
/** Longer than the query for a recovery takes. */
const RECOVERY_MS = 250

export function mountSignInMethods(app: TypedServer, ports: Ports, ways: SignInMethods): void {
  app.get('/sign-in', calls.ways, async () => ({
    provider: ways.oidc?.settings.name ?? null,
    mail: ways.mail !== null,
  }))

  mountPasskeySignIn(app, ports)

  app.post('/recovery', calls.recover, async (request, reply) => {
    if (!ways.mail)
      return sendRefusal(
        reply,
        refuse('conflict', { error: 'This service sends no mail; contact its operator for a link' }),
      )
    // A constant duration, so that the response time does not reveal whether the account exists.
    const [link] = await Promise.all([recoverByMail(ports, request.body.email), sleep(RECOVERY_MS)])
    if (link) inBackground(deliverLink(request, link, ways), request.log, 'mailing a recovery link')
    return reply.code(202).send({ mailed: true })
  })

  mountProviderSignIn(app, ports, ways)
}

function mountPasskeySignIn(app: TypedServer, ports: Ports): void {
  app.post('/sign-in/passkey/options', calls.passkeyOptions, async (request) => {
    const posed = await createChallenge(ports, { kind: 'passkey', personId: null, address: request.ip })
    return { id: posed.id, options: await askForPasskey(siteOf(request), posed.challenge) }
  })

  app.post('/sign-in/passkey', calls.passkey, async (request, reply) => {
    const used = checkHttps(request) ?? (await passkeyIn(ports, request, request.body))
    if (used instanceof Refusal) return sendRefusal(reply, used)
    return answerSignIn(request, reply, await signInByPasskey(ports, { ...used, from: fromOf(request) }))
  })

  app.post('/session/refresh/passkey', calls.passkeyAgain, async (request, reply) => {
    const used = await passkeyIn(ports, request, request.body)
    if (used instanceof Refusal) return sendRefusal(reply, used)
    const result = await signInAgainByPasskey(ports, callerOf(request), { ...used, session: sessionOf(request) })
    return respond(reply, result, { view: (signedInAt) => ({ freshUntil: freshUntil({ signedInAt }) }) })
  })
}

function mountProviderSignIn(app: TypedServer, ports: Ports, ways: SignInMethods): void {
  const { oidc, publicUrl } = ways

  app.get('/sign-in/provider', calls.oidc, async (request, reply) => {
    if (!oidc) return reply.redirect(backTo(refuse('not_found')))
    const challenge = await createProviderChallenge(ports, request.ip)
    const address = await oidc.addressFor(challenge.details, callbackFor(request)).catch(logFailure(request))
    if (!address) return reply.redirect(backTo(OVERLOADED))
    setProviderCookie(request, reply, challenge.id, publicUrl)
    return reply.redirect(address.href)
  })

  app.get(CALLBACK, calls.back, async (request, reply) => {
    const outcome = await comeBack(request)
    if (outcome instanceof Refusal) return reply.redirect(backTo(outcome))
    setSessionCookies(request, reply, outcome, publicUrl)
    return reply.redirect('/console')
  })

  function callbackFor(request: FastifyRequest): string {
    const root = request.routeOptions.url?.replace(/\/sign-in\/.*$/, '') ?? ''
    return `${serviceAddress(request, publicUrl)}${root}${CALLBACK}`
  }

  async function comeBack(request: FastifyRequest) {
    const id = z.uuid().safeParse(readProviderCookie(request)).data
    const challenge = id === undefined ? null : await answerChallenge(ports, { id, kind: 'oidc' })
    if (!challenge || !oidc) return refuse('unauthorized')
    const returned = new URL(`${callbackFor(request)}?${new URL(request.url, 'http://x').searchParams}`)
    const person = await oidc
      .personBehind(returned, challenge.details as unknown as OidcChallenge)
      .catch(logFailure(request))
    if (!person || !isEmail(normalEmail(person.email))) return refuse('unauthorized')
    const identity = { email: normalEmail(person.email), name: person.name, from: fromOf(request) }
    return signInByProvider(ports, { ...identity, newcomersTo: ways.newcomersTo })
  }
}

/** Redirects the browser to the sign-in page, which shows the error. */
function backTo({ code }: Refusal): string {
  return `/console?sign-in=${code}`
}

function logFailure({ log, id: requestId }: FastifyRequest): (error: unknown) => null {
  return (error) => {
    log.warn({ err: error, requestId }, 'sign-in with the provider failed')
    return null
  }
}

/** Returns the passkey if its response matches the challenge. */
async function passkeyIn(
  ports: Ports,
  request: FastifyRequest,
  { id, response }: z.infer<typeof answered>,
): Promise<{ passkey: NonNullable<Awaited<ReturnType<typeof findPasskey>>>; counter: number } | Refusal> {
  const challenge = await answerChallenge(ports, { id, kind: 'passkey' })
  const passkey = await findPasskey(ports.db, Buffer.from(response.id, 'base64url'))
  if (!challenge?.details.challenge || !passkey) return UNKNOWN_PASSKEY
  const { credentialId, publicKey, counter, transports } = passkey
  const used = await readPasskey(siteOf(request), {
    challenge: challenge.details.challenge,
    response,
    credential: { id: credentialId, publicKey, counter, transports },
  })
  return used === null ? UNKNOWN_PASSKEY : { passkey, counter: used }
}
