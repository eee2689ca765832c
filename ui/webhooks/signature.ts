// Verifies the signature of a webhook request in the browser (§6.3): which v1 matches the secret, and how old the time is.
import { SIGNATURE_TOLERANCE_SECONDS } from '../../src/domain/webhooks/signature-tolerance.ts'

interface Pasted {
  /** Headers as they arrived, or the signature alone. */
  headers: string
  body: string
  secret: string
}

export interface Verdict {
  signedAt: Date
  /** Within the tolerance of an endpoint. */
  isFresh: boolean
  signatures: { v1: string; matches: boolean }[]
  /** The signature matches only without the final line breaks, which copying adds. */
  isTrimmed: boolean
}

const SIGNATURE = /\bt=(\d{1,12})((?:\s*,\s*v1=[0-9a-f]+)+)/i

/** Null where the pasted headers hold no signature. */
export async function checkSignature({ headers, body, secret }: Pasted, now: Date): Promise<Verdict | null> {
  const found = SIGNATURE.exec(headers)
  if (!found) return null
  const [, time = '', list = ''] = found
  const signatures = [...list.matchAll(/v1=([0-9a-f]+)/gi)].map(([, v1 = '']) => v1.toLowerCase())
  const exact = await sign(secret.trim(), `${time}.${body}`)
  const trimmed = await sign(secret.trim(), `${time}.${body.replace(/[\r\n]+$/, '')}`)
  const isTrimmed = !signatures.includes(exact) && signatures.includes(trimmed)
  const right = isTrimmed ? trimmed : exact
  const signedAt = new Date(Number(time) * 1000)
  return {
    signedAt,
    isFresh: Math.abs(now.getTime() - signedAt.getTime()) <= SIGNATURE_TOLERANCE_SECONDS * 1000,
    signatures: signatures.map((v1) => ({ v1, matches: v1 === right })),
    isTrimmed,
  }
}

/** D30: the key is the whole `whsec_…` string. */
async function sign(secret: string, text: string): Promise<string> {
  const { subtle } = crypto
  const bytes = new TextEncoder()
  const key = await subtle.importKey('raw', bytes.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signature = new Uint8Array(await subtle.sign('HMAC', key, bytes.encode(text)))
  return [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
