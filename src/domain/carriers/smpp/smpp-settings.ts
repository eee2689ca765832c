// The settings of an SMPP carrier and their defaults. docs/reference/carriers.md lists the SMPP field of each setting.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { MessageType } from '../../message-type.ts'
import type { Receipts, ReportOverrides, StateOverrides } from '../../messages/report.ts'
import type { AnswerOverride } from '../../messages/submission.ts'
import type { SenderAddress } from '../sender-address.ts'

export const ID_FORMATS = ['opaque', 'hex', 'decimal'] as const
export const CARRIER_ALPHABETS = ['gsm', 'latin1', 'ascii'] as const
export const LONG_MESSAGES = ['udh', 'sar', 'payload'] as const
export const BIND_MODES = ['transceiver', 'separate'] as const
export const DESTINATION_FORMATS = ['international', 'plus', 'zeros', 'national'] as const
export const VALIDITY_FORMS = ['relative', 'absolute', 'none'] as const
export const FALLBACKS = ['ucs2', 'nearest'] as const
export const TLV_FORMS = ['text', 'cString', 'uint8', 'uint16', 'uint32', 'hex'] as const

/** TON and NPI of a kind of address; null uses the SMPP default. */
interface Numbering {
  ton: number | null
  npi: number | null
}

/** D57: the value is the template's field, else the workspace's, else the constant. Without a value the TLV is left out. */
export interface TlvRule {
  tag: number
  form: (typeof TLV_FORMS)[number]
  field: string | null
  value: string | null
}

/** The carrier's own meanings of answers and receipts. */
export interface StatusOverrides {
  answers: Record<string, AnswerOverride>
  reports: ReportOverrides
  states: StateOverrides
}

/** Settings that need a new connection. */
interface LinkSettings {
  host: string
  port: number
  tls: boolean
  systemId: string
  systemType: string
  bindMode: (typeof BIND_MODES)[number]
  /** Tried in order if the first host does not accept the connection. */
  otherHosts: { host: string; port: number }[]
  /** The name in the carrier's certificate; null is the host. */
  tlsServerName: string | null
  /** PEM: the CA that replaces the system's CAs, and our client certificate. */
  tlsCa: string | null
  tlsCertificate: string | null
  connectSeconds: number
  bindSeconds: number
  enquireSeconds: number
  enquireAnswerSeconds: number
  addressTon: number
  addressNpi: number
  addressRange: string
}

export interface SmppSettings extends LinkSettings {
  answerIdFormat: (typeof ID_FORMATS)[number]
  reportIdFormat: (typeof ID_FORMATS)[number]
  /** Whether a receipt may be recognised by its text alone. */
  receiptsByText: boolean
  alphabet: (typeof CARRIER_ALPHABETS)[number]
  longMessages: (typeof LONG_MESSAGES)[number]
  sourceTon: number | null
  sourceNpi: number | null
  statusOverrides: StatusOverrides
  /** With separate binds: the number of receivers. */
  receivers: number
  serviceType: string
  destinationFormat: (typeof DESTINATION_FORMATS)[number]
  destinationTon: number | null
  destinationNpi: number | null
  allowedSenders: string[]
  senderRewrites: Record<string, string>
  senderTypes: Record<SenderAddress['kind'], Numbering>
  dataCodings: { gsm: number; latin1: number; ascii: number; ucs2: number }
  /** How to send a text that the carrier's alphabet cannot encode. */
  fallback: (typeof FALLBACKS)[number]
  referenceBits: 8 | 16
  validity: (typeof VALIDITY_FORMS)[number]
  validityMaxSeconds: number | null
  receipts: Receipts
  priorities: Record<MessageType, number>
  tlvs: TlvRule[]
}

const BY_KIND: Numbering = { ton: null, npi: null }

/** The account with the carrier, which has no defaults. */
export type SmppAccount = Pick<SmppSettings, 'host' | 'port' | 'systemId'>

