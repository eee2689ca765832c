// What every page and form goes through: headers that keep a page to itself, and no form of another site.

const HEADERS = {
  // There is no script at all, and nothing comes from elsewhere.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // With no-referrer browsers would say of our own forms that they come from nowhere.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/**
 * @param {import('fastify').FastifyInstance} app
 * @param {string | null} publicUrl
 */
export function guard(app, publicUrl) {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    if (request.method !== 'GET' && !isOurs(request, publicUrl)) throw new ForeignForm()
  })
}

/** A form of another site, sent by a browser that is signed in here: it must not do anything. */
export class ForeignForm extends Error {
  statusCode = 403
}

/**
 * Browsers say with every form where it was; SameSite keeps the cookies back as well.
 * @param {import('fastify').FastifyRequest} request
 * @param {string | null} publicUrl
 */
function isOurs({ headers, host }, publicUrl) {
  const { origin } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return publicUrl ? new URL(origin).origin === new URL(publicUrl).origin : new URL(origin).host === host
}
