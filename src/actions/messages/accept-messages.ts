// The accept lanes (§4.1, §4.2): sends are accepted in batches, fair by workspace and client (D43). A locked workspace delays no other.
import { availableParallelism } from 'node:os'
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import { messageTrace } from '../../domain/messages/message-trace.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import { OVERLOADED, Refusal } from '../../domain/refusals.ts'
import { Batcher, type Batching } from '../../runtime/batcher.ts'
import { countBy } from '../../runtime/count-by.ts'
import { HeldLanes } from '../../runtime/held-lanes.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { EndedSpan } from '../../runtime/tracer.ts'
import { isLockTimeout, retryDecision } from '../../store/database/db.ts'
import { drawCode } from '../codes/draw-code.ts'
import type { Accepted } from '../idempotency.ts'
import type { Ports } from '../ports.ts'
import { TemplateCache } from '../templates/template-cache.ts'
import type { Asker } from '../workspaces/admit-request.ts'
import {
  type AcceptContext,
  acceptBatch,
  acceptUnlocked,
  LOCKED,
  type ReadySendJob,
  type SendJob,
} from './accept-batch.ts'
import { Explainer } from './explain-refusals.ts'
import { WatchedBacklog } from './watch-backlog.ts'

export interface AcceptMessage {
  (job: SendJob): Promise<Accepted | Refusal>
  /** False while no client can be overloaded. */
  isCrowded: () => boolean
  /** True while every send of this kind by this client is refused. */
  isOverloaded: (client: Asker, kind: SendRequest['kind']) => boolean
}

/** A lane keeps two cores busy, one here and one in PostgreSQL. More lanes only make the batches smaller. */
export const ACCEPT_LANES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))

/** A batch of a few sends costs as much as one of fifty, so batches of more than four start at least 12 ms apart. */
const ACCEPT_PACE = { everyMs: 12, few: 4, enough: 100 }

interface AcceptOptions {
  log: Log
  batching: Batching
  metrics: Metrics
}

export function createAcceptance(ports: Ports, { log, batching, metrics }: AcceptOptions): AcceptMessage {
  const templateCache = new TemplateCache()
  const context: AcceptContext = {
    ports,
    log,
    templateCache,
    backlog: new WatchedBacklog(ports),
    startedAt: ports.clock.now(),
    onAccepted: countAccepted(ports, metrics),
  }
  const common = {
    ...batching,
    fairBy: ({ client }: { client: Asker }) => [client.workspaceId, client.id],
    whenFull: () => OVERLOADED,
    onError: retryDecision,
  }
  const shared = (kind: SendRequest['kind']) =>
    new Batcher<ReadySendJob, Accepted | Refusal | typeof LOCKED, { client: Asker }>({
      ...common,
      lanes: ACCEPT_LANES,
      pace: ACCEPT_PACE,
      // All sends of a workspace share a lane, so they never wait for each other's lock.
      laneOf: ({ client }) => Number.parseInt(client.workspaceId.slice(-6), 16),
      onBatch: metrics.batchObserver(`accept_${kind}`),
      run: (batch) =>
        acceptBatch(context, ports.acceptDb, batch)
          .catch(onLockTimeout(() => acceptUnlocked(context, ports.acceptDb, batch)))
          // Another lock is held, for example of an OTP that is being verified: each send then waits in the lane of its workspace.
          .catch(onLockTimeout(async () => batch.map(() => LOCKED))),
    })
  // The fraud guard runs before each batch of OTPs and must not delay other messages.
  const lanes = { text: shared('text'), otp: shared('otp') }
  const alone = new HeldLanes<ReadySendJob, Accepted | Refusal, { client: Asker }>(({ client }) => client.workspaceId, {
    ...common,
    onBatch: metrics.batchObserver('accept_locked'),
    run: (batch) => acceptBatch(context, ports.db, batch),
  })
  const explainer = new Explainer(ports, templateCache)
  const accept = async (requested: SendJob): Promise<Accepted | Refusal> => {
    const job = { ...requested, code: drawCode(ports, requested.client, requested.request) }
    const waiting = alone.addToOthers(job)
    let outcome = await (waiting ?? lanes[job.request.kind].add(job))
    if (outcome === LOCKED) outcome = await alone.add(job)
    return outcome instanceof Refusal ? explainer.explain(job.request, outcome) : outcome
  }
  const isOverloaded = (client: Asker, kind: SendRequest['kind']) =>
    alone.isFullFor({ client }) ?? lanes[kind].isFullFor({ client })
  const isCrowded = () => [alone, lanes.text, lanes.otp].some((it) => it.isCrowded)
  return Object.assign(accept, { isCrowded, isOverloaded })
}

function countAccepted({ tracer }: Ports, metrics: Metrics): AcceptContext['onAccepted'] {
  const accepted = metrics.counter('messages_accepted_total', 'Accepted messages, by type', ['type'])
  const codes = metrics.counter('otp_sent_total', 'Accepted messages with an OTP of the service')
  return (messages) => {
    const queued = messages.filter(({ status }) => status === 'queued')
    for (const [type, count] of countBy(queued, (message) => message.type)) accepted.inc({ type }, count)
    codes.inc(messages.filter(({ request }) => request.kind === 'otp').length)
    if (tracer) for (const message of queued) tracer.record(acceptanceSpan(message))
  }
}

function acceptanceSpan({ request, type, country, segments }: AcceptedMessage): EndedSpan {
  const { id: clientId, workspaceId } = request.client
  return {
    ...messageTrace(request.messageId),
    name: 'accept message',
    kind: 'producer',
    milliseconds: 0,
    attributes: {
      ...{ 'hulaki.workspace_id': workspaceId, 'hulaki.client_id': clientId, 'hulaki.message_type': type },
      ...{ 'hulaki.country': country, 'hulaki.segments': segments },
    },
  }
}

/** Runs `instead` after a lock timeout; rethrows other errors. */
function onLockTimeout<Result>(instead: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return (error) => {
    if (!isLockTimeout(error)) throw error
    return instead()
  }
}
