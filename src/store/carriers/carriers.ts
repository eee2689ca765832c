// Carriers: where an SMSC is, how to bind there, and how it likes its messages; of one that speaks HTTP, its description.
import type { BreakAfter } from '../../domain/carriers/carrier-health.ts'
import type { HttpDescription } from '../../domain/carriers/http/description.ts'
import { type SmppSettings, smppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import type { ReportOverrides, StateOverrides } from '../../domain/messages/report.ts'
import type { AnswerOverride } from '../../domain/messages/submission.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, part, sql } from '../database/sql.ts'
import type { Page } from '../workspaces/workspaces.ts'

export const CARRIER_KINDS = ['smpp', 'http'] as const
export const ID_FORMATS = ['opaque', 'hex', 'decimal'] as const
export const CARRIER_ALPHABETS = ['gsm', 'latin1', 'ascii'] as const
export const LONG_MESSAGES = ['udh', 'sar', 'payload'] as const
export const BIND_MODES = ['transceiver', 'separate'] as const

export interface CarrierSettings extends BreakAfter {
  kind: (typeof CARRIER_KINDS)[number]
  /** Of the kind http alone; what is of SMPP then means nothing. */
  http: HttpCarrier | null
  name: string
  host: string
  port: number
  tls: boolean
  systemId: string
  /** Of the kind http, all its secrets in one. */
  passwordSealed: Buffer
  systemType: string
  bindMode: (typeof BIND_MODES)[number]
  binds: number
  window: number
  answerSeconds: number
  /** null is unlimited. */
  segmentsPerSecond: number | null
  answerIdFormat: (typeof ID_FORMATS)[number]
  reportIdFormat: (typeof ID_FORMATS)[number]
  /** Whether its receipts may be known by their text alone. */
  receiptsByText: boolean
  alphabet: (typeof CARRIER_ALPHABETS)[number]
  longMessages: (typeof LONG_MESSAGES)[number]
  sourceTon: number | null
  sourceNpi: number | null
  /** D34: for messages whose own sender cannot be sent. */
  defaultSender: string | null
  statusOverrides: StatusOverrides
  resendUnknown: boolean
  /** What few want otherwise. */
  smpp: SmppSettings
  /** Of the certificate that we show ourselves by. */
  tlsKeySealed: Buffer | null
  enabled: boolean
}

export interface StatusOverrides {
  answers: Record<string, AnswerOverride>
  reports: ReportOverrides
  states: StateOverrides
}

/** D48, D50: the values of the secrets are sealed, their names are not. */
export interface HttpCarrier {
  description: HttpDescription
  secretNames: string[]
  /** D52: of the address that it calls with receipts; null where it calls none. */
  callbackHash: string | null
}

export interface Carrier extends CarrierSettings {
  id: string
  createdAt: Date
  updatedAt: Date
}

/** What a sealed password is bound to: it opens for this carrier and nowhere else. */
export function carrierPasswordContext(carrierId: string): string {
  return `carrier-password:${carrierId}`
}

export function carrierKeyContext(carrierId: string): string {
  return `carrier-tls-key:${carrierId}`
}

const columns = part`
  id, kind, (
    select jsonb_build_object('description', '{"preset": null, "onlyTo": []}'::jsonb || description, 'secretNames', secret_names,
      'callbackHash', callback_hash)
    from http_carrier where carrier_id = carrier.id
  ) as http, name, host, port, tls, system_id as "systemId", password_sealed as "passwordSealed", system_type as "systemType",
  bind_mode as "bindMode", binds, window_size as "window", answer_seconds as "answerSeconds",
  segments_per_second as "segmentsPerSecond", answer_id_format as "answerIdFormat", report_id_format as "reportIdFormat",
  receipts_by_text as "receiptsByText", alphabet, long_messages as "longMessages", source_ton as "sourceTon",
  source_npi as "sourceNpi", default_sender as "defaultSender", status_overrides as "statusOverrides",
  resend_unknown as "resendUnknown", break_after_unanswered as "breakAfterUnanswered",
  break_after_refused as "breakAfterRefused", smpp_settings as smpp, tls_key_sealed as "tlsKeySealed", enabled,
  created_at as "createdAt", updated_at as "updatedAt"`

export async function insertCarrier(tx: Tx, it: Carrier): Promise<void> {
  await tx.query(sql`
    insert into carrier (
      id, kind, name, host, port, tls, system_id, password_sealed, system_type, bind_mode, binds, window_size, answer_seconds,
      segments_per_second, answer_id_format, report_id_format, receipts_by_text, alphabet, long_messages, source_ton,
      source_npi, default_sender, status_overrides, resend_unknown, break_after_unanswered, break_after_refused,
      smpp_settings, tls_key_sealed, enabled, created_at, updated_at)
    values (
      ${it.id}, ${it.kind}, ${it.name}, ${it.host}, ${it.port}, ${it.tls}, ${it.systemId}, ${it.passwordSealed}, ${it.systemType},
      ${it.bindMode}, ${it.binds}, ${it.window}, ${it.answerSeconds}, ${it.segmentsPerSecond}, ${it.answerIdFormat},
      ${it.reportIdFormat}, ${it.receiptsByText}, ${it.alphabet}, ${it.longMessages}, ${it.sourceTon}, ${it.sourceNpi},
      ${it.defaultSender},
      ${it.statusOverrides}, ${it.resendUnknown}, ${it.breakAfterUnanswered}, ${it.breakAfterRefused},
      ${it.smpp}, ${it.tlsKeySealed}, ${it.enabled}, ${it.createdAt}, ${it.updatedAt})`)
  await storeDescription(tx, it)
}

export async function updateCarrier(tx: Tx, it: CarrierSettings & { id: string; updatedAt: Date }): Promise<void> {
  await tx.query(sql`
    update carrier set
      name = ${it.name}, host = ${it.host}, port = ${it.port}, tls = ${it.tls}, system_id = ${it.systemId},
      password_sealed = ${it.passwordSealed}, system_type = ${it.systemType}, bind_mode = ${it.bindMode},
      binds = ${it.binds}, window_size = ${it.window}, answer_seconds = ${it.answerSeconds},
      segments_per_second = ${it.segmentsPerSecond}, answer_id_format = ${it.answerIdFormat},
      report_id_format = ${it.reportIdFormat}, receipts_by_text = ${it.receiptsByText}, alphabet = ${it.alphabet},
      long_messages = ${it.longMessages}, source_ton = ${it.sourceTon}, source_npi = ${it.sourceNpi},
      default_sender = ${it.defaultSender}, status_overrides = ${it.statusOverrides},
      resend_unknown = ${it.resendUnknown}, break_after_unanswered = ${it.breakAfterUnanswered},
      break_after_refused = ${it.breakAfterRefused}, smpp_settings = ${it.smpp}, tls_key_sealed = ${it.tlsKeySealed},
      enabled = ${it.enabled}, updated_at = ${it.updatedAt}
    where id = ${it.id}`)
  await storeDescription(tx, it)
}

async function storeDescription(tx: Tx, { id, http }: Pick<Carrier, 'id' | 'http'>): Promise<void> {
  if (http === null) return
  await tx.query(sql`
    insert into http_carrier (carrier_id, description, secret_names, callback_hash)
    values (${id}, ${http.description}, ${http.secretNames}::text[], ${http.callbackHash})
    on conflict (carrier_id) do update set
      description = excluded.description, secret_names = excluded.secret_names, callback_hash = excluded.callback_hash`)
}

export async function deleteCarrier(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from carrier where id = ${id}`)
}

export async function findCarrier(db: Queries, id: string): Promise<Carrier | null> {
  const rows = await db.query<Carrier>(sql`select ${columns} from carrier where id = ${id}`)
  return rows[0] ? fromRow(rows[0]) : null
}

/** Whose address for receipts this is. */
export async function findCarrierByCallback(db: Queries, callbackHash: string): Promise<Carrier | null> {
  const rows = await db.query<Carrier>(sql`
    select ${columns} from carrier where id = (select carrier_id from http_carrier where callback_hash = ${callbackHash})`)
  return rows[0] ?? null
}

/** The oldest whose account begins so, else the one of that name. */
export async function findCarrierOf(
  db: Queries,
  { systemId, name }: { systemId: string; name: string },
): Promise<Carrier | null> {
  const rows = await db.query<Carrier>(sql`
    select ${columns} from carrier where starts_with(system_id, ${systemId}) or name = ${name}
    order by starts_with(system_id, ${systemId}) desc, id limit 1`)
  return rows[0] ? fromRow(rows[0]) : null
}

export async function lockCarrier(tx: Tx, id: string): Promise<Carrier | null> {
  const rows = await tx.query<Carrier>(sql`select ${columns} from carrier where id = ${id} for no key update`)
  return rows[0] ? fromRow(rows[0]) : null
}

export async function listCarriers(db: Queries, { before, limit }: Page): Promise<Carrier[]> {
  const rows = await db.query<Carrier>(sql`
    select ${columns} from carrier where ${every([before === null ? null : part`id < ${before}`])}
    order by id desc limit ${limit}`)
  return rows.map(fromRow)
}

export async function listAllCarriers(db: Queries): Promise<Carrier[]> {
  const rows = await db.query<Carrier>(sql`select ${columns} from carrier order by id`)
  return rows.map(fromRow)
}

/** What it was stored with may be of a release that knew fewer settings. */
function fromRow(row: Carrier): Carrier {
  const { statusOverrides } = row
  return {
    ...row,
    smpp: smppSettings(row.smpp),
    statusOverrides: { ...statusOverrides, states: statusOverrides.states ?? {} },
  }
}
