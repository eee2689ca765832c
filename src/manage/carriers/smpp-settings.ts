// The SMPP settings that few carriers need (docs/reference/carriers.md), as request bodies and responses.
import { z } from 'zod'
import { addressKey, isSenderAddress } from '../../domain/carriers/sender-address.ts'
import {
  DEFAULT_SMPP_SETTINGS,
  DESTINATION_FORMATS,
  FALLBACKS,
  isCertificate,
  isPrivateKey,
  OWN_TAGS,
  type SmppSettings,
  TLV_FORMS,
  type TlvRule,
  tlvBytes,
  VALIDITY_FORMS,
} from '../../domain/carriers/smpp/smpp-settings.ts'
import { RECEIPTS } from '../../domain/messages/report.ts'
import { applyPatch, fieldName, line } from '../fields.ts'

export const host = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'Must be a host name or an address')
export const port = z.number().int().min(1).max(65_535)
export const octetsField = z.string().regex(/^[!-~]*$/, 'Must consist of printable ASCII characters')
export const senderField = z
  .string()
  .refine(isSenderAddress, 'Must be up to 15 digits, or up to 11 printable ASCII characters with a letter among them')

const MAX_PEM_LENGTH = 20_000
const pem = (isOne: (text: string) => boolean, what: string) =>
  z.string().max(MAX_PEM_LENGTH).refine(isOne, `Must be ${what} in PEM`)
export const tlsKey = pem(isPrivateKey, 'a private key without a passphrase').nullable()

const octet = z.number().int().min(0).max(255)
const seconds = (least: number, most: number) => z.number().int().min(least).max(most)
const numbering = z.strictObject({ ton: octet.nullable(), npi: octet.nullable() })
const priority = z.number().int().min(0).max(3)

const MAX_HOSTS = 5
const MAX_SENDERS = 500
const MAX_TLVS = 10

const tag = z
  .string()
  .regex(/^0x[0-9A-Fa-f]{1,4}$/, 'Must be a tag such as 0x1400')
  .refine((text) => !OWN_TAGS.includes(Number(text)), 'Is reserved for long messages; choose another tag')

const tlv = z
  .strictObject({
    tag: tag.describe('Tag, such as 0x1400.'),
    form: z.enum(TLV_FORMS).default('text').describe('Encoding of the value.'),
    field: fieldName
      .nullable()
      .default(null)
      .describe('Name of a carrier field of the template or, without one, of the workspace.'),
    value: line(200).nullable().default(null).describe('Value if neither has the field.'),
  })
  .refine(({ field, value }) => field !== null || value !== null, 'Must have a field or a value')
  .refine(({ form, value }) => value === null || tlvBytes(form, value) !== null, {
    path: ['value'],
    message: 'Must match the form',
  })

/** Settings outside `smpp`. */
type TopLevelSetting =
  | 'host'
  | 'port'
  | 'tls'
  | 'systemId'
  | 'systemType'
  | 'bindMode'
  | 'answerIdFormat'
  | 'reportIdFormat'
  | 'receiptsByText'
  | 'alphabet'
  | 'longMessages'
  | 'sourceTon'
  | 'sourceNpi'
  | 'statusOverrides'
type NestedSetting = Exclude<keyof SmppSettings, TopLevelSetting>

