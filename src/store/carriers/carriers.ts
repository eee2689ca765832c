// Carriers: settings and sealed secrets.
import { strict as assert } from 'node:assert'
import type { Carrier, HttpCarrier, HttpSettings, SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { CommonSettings } from '../../domain/carriers/common-settings.ts'
import { type SmppSettings, smppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import type { Queries, Tx } from '../database/db.ts'
import { every, fragment, prepared, sql } from '../database/sql.ts'
import { idBelow, type Page } from '../pages.ts'

/** The seal is bound to this context, so that one carrier's secrets cannot be opened as another's. */
export function carrierSecretsContext(carrierId: string): string {
  return `carrier-secrets:${carrierId}`
}

interface Row extends CommonSettings, Pick<Carrier, 'id' | 'secretsSealed' | 'createdAt' | 'updatedAt'> {
  kind: Carrier['kind']
  smpp: SmppSettings | null
  http: HttpSettings | null
}

const columns = fragment`
  id, kind, name, binds, window_size as "window", answer_seconds as "answerSeconds",
  segments_per_second as "segmentsPerSecond", default_sender as "defaultSender", resend_unknown as "resendUnknown",
  break_after_unanswered as "breakAfterUnanswered", break_after_refused as "breakAfterRefused", enabled,
  secrets_sealed as "secretsSealed", created_at as "createdAt", updated_at as "updatedAt",
  (select settings from smpp_carrier where carrier_id = carrier.id) as smpp, (
    select jsonb_build_object('description', '{"preset": null, "onlyTo": []}'::jsonb || description, 'secretNames', secret_names,
      'callbackHash', callback_hash)
    from http_carrier where carrier_id = carrier.id
  ) as http`

/** Inserts or updates. */
export async function storeCarrier(tx: Tx, it: Carrier): Promise<void> {
  await tx.query(sql`
    insert into carrier (
      id, kind, name, binds, window_size, answer_seconds, segments_per_second, default_sender, resend_unknown,
      break_after_unanswered, break_after_refused, enabled, secrets_sealed, created_at, updated_at)
    values (
      ${it.id}, ${it.kind}, ${it.name}, ${it.binds}, ${it.window}, ${it.answerSeconds}, ${it.segmentsPerSecond},
      ${it.defaultSender}, ${it.resendUnknown}, ${it.breakAfterUnanswered}, ${it.breakAfterRefused}, ${it.enabled},
      ${it.secretsSealed}, ${it.createdAt}, ${it.updatedAt})
    on conflict (id) do update set (
      name, binds, window_size, answer_seconds, segments_per_second, default_sender, resend_unknown,
      break_after_unanswered, break_after_refused, enabled, secrets_sealed, updated_at) = (
      excluded.name, excluded.binds, excluded.window_size, excluded.answer_seconds, excluded.segments_per_second,
      excluded.default_sender, excluded.resend_unknown, excluded.break_after_unanswered, excluded.break_after_refused,
      excluded.enabled, excluded.secrets_sealed, excluded.updated_at)`)
  await (it.kind === 'smpp' ? storeSmpp(tx, it) : storeHttp(tx, it))
}

async function storeSmpp(tx: Tx, { id, smpp }: SmppCarrier): Promise<void> {
  await tx.query(sql`
    insert into smpp_carrier (carrier_id, settings) values (${id}, ${smpp})
    on conflict (carrier_id) do update set settings = excluded.settings`)
}

async function storeHttp(tx: Tx, { id, http }: HttpCarrier): Promise<void> {
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
  const rows = await db.query<Row>(sql`select ${columns} from carrier where id = ${id}`)
  return rows[0] ? fromRow(rows[0]) : null
}

/** Finds the carrier by its address for delivery-receipt callbacks. */
export async function findCarrierByCallback(db: Queries, callbackHash: string): Promise<HttpCarrier | null> {
  const rows = await db.query<Row>(sql`
    select ${columns} from carrier where id = (select carrier_id from http_carrier where callback_hash = ${callbackHash})`)
  const carrier = rows[0] ? fromRow(rows[0]) : null
  return carrier?.kind === 'http' ? carrier : null
}

/** The oldest SMPP carrier whose system id has the prefix, else the SMPP carrier with that name. */
export async function findSmppCarrier(
  db: Queries,
  { systemIdPrefix, name }: { systemIdPrefix: string; name: string },
): Promise<SmppCarrier | null> {
  const rows = await db.query<Row>(sql`
    select ${columns} from carrier join smpp_carrier on carrier_id = id
    where starts_with(settings ->> 'systemId', ${systemIdPrefix}) or name = ${name}
    order by starts_with(settings ->> 'systemId', ${systemIdPrefix}) desc, id limit 1`)
  const carrier = rows[0] ? fromRow(rows[0]) : null
  return carrier?.kind === 'smpp' ? carrier : null
}

/** Locks in a separate statement: a statement that waits for a lock reads the other tables as of its start. */
export async function lockCarrier(tx: Tx, id: string): Promise<Carrier | null> {
  await tx.query(sql`select from carrier where id = ${id} for no key update`)
  return findCarrier(tx, id)
}

export async function listCarriers(db: Queries, { before, limit }: Page): Promise<Carrier[]> {
  const rows = await db.query<Row>(sql`
    select ${columns} from carrier where ${every([idBelow(before)])}
    order by id desc limit ${limit}`)
  return rows.map(fromRow)
}

export async function listAllCarriers(db: Queries): Promise<Carrier[]> {
  const rows = await db.query<Row>(prepared(sql`select ${columns} from carrier order by id`))
  return rows.map(fromRow)
}

export async function listCarrierNames(db: Queries): Promise<string[]> {
  const rows = await db.query<{ name: string }>(prepared(sql`select name from carrier`))
  return rows.map(({ name }) => name)
}

function fromRow({ kind, smpp, http, ...rest }: Row): Carrier {
  if (kind === 'smpp') {
    assert(smpp, 'SMPP carrier has no settings')
    return { ...rest, kind, smpp: smppSettings(smpp) }
  }
  assert(http, 'HTTP carrier has no description')
  return { ...rest, kind, http }
}
