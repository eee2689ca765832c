// Packet captures of carrier traffic: requested by an operator, recorded by the connected processes (D60).
import type { Queries } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

export interface OpenCapture {
  id: string
  carrierId: string
  endsAt: Date
}

export interface CarrierCapture extends OpenCapture {
  startedAt: Date
  frames: number
}

/** Without passwords and OTPs (D60). */
export interface CapturedFrame {
  /** Counts from 1 per process. The first frames are missing if the process captured more than it keeps. */
  nth: number
  at: Date
  bind: number
  outgoing: boolean
  bytes: Buffer
  decoded: Record<string, unknown>
  /** Number of the HTTP exchange; null for a protocol with a permanent connection. */
  exchange: number | null
  /** True if the carrier called us. */
  called: boolean
}

export type StoredFrame = CapturedFrame & { processId: string }

export async function insertCapture(db: Queries, it: OpenCapture & { startedAt: Date }): Promise<void> {
  await db.query(sql`
    insert into carrier_capture (id, carrier_id, started_at, ends_at)
    values (${it.id}, ${it.carrierId}, ${it.startedAt}, ${it.endsAt})`)
}

export function listOpenCaptures(db: Queries, now: Date): Promise<OpenCapture[]> {
  return db.query<OpenCapture>(sql`
    select id, carrier_id as "carrierId", ends_at as "endsAt" from carrier_capture where ends_at > ${now} order by id`)
}

/** Does nothing if the capture has been deleted. */
export async function insertFrames(
  db: Queries,
  { captureId, processId, frames }: { captureId: string; processId: string; frames: CapturedFrame[] },
): Promise<void> {
  if (frames.length === 0) return
  await db.query(sql`
    insert into captured_frame (capture_id, process_id, sequence, at, bind, outgoing, bytes, decoded, exchange, is_callback)
    select ${captureId}::uuid, ${processId}::uuid, frame.* from unnest(
      ${frames.map((it) => it.nth)}::int[], ${frames.map((it) => it.at)}::timestamptz[],
      ${frames.map((it) => it.bind)}::smallint[], ${frames.map((it) => it.outgoing)}::boolean[],
      ${frames.map((it) => it.bytes)}::bytea[], ${frames.map((it) => it.decoded)}::jsonb[],
      ${frames.map((it) => it.exchange)}::int[], ${frames.map((it) => it.called)}::boolean[]
    ) as frame (sequence, at, bind, outgoing, bytes, decoded, exchange, is_callback)
    where exists (select from carrier_capture where id = ${captureId})
    on conflict (capture_id, process_id, sequence) do nothing`)
}

const columns = fragment`
  id, carrier_id as "carrierId", started_at as "startedAt", ends_at as "endsAt",
  (select count(*) from captured_frame where capture_id = carrier_capture.id) as frames`

/** Newest first. */
export function listCaptures(db: Queries, carrierId: string): Promise<CarrierCapture[]> {
  return db.query<CarrierCapture>(sql`
    select ${columns} from carrier_capture where carrier_id = ${carrierId} order by id desc limit 100`)
}

export async function findCapture(
  db: Queries,
  { id, carrierId }: { id: string; carrierId: string },
): Promise<CarrierCapture | null> {
  const rows = await db.query<CarrierCapture>(sql`
    select ${columns} from carrier_capture where id = ${id} and carrier_id = ${carrierId}`)
  return rows[0] ?? null
}

/** Bounds memory: a reader loads the frames of all processes at once. */
const MAX_READ_BYTES = 8_000_000

/** The latest frames, oldest first. */
export function listFrames(db: Queries, captureId: string): Promise<StoredFrame[]> {
  return db.query<StoredFrame>(sql`
    select process_id as "processId", sequence as nth, at, bind, outgoing, bytes, decoded, exchange, is_callback as called from (
      select *, sum(octet_length(bytes) + octet_length(decoded::text)) over (order by at desc, process_id desc, sequence desc) as weight
      from captured_frame where capture_id = ${captureId}
    ) as frame
    where weight <= ${MAX_READ_BYTES} order by at, process_id, sequence`)
}