const fields = {
  otherHosts: z
    .array(z.strictObject({ host, port }))
    .max(MAX_HOSTS)
    .describe('Further addresses to try if the first does not answer.'),
  tlsServerName: host.nullable().describe('Host name in the certificate of the carrier.'),
  tlsCa: pem(isCertificate, 'a certificate').nullable().describe('Certificate authority of the carrier, in PEM.'),
  tlsCertificate: pem(isCertificate, 'a certificate').nullable().describe('Client certificate, in PEM.'),
  connectSeconds: seconds(1, 120).describe('Timeout of a connection, in seconds.'),
  bindSeconds: seconds(1, 120).describe('Timeout of a bind, in seconds.'),
  enquireSeconds: seconds(1, 3600).describe('Seconds of silence before an enquire_link.'),
  enquireAnswerSeconds: seconds(1, 300).describe('Timeout of an enquire_link, in seconds.'),
  addressTon: octet.describe('addr_ton of the bind.'),
  addressNpi: octet.describe('addr_npi of the bind.'),
  addressRange: octetsField.max(40).describe('address_range of the bind.'),
  receivers: z.number().int().min(0).max(10).describe('Receivers beside the transmitters of separate binds.'),
  serviceType: octetsField.max(5).describe('service_type of each message.'),
  destinationFormat: z.enum(DESTINATION_FORMATS).describe('How destination numbers are written.'),
  destinationTon: octet.nullable().describe('dest_addr_ton.'),
  destinationNpi: octet.nullable().describe('dest_addr_npi.'),
  allowedSenders: z.array(senderField).max(MAX_SENDERS).describe('Senders that the carrier accepts.'),
  senderRewrites: z
    .record(line(100), senderField)
    .refine((table) => Object.keys(table).length <= MAX_SENDERS, `Must have at most ${MAX_SENDERS} entries`)
    .describe('Senders to replace, as an object of sender and replacement.'),
  senderTypes: z
    .strictObject({ number: numbering, shortCode: numbering, word: numbering })
    .describe('source_addr_ton and source_addr_npi by kind of sender.'),
  dataCodings: z
    .strictObject({ gsm: octet, latin1: octet, ascii: octet, ucs2: octet })
    .describe('data_coding by alphabet.'),
  fallback: z.enum(FALLBACKS).describe('Encoding of characters that the alphabet lacks.'),
  referenceBits: z
    .union([z.literal(8), z.literal(16)], 'Must be 8 or 16')
    .describe('Length of the reference of long messages, in bits.'),
  validity: z.enum(VALIDITY_FORMS).describe('How the validity period is written.'),
  validityMaxSeconds: seconds(60, 172_800)
    .nullable()
    .describe('Longest validity period that the carrier accepts, in seconds.'),
  receipts: z.enum(RECEIPTS).describe('Which segments of a message request a delivery receipt.'),
  priorities: z
    .strictObject({ otp: priority, transactional: priority, promotional: priority })
    .describe('priority_flag by message type.'),
  tlvs: z
    .array(tlv)
    .max(MAX_TLVS)
    .refine((some) => new Set(some.map((it) => Number(it.tag))).size === some.length, 'Must not name a tag twice')
    .describe('Optional parameters of each message, as a list of objects with a tag and a field or a value.'),
} satisfies { [Name in NestedSetting]: z.ZodType }

/** Explanations of defaults. */
const DEFAULT_TEXTS: Record<string, string> = {
  tlsServerName: 'the host',
  tlsCa: 'the authorities of the system',
  destinationTon: 'by the format',
  destinationNpi: '1',
  allowedSenders: 'all',
  senderTypes: 'by the sender',
  dataCodings: '0, 0, 0, 8',
  priorities: '0',
  validityMaxSeconds: 'no limit',
}

/** Defaults are in the description only: with a default in the schema, every change would reset the setting. */
function describeDefaults(some: typeof fields): typeof fields {
  const described = Object.entries(some).map(([name, field]) => {
    const value = JSON.stringify(DEFAULT_SMPP_SETTINGS[name as NestedSetting])
    const text = DEFAULT_TEXTS[name]
    return [name, field.describe(`${field.description} Default: \`${value}\`${text ? ` (${text})` : ''}.`)]
  })
  return Object.fromEntries(described)
}

/** Missing fields keep their value or default. */
export const smppChange = z
  .strictObject(describeDefaults(fields))
  .partial()
  .meta({ title: 'SmppSettings', description: 'Settings that few carriers need.' })
export const smppAnswer = z.object(fields).meta({
  title: 'SmppSettingsOfCarrier',
  description: 'Settings that few carriers need; docs/reference/carriers.md explains each.',
})

export function changeSmppSettings(before: SmppSettings, change: z.output<typeof smppChange> = {}): SmppSettings {
  const { tlvs, senderRewrites, ...rest } = change
  return {
    ...applyPatch(before, rest),
    ...(senderRewrites && { senderRewrites: keyed(senderRewrites) }),
    ...(tlvs && { tlvs: tlvs.map((it): TlvRule => ({ ...it, tag: Number(it.tag) })) }),
  }
}

/** Common settings at the top level, rare settings in `smpp`. */
export function smppView(settings: SmppSettings) {
  const { host, port, tls, systemId, systemType, bindMode, receiptsByText, alphabet, longMessages, ...less } = settings
  const { answerIdFormat: answers, reportIdFormat: reports, sourceTon, sourceNpi, statusOverrides, ...seldom } = less
  const tlvs = seldom.tlvs.map((it) => ({ ...it, tag: `0x${it.tag.toString(16).padStart(4, '0')}` }))
  return {
    ...{
      host,
      port,
      tls,
      systemId,
      systemType,
      bindMode,
      receiptsByText,
      alphabet,
      longMessages,
      sourceTon,
      sourceNpi,
    },
    idFormat: answers === reports ? answers : { answers, reports },
    statusOverrides,
    smpp: { ...seldom, tlvs },
    // A certificate always has a key.
    hasTlsKey: seldom.tlsCertificate !== null,
  }
}

/** Senders are compared without case and without a plus. */
function keyed(table: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([from, to]) => [addressKey(from), to]))
}
