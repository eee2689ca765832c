// The settings of a carrier that few carriers need (docs/carriers.md), as the management API takes and shows them.
import { z } from 'zod'
import { addressKey, isSenderAddress } from '../../domain/carriers/sender-address.ts'
import {
  DESTINATION_FORMATS,
  FALLBACKS,
  isCertificate,
  isPrivateKey,
  OWN_TAGS,
  type SmppSettings,
  TLV_FORMS,
  type TlvRule,
  tlvBytes,
  USUAL_SMPP,
  VALIDITY_FORMS,
} from '../../domain/carriers/smpp/smpp-settings.ts'
import { RECEIPTS } from '../../domain/messages/report.ts'
import { fieldName, line } from '../fields.ts'

export const host = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'Must be a host name or an address')
export const port = z.number().int().min(1).max(65_535)
export const octetsField = z.string().regex(/^[!-~]*$/, 'Must consist of printable ASCII characters')
export const senderField = z
  .string()
  .refine(isSenderAddress, 'Must be up to 15 digits, or up to 11 printable ASCII characters with a letter among them')

const LONGEST_PEM = 20_000
const pem = (isOne: (text: string) => boolean, what: string) =>
  z.string().max(LONGEST_PEM).refine(isOne, `Must be ${what} in PEM`)
export const tlsKey = pem(isPrivateKey, 'a private key without a passphrase').nullable()

const octet = z.number().int().min(0).max(255)
const seconds = (least: number, most: number) => z.number().int().min(least).max(most)
const numbering = z.strictObject({ ton: octet.nullable(), npi: octet.nullable() })
const priority = z.number().int().min(0).max(3)

const MOST_HOSTS = 5
const MOST_SENDERS = 500
const MOST_TLVS = 10

const tag = z
  .string()
  .regex(/^0x[0-9A-Fa-f]{1,4}$/, 'Must be a tag such as 0x1400')
  .refine((text) => !OWN_TAGS.includes(Number(text)), 'Is a tag that is written for long messages')

const tlv = z
  .strictObject({
    tag,
    form: z.enum(TLV_FORMS).default('text'),
    field: fieldName.nullable().default(null).describe('Of the template, else of the workspace.'),
    value: line(200).nullable().default(null).describe('Where neither has the field.'),
  })
  .refine(({ field, value }) => field !== null || value !== null, 'Must have a field or a value')
  .refine(({ form, value }) => value === null || tlvBytes(form, value) !== null, {
    path: ['value'],
    message: 'Must fit the form',
  })

/** The settings that stand beside `smpp`. */
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
  otherHosts: z.array(z.strictObject({ host, port })).max(MOST_HOSTS),
  tlsServerName: host.nullable(),
  tlsCa: pem(isCertificate, 'a certificate').nullable(),
  tlsCertificate: pem(isCertificate, 'a certificate').nullable(),
  connectSeconds: seconds(1, 120),
  bindSeconds: seconds(1, 120),
  enquireSeconds: seconds(1, 3600),
  enquireAnswerSeconds: seconds(1, 300),
  addressTon: octet,
  addressNpi: octet,
  addressRange: octetsField.max(40),
  receivers: z.number().int().min(0).max(10),
  serviceType: octetsField.max(5),
  destinationFormat: z.enum(DESTINATION_FORMATS),
  destinationTon: octet.nullable(),
  destinationNpi: octet.nullable(),
  allowedSenders: z.array(senderField).max(MOST_SENDERS),
  senderRewrites: z
    .record(line(100), senderField)
    .refine((table) => Object.keys(table).length <= MOST_SENDERS, `Must have at most ${MOST_SENDERS} entries`),
  senderTypes: z.strictObject({ number: numbering, shortCode: numbering, word: numbering }),
  dataCodings: z.strictObject({ gsm: octet, latin1: octet, ascii: octet, ucs2: octet }),
  fallback: z.enum(FALLBACKS),
  referenceBits: z.union([z.literal(8), z.literal(16)], 'Must be 8 or 16'),
  validity: z.enum(VALIDITY_FORMS),
  validityMaxSeconds: seconds(60, 172_800).nullable(),
  receipts: z.enum(RECEIPTS),
  priorities: z.strictObject({ otp: priority, transactional: priority, promotional: priority }),
  tlvs: z
    .array(tlv)
    .max(MOST_TLVS)
    .refine((some) => new Set(some.map((it) => Number(it.tag))).size === some.length, 'Must not name a tag twice'),
} satisfies { [Name in NestedSetting]: z.ZodType }

/** With what holds for a new carrier where it is left out: no default of the schema, for a change would set it again. */
function withUsual(some: typeof fields): typeof fields {
  const told = Object.entries(some).map(([name, field]) => {
    const usual = JSON.stringify(USUAL_SMPP[name as NestedSetting])
    return [name, field.describe(`A new carrier without it has \`${usual}\`.`)]
  })
  return Object.fromEntries(told)
}

/** What is named; the rest stays, or is as usual. */
export const smppChange = z.strictObject(withUsual(fields)).partial().meta({ title: 'SmppSettings' })
export const smppAnswer = z.object(fields).meta({
  title: 'SmppSettingsOfCarrier',
  description: 'What few carriers want otherwise; docs/carriers.md tells each.',
})

export function smppChanged(before: SmppSettings, change: z.output<typeof smppChange> = {}): SmppSettings {
  const { tlvs, senderRewrites, ...rest } = change
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    ...before,
    ...given,
    ...(senderRewrites && { senderRewrites: keyed(senderRewrites) }),
    ...(tlvs && { tlvs: tlvs.map((it): TlvRule => ({ ...it, tag: Number(it.tag) })) }),
  }
}

/** As the API shows them: those that most carriers need by themselves, the others in `smpp`. */
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
    // A certificate is never without its key.
    hasTlsKey: seldom.tlsCertificate !== null,
  }
}

/** Senders are the same in either case, and with or without a plus. */
function keyed(table: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([from, to]) => [addressKey(from), to]))
}