const USUAL_LINK: Omit<LinkSettings, keyof SmppAccount> = {
  tls: false,
  systemType: '',
  bindMode: 'transceiver',
  otherHosts: [],
  tlsServerName: null,
  tlsCa: null,
  tlsCertificate: null,
  connectSeconds: 10,
  bindSeconds: 10,
  enquireSeconds: 30,
  enquireAnswerSeconds: 10,
  addressTon: 0,
  addressNpi: 0,
  addressRange: '',
}

export const DEFAULT_SMPP_SETTINGS: Omit<SmppSettings, keyof SmppAccount> = {
  ...USUAL_LINK,
  answerIdFormat: 'opaque',
  reportIdFormat: 'opaque',
  receiptsByText: false,
  alphabet: 'gsm',
  longMessages: 'udh',
  sourceTon: null,
  sourceNpi: null,
  statusOverrides: { answers: {}, reports: {}, states: {} },
  receivers: 1,
  serviceType: '',
  destinationFormat: 'international',
  destinationTon: null,
  destinationNpi: null,
  allowedSenders: [],
  senderRewrites: {},
  senderTypes: { number: BY_KIND, shortCode: BY_KIND, word: BY_KIND },
  dataCodings: { gsm: 0, latin1: 0, ascii: 0, ucs2: 8 },
  fallback: 'ucs2',
  referenceBits: 8,
  validity: 'relative',
  validityMaxSeconds: null,
  receipts: 'each',
  priorities: { otp: 0, transactional: 0, promotional: 0 },
  tlvs: [],
}

/** Stored settings of an older release may lack fields. */
export function smppSettings(stored: SmppAccount & Partial<SmppSettings>): SmppSettings {
  const { states = {}, ...overrides } = stored.statusOverrides ?? DEFAULT_SMPP_SETTINGS.statusOverrides
  return { ...DEFAULT_SMPP_SETTINGS, ...stored, statusOverrides: { ...overrides, states } }
}

export function connectionSettingsOf(settings: SmppSettings): LinkSettings {
  const names = ['host', 'port', 'systemId', ...Object.keys(USUAL_LINK)] as (keyof LinkSettings)[]
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as unknown as LinkSettings
}

/** Tags that Hulaki writes itself (SMPP 3.4 §5.3.2): sar_*, message_payload. */
export const OWN_TAGS: readonly number[] = [0x020c, 0x020e, 0x020f, 0x0424]

const LARGEST = { uint8: 0xff, uint16: 0xffff, uint32: 0xffffffff }

/** null if the value does not have that form. */
export function tlvBytes(form: TlvRule['form'], value: string): Buffer | null {
  switch (form) {
    case 'text':
      return /^[ -~]+$/.test(value) ? Buffer.from(value, 'latin1') : null
    case 'cString':
      return /^[ -~]+$/.test(value) ? Buffer.from(`${value}\0`, 'latin1') : null
    case 'hex':
      return /^([0-9a-f]{2})+$/i.test(value) ? Buffer.from(value, 'hex') : null
    case 'uint8':
    case 'uint16':
    case 'uint32': {
      if (!/^\d{1,10}$/.test(value) || Number(value) > LARGEST[form]) return null
      const bytes = Buffer.alloc(Number(form.slice(4)) / 8)
      bytes.writeUIntBE(Number(value), 0, bytes.length)
      return bytes
    }
    default:
      throw form satisfies never
  }
}

export function isCertificate(pem: string): boolean {
  return attempt(() => new X509Certificate(pem)) !== null
}

export function isPrivateKey(pem: string): boolean {
  return attempt(() => createPrivateKey(pem)) !== null
}

/** The error if the certificate and the key are incomplete or do not match. */
export function tlsError({ certificate, key }: { certificate: string | null; key: string | null }): string | null {
  if (certificate === null && key === null) return null
  if (certificate === null) return 'A key needs its certificate in smpp.tlsCertificate'
  if (key === null) return 'A certificate needs its key in tlsKey'
  const isPair = attempt(() => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
  return isPair ? null : 'The key in tlsKey does not match the certificate'
}

function attempt<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
