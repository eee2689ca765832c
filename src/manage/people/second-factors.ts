// TOTP and passkeys of the signed-in person.
import { z } from 'zod'
import {
  answerChallenge,
  createChallenge,
  finishTotp,
  keepPasskey,
  MAX_PASSKEYS,
  removePasskey,
  removeTotp,
  startTotp,
} from '../../actions/people/second-factors.ts'
import type { Ports } from '../../actions/ports.ts'
import { refuseField } from '../../domain/refusals.ts'
import { requireFound, respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { askForNewPasskey, readNewPasskey } from '../../identity/passkeys.ts'
import { findPerson } from '../../store/people/people.ts'
import { listPasskeys } from '../../store/people/second-factors.ts'
import { callerOf, dbOf, sessionOf } from '../authenticate.ts'
import { siteOf } from '../browser.ts'
import { EVERY_PERSON, endpointsOf, fresh } from '../endpoint.ts'
import { line, noContent, uuid, wholeListOf } from '../fields.ts'
import { challengeAnswer, fromAuthenticator } from './sign-in-methods.ts'

const code = z.strictObject({ code: z.string().regex(/^\d{6}$/, 'Must be six digits') }).meta({ title: 'TotpCode' })
const newPasskey = z
  .strictObject({ id: uuid, name: line(100), response: fromAuthenticator })
  .meta({ title: 'NewPasskey' })

const totpAnswer = z
  .object({ secret: z.string().describe('Shown once, in base32.'), uri: z.string().describe('URI for a QR code.') })
  .meta({ title: 'TotpSecret' })
const codesAnswer = z
  .object({ recoveryCodes: z.array(z.string()).describe('Shown once. Each code works once.') })
  .meta({ title: 'RecoveryCodes' })
const passkeyAnswer = z
  .object({ id: z.uuid(), name: z.string(), createdAt: time, lastUsedAt: time.nullable() })
  .meta({ title: 'Passkey' })
const madeAnswer = z.object({ id: z.uuid() }).meta({ title: 'PasskeyMade' })

const endpoint = endpointsOf('Signing in')
const calls = {
  startTotp: endpoint(fresh(EVERY_PERSON), {
    operationId: 'startTotp',
    summary: 'Set up TOTP',
    response: { 201: totpAnswer },
    refusals: ['conflict'],
  }),
  finishTotp: endpoint(fresh(EVERY_PERSON), {
    operationId: 'finishTotp',
    summary: 'Enable TOTP',
    description: 'Confirms the first code. Signing in with a password then needs a code.',
    body: code,
    response: { 200: codesAnswer },
    refusals: ['conflict'],
  }),
  removeTotp: endpoint(fresh(EVERY_PERSON), {
    operationId: 'removeTotp',
    summary: 'Disable TOTP',
    response: { 204: noContent },
  }),
  list: endpoint(EVERY_PERSON, {
    operationId: 'listPasskeys',
    summary: 'List your passkeys',
    response: { 200: wholeListOf(passkeyAnswer) },
  }),
  options: endpoint(fresh(EVERY_PERSON), {
    operationId: 'askForNewPasskey',
    summary: 'Get passkey creation options',
    response: { 200: challengeAnswer },
  }),
  add: endpoint(fresh(EVERY_PERSON), {
    operationId: 'addPasskey',
    summary: 'Add a passkey',
    description: `A person has up to ${MAX_PASSKEYS} passkeys.`,
    body: newPasskey,
    response: { 201: madeAnswer },
    refusals: ['conflict'],
  }),
  remove: endpoint(fresh(EVERY_PERSON), {
    operationId: 'removePasskey',
    summary: 'Delete a passkey',
    params: z.object({ passkeyId: uuid }),
    response: { 204: noContent },
  }),
}

export function mountSecondFactors(app: TypedServer, ports: Ports): void {
  app.post('/account/totp', calls.startTotp, async (request, reply) => {
    const result = await startTotp(ports, callerOf(request), sessionOf(request).personId)
    return respond(reply, result, { status: 201, view: (it) => it })
  })

  app.post('/account/totp/confirm', calls.finishTotp, async (request, reply) => {
    const requested = { personId: sessionOf(request).personId, code: request.body.code }
    const result = await finishTotp(ports, callerOf(request), requested)
    return respond(reply, result, { view: (recoveryCodes) => ({ recoveryCodes }) })
  })

  app.delete('/account/totp', calls.removeTotp, async (request, reply) => {
    await removeTotp(ports, callerOf(request), sessionOf(request).personId)
    return reply.code(204).send(null)
  })

  app.get('/account/passkeys', calls.list, async (request) => {
    const passkeys = await listPasskeys(dbOf(ports, request), sessionOf(request).personId)
    const items = passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }))
    return { items, next: null }
  })

  app.post('/account/passkeys/options', calls.options, async (request) => {
    const { personId } = sessionOf(request)
    const person = requireFound(await findPerson(dbOf(ports, request), personId))
    const posed = await createChallenge(ports, { kind: 'passkey_new', personId, address: request.ip })
    const passkeys = await listPasskeys(dbOf(ports, request), personId)
    const known = passkeys.map(({ credentialId: id, transports }) => ({ id, transports }))
    const options = await askForNewPasskey(siteOf(request), { challenge: posed.challenge, person, known })
    return { id: posed.id, options }
  })

  app.post('/account/passkeys', calls.add, async (request, reply) => {
    const { personId } = sessionOf(request)
    const { id, name, response } = request.body
    const challenge = await answerChallenge(ports, { id, kind: 'passkey_new' })
    if (!challenge?.details.challenge || challenge.personId !== personId)
      return sendRefusal(reply, refuseField('id', 'The challenge is unknown or expired; request new options'))
    const made = await readNewPasskey(siteOf(request), { challenge: challenge.details.challenge, response })
    if (!made) return sendRefusal(reply, refuseField('response', 'Does not match the challenge; request new options'))
    const { id: credentialId, publicKey, counter, transports } = made
    const kept = { personId, name, credentialId, publicKey, counter, transports }
    const result = await keepPasskey(ports, callerOf(request), kept)
    return respond(reply, result, { status: 201, view: (passkeyId) => ({ id: passkeyId }) })
  })

  app.delete('/account/passkeys/:passkeyId', calls.remove, async (request, reply) => {
    const requested = { id: request.params.passkeyId, personId: sessionOf(request).personId }
    return respondEmpty(reply, await removePasskey(ports, callerOf(request), requested))
  })
}
