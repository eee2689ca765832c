// Validates the request of an HTTP description (D48, D50): the call that submits a message, or the one that polls.

import { addressWithoutDns, forbiddenKind, hostOf, type IsAllowedAddress } from '../../outbound-address.ts'
import type { FieldError } from '../../refusals.ts'
import type { HttpAuth, HttpBody, HttpDescription } from './description.ts'
import { isHeaderValue, partsOf } from './request.ts'
import { type FieldPath, fieldError, Templates, walk } from './validation.ts'

type RequestFields = Pick<HttpDescription, 'method' | 'url' | 'headers' | 'auth' | 'body'>

interface ValidationContext {
  /** Special addresses that the operator allows; plain http is possible only for these (D50). */
  isAllowed: IsAllowedAddress
}

/** Paths are relative to the request. Template errors are collected in `templates`. */
export function validateRequest(
  request: RequestFields,
  context: ValidationContext,
  templates: Templates,
): FieldError[] {
  return [
    ...validateUrl(request.url, { context, templates }),
    ...validateHeaders(request, templates),
    ...validateAuth(request.auth, templates),
    ...validateBody(request, templates),
  ]
}

function validateUrl(
  text: string,
  { context, templates }: { context: ValidationContext; templates: Templates },
): FieldError[] {
  const path = ['url']
  if (/[\s\p{Cc}#]/u.test(text)) return [fieldError(path, 'Must not contain white space, control characters or #')]
  const { origin, rest } = partsOf(text)
  if (/[{}]/.test(origin)) return [fieldError(path, 'Must not have a placeholder before the path')]
  const url = URL.parse(origin)
  if (url === null || !['https:', 'http:'].includes(url.protocol) || hostOf(url.hostname) === '')
    return [fieldError(path, 'Must be a URL that begins with https://')]
  if (url.username !== '' || url.password !== '')
    return [fieldError(path, 'Must not contain a user name or password; use auth')]
  const template = templates.parse(rest, path)
  const beforeQuery = template.slice(
    0,
    template.findIndex((it) => it.kind === 'words' && it.words.includes('?')),
  )
  const inPath = rest.includes('?') ? beforeQuery : template
  // A text of dots would change the path, even encoded.
  if (inPath.some((piece) => piece.kind === 'message' && piece.name === 'text'))
    return [fieldError(path, 'Must not have {text} in the path; use it in the query')]
  return validateHost(url, context)
}

function validateHost(url: URL, { isAllowed }: ValidationContext): FieldError[] {
  const address = addressWithoutDns(url.hostname)
  const kind = address === undefined ? undefined : forbiddenKind(address, isAllowed)
  if (kind !== undefined)
    return [
      fieldError(
        ['url'],
        `Must not point to a special address (${kind}); HULAKI_CARRIER_ALLOWED_NETWORKS can allow it`,
      ),
    ]
  // A host name is checked by its addresses at each connection.
  if (url.protocol === 'http:' && address !== undefined && !isAllowed(address))
    return [fieldError(['url'], 'Must begin with https://, except for addresses in HULAKI_CARRIER_ALLOWED_NETWORKS')]
  return []
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,100}$/
/** Set by undici. */
const RESERVED_HEADERS = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'keep-alive',
  'te',
]

function validateHeaders({ headers }: RequestFields, templates: Templates): FieldError[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    validateHeader(name, value, { path: ['headers', name], templates }),
  )
}

function validateHeader(
  name: string,
  value: string,
  { path, templates }: { path: FieldPath; templates: Templates },
): FieldError[] {
  if (!TOKEN.test(name)) return [fieldError(path, 'Is not a valid header name')]
  if (RESERVED_HEADERS.includes(name.toLowerCase()))
    return [fieldError(path, 'Is a header that the HTTP client sets itself')]
  if (!isHeaderValue(value)) return [fieldError(path, 'Must be printable ASCII')]
  const template = templates.parse(value, path)
  const hasText = template.some((piece) => piece.kind === 'message' && piece.name === 'text')
  return hasText ? [fieldError(path, 'Must not have {text}: headers are ASCII only')] : []
}

function validateAuth(auth: HttpAuth | null, templates: Templates): FieldError[] {
  if (auth === null) return []
  if (auth.kind === 'basic') {
    templates.parseAccount(auth, ['auth'])
    return []
  }
  templates.parseSecret(auth.value, ['auth', 'value'])
  if (auth.kind === 'query') return []
  const errors = new Templates([])
  return validateHeader(auth.name, '', { path: ['auth', 'name'], templates: errors })
}

function validateBody({ body, method }: RequestFields, templates: Templates): FieldError[] {
  if (body === null) return []
  if (method === 'GET') return [fieldError(['body'], 'A GET has no body; put the values in the url')]
  validateBodyTemplates(body, templates)
  return []
}

function validateBodyTemplates(body: HttpBody, templates: Templates): void {
  if (body.kind === 'form')
    for (const [name, value] of Object.entries(body.fields)) templates.parse(value, ['body', 'fields', name])
  else walk(body.value, ['body', 'value'], (text, path) => void templates.parse(text, path))
}
