// A service whose accept lane is full for one client, and a connection of that client.
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { type Answer, ownService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

/** A body that only a parser can distinguish from a valid body. */
export const UNREAD = 'no message'

/** The lane is full until `release` is called. */
export async function overloaded(service: TestService) {
  const narrow = await ownService({ beside: service, batching: { maxWaiting: 5 } })
  const client = await makeClient(narrow)
  const letGo = await holdWorkspace(service, client.workspaceId)
  // A send that meets the held row moves to a lane of its workspace. Until then the common lane fills and empties.
  const sends: Promise<Answer>[] = [client.send()]
  await until(() => isSendWaitingAside(service))
  await until(async () => {
    sends.push(client.send())
    return (await client.post('/sms/send', UNREAD)).status === 503
  })
  const { hostname, port } = new URL(narrow.url)
  const socket = connect(Number(port), hostname)
  const request = `POST /api/sms/v1/sms/send HTTP/1.1\r\nhost: x\r\nx-api-key: ${client.apiKey}\r\ncontent-length: 2\r\n\r\n{}`
  const answer = async () => {
    const [bytes] = await once(socket, 'data')
    return String(bytes)
  }
  const release = async () => {
    await letGo()
    await Promise.all(sends)
  }
  return { narrow, socket, request, answer, release }
}

/** A send waits for a row in the common lane at most a quarter of a second. */
export async function isSendWaitingAside({ db }: TestService): Promise<boolean> {
  const waiting = await db.query(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and clock_timestamp() - query_start > interval '1 second'`)
  return waiting.length > 0
}
