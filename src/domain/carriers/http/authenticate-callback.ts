// Authenticates a receipt callback (D52) by a secret or a signature, in constant time.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { HttpSecrets } from '../secrets.ts'
import type { ReceiptCheck } from './description.ts'
import { fill, parseHttpTemplate } from './template.ts'

export interface CheckedCall {
  /** The URL that the carrier called, with its query. */
  url: string
  header: (name: string) => string | undefined
  query: URLSearchParams
  form: URLSearchParams
  body: Buffer
}

export function isAuthenticCallback(call: CheckedCall, check: ReceiptCheck, secrets: HttpSecrets): boolean {
  const filled = (text: string) => {
    const template = parseHttpTemplate(text)
    return typeof template === 'string' ? '' : fill(template, { message: null, secrets }, (value) => value)
  }
  switch (check.kind) {
    case 'header':
      return isSame(call.header(check.name), filled(check.value))
    case 'query':
      return isSame(call.query.get(check.name) ?? undefined, filled(check.value))
    case 'basic': {
      const account = Buffer.from(`${filled(check.user)}:${filled(check.password)}`).toString('base64')
      return isSame(call.header('authorization'), `Basic ${account}`)
    }
    case 'hmac': {
      const signature = createHmac(check.algorithm, filled(check.key))
        .update(check.over === 'body' ? call.body : `${call.url}${sortedForm(call.form)}`)
        .digest(check.encoding)
      const given = call.header(check.header)
      // Hex may be in upper case.
      const said = check.encoding === 'hex' ? given?.toLowerCase() : given
      const prefix = check.encoding === 'hex' ? check.prefix.toLowerCase() : check.prefix
      return isSame(said, `${prefix}${signature}`)
    }
    default:
      throw check satisfies never
  }
}

/** Each name followed by its values, sorted, as Twilio signs them. */
function sortedForm(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort()
  return names.map((name) => `${name}${[...new Set(form.getAll(name))].sort().join(name)}`).join('')
}

/** Hashed first, so that the comparison does not reveal the length. An empty secret never matches. */
function isSame(given: string | undefined, wanted: string): boolean {
  if (given === undefined || wanted === '') return false
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'))
}
