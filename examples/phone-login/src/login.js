// The sign-in: number, code, session. All calls of Hulaki are here.
import { HulakiError } from '@hulaki/client'
import { newId, SignedCookie } from './cookie.js'
import { Limiter } from './limiter.js'
import { Memory } from './memory.js'
import { codePage, homePage, numberPage } from './pages.js'
import { duration, NO_NUMBER, whyNotChecked, whyNotIn, whyNotSent } from './sentences.js'

/** @import { Hulaki } from '@hulaki/client' */
/** @import { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify' */
/** @import { Statuses } from './webhook.js' */
/** @typedef {{ number: string, typed: string, messageId: string, wrong: number, isOver: boolean }} Login */
/** @typedef {{ number: string, since: Date }} Session */

/** A code of this purpose is valid for the login only. */
const PURPOSE = 'login'
const LOGIN_SECONDS = 10 * 60
const SESSION_SECONDS = 12 * 60 * 60

/**
 * @param {FastifyInstance} app
 * @param {{ hulaki: Hulaki, statuses: Statuses, isSecure: boolean }} parts
 */
export function serveLogin(app, { hulaki, statuses, isSecure }) {
  const loginCookie = new SignedCookie({ name: 'login', maxAgeSeconds: LOGIN_SECONDS, isSecure })
  const sessionCookie = new SignedCookie({ name: 'session', maxAgeSeconds: SESSION_SECONDS, isSecure })
  /** @type {Memory<Login>} */
  const logins = new Memory({ keepMs: LOGIN_SECONDS * 1000, most: 10_000 })
  /** @type {Memory<string>} */
  const latestLoginOf = new Memory({ keepMs: LOGIN_SECONDS * 1000, most: 10_000 })
  /** @type {Memory<Session>} */
  const sessions = new Memory({ keepMs: SESSION_SECONDS * 1000, most: 100_000 })
  // Hulaki accepts 60 code requests per minute from us (§8.2); one network must not use up all of them.
  const codesAsked = new Limiter({ most: 20, withinMs: 10 * 60_000 })
  const codesTried = new Limiter({ most: 60, withinMs: 10 * 60_000 })

  /** @param {FastifyRequest} request */
  const sessionOf = ({ headers }) => sessions.get(sessionCookie.read(headers.cookie) ?? '')
  /** @param {FastifyRequest} request */
  const loginIdOf = ({ headers }) => loginCookie.read(headers.cookie) ?? ''
  /** @param {FastifyRequest} request */
  const loginOf = (request) => logins.get(loginIdOf(request))

  app.get('/', async (request, reply) => {
    const session = sessionOf(request)
    const login = loginOf(request)
    if (session) return show(reply, homePage(session))
    if (!login) return show(reply, numberPage())
    const isLost = ['failed', 'undelivered'].includes(statuses.get(login.messageId)?.status ?? '')
    return show(
      reply,
      codePage(isLost ? { ...login, problem: 'The code did not reach that number. Is it right?' } : login),
    )
  })

  app.post('/code', async (request, reply) => {
    const number = fieldOf(request, 'number')
    const login = loginOf(request)
    // After a second request for the same number, the earlier code may still be valid.
    return sendCode(request, reply, { number, login: login?.typed === number ? login : null })
  })

  app.post('/code/again', async (request, reply) => {
    const login = loginOf(request)
    return login ? sendCode(request, reply, { number: login.number, login }) : reply.redirect('/', 303)
  })

  /**
   * @param {FastifyRequest} request
   * @param {FastifyReply} reply
   * @param {{ number: string, login: Login | null }} asked
   */
  async function sendCode(request, reply, { number, login }) {
    /** @param {{ status: number, problem: string }} why */
    const refuse = ({ status, problem }) =>
      show(reply.status(status), login ? codePage({ ...login, problem }) : numberPage({ number, problem }))
    const wait = codesAsked.take(request.ip)
    if (wait > 0) return refuse(tooMany(wait))
    const to = number.replaceAll(/[\s().-]/g, '')
    if (!/^\+?\d{7,15}$/.test(to)) return refuse(NO_NUMBER)
    try {
      const { messageId } = await hulaki.otp.send({ to, purpose: PURPOSE, ip: request.ip })
      // 98… and +977 98… are one person: identify people by the number in Hulaki's response.
      const message = await hulaki.messages.get(messageId)
      const id = beginLogin({ number: message.to, typed: number, messageId, wrong: 0, isOver: false })
      return reply.header('set-cookie', loginCookie.write(id)).redirect('/', 303)
    } catch (error) {
      return refuse(whyNotSent(refusalIn(error, request)))
    }
  }

  /** @param {Login} login */
  function beginLogin(login) {
    const id = newId()
    // The earlier code is invalid now. Its login must not use up the attempts of this one.
    logins.delete(latestLoginOf.get(login.number) ?? '')
    latestLoginOf.set(login.number, id)
    logins.set(id, login)
    return id
  }

  app.post('/verify', async (request, reply) => {
    const login = loginOf(request)
    if (!login) return reply.redirect('/', 303)
    /** @param {{ status: number, problem: string }} why */
    const refuse = ({ status, problem }) => show(reply.status(status), codePage({ ...login, problem }))
    const code = fieldOf(request, 'code').replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(code)) return refuse({ status: 422, problem: 'A code has six digits.' })
    const wait = codesTried.take(request.ip)
    if (wait > 0) return refuse(tooMany(wait))
    try {
      const { verified, reason } = await hulaki.otp.verify({ to: login.number, code, purpose: PURPOSE })
      if (verified) return signIn(request, reply, login)
      if (reason === 'invalid_code') login.wrong++
      const { isOver, problem } = whyNotIn(reason, login.wrong)
      login.isOver = isOver
      return refuse({ status: 422, problem })
    } catch (error) {
      return refuse(whyNotChecked(refusalIn(error, request)))
    }
  })

  /**
   * @param {FastifyRequest} request
   * @param {FastifyReply} reply
   * @param {Login} login
   */
  function signIn(request, reply, { number }) {
    // A new id: somebody else may know an id from before the verification.
    const id = newId()
    sessions.set(id, { number, since: new Date() })
    logins.delete(loginIdOf(request))
    reply.header('set-cookie', [loginCookie.clear(), sessionCookie.write(id)])
    return reply.redirect('/', 303)
  }

  app.post('/forget', async (request, reply) => {
    logins.delete(loginIdOf(request))
    return reply.header('set-cookie', loginCookie.clear()).redirect('/', 303)
  })

  app.post('/sign-out', async (request, reply) => {
    sessions.delete(sessionCookie.read(request.headers.cookie) ?? '')
    return reply.header('set-cookie', sessionCookie.clear()).redirect('/', 303)
  })
}

/** @param {number} wait */
function tooMany(wait) {
  return { status: 429, problem: `Too many requests from your network. Please wait ${duration(wait)}.` }
}

/**
 * The error of Hulaki; other errors are thrown again.
 * @param {unknown} error
 * @param {FastifyRequest} request
 */
function refusalIn(error, request) {
  if (!(error instanceof HulakiError)) throw error
  // No number and no code in the log; the request id finds the request in the log of Hulaki.
  const { code, status, requestId } = error
  request.log.warn({ code, status, requestId }, 'refused by Hulaki')
  return error
}

/**
 * @param {FastifyRequest} request
 * @param {string} name
 */
function fieldOf({ body }, name) {
  return body instanceof URLSearchParams ? (body.get(name) ?? '').trim().slice(0, 30) : ''
}

/**
 * @param {FastifyReply} reply
 * @param {string} page
 */
function show(reply, page) {
  return reply.type('text/html; charset=utf-8').send(page)
}
