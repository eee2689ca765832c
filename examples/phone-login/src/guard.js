// Security headers for all pages, and CSRF protection for all forms.

const HEADERS = {
  // No scripts, and nothing from other hosts.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // With no-referrer, browsers send no origin for our own forms.
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

/** A form of another site (CSRF). */
export class ForeignForm extends Error {
  statusCode = 403
}

/**
 * Browsers send the origin with every form. SameSite cookies are a second protection.
 * @param {import('fastify').FastifyRequest} request
 * @param {string | null} publicUrl
 */
function isOurs({ headers, host }, publicUrl) {
  const { origin } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return publicUrl ? new URL(origin).origin === new URL(publicUrl).origin : new URL(origin).host === host
}
