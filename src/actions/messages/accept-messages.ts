// The accept lane (§4.1, §4.2): while a batch of sends is under way the next ones gather. Workspaces take turns, then their clients
// (D43), and nobody waits for a workspace that somebody else holds.
import { availableParallelism } from 'node:os'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import { OVERLOADED, Refusal } from '../../domain/refusals.ts'
import { Batcher, type Batching } from '../../runtime/batcher.ts'
import { HeldLanes } from '../../runtime/held-lanes.ts'
import type { Log } from '../../runtime/log.ts'
import { courseAfter, isHeld } from '../../store/database/db.ts'
import { drawCode } from '../codes/draw-code.ts'
import type { Accepted } from '../idempotency.ts'
import type { Ports } from '../ports.ts'
import { TemplateCache } from '../templates/template-cache.ts'
import type { Asker } from '../workspaces/admit-request.ts'
import { type Accepting, acceptBatch, acceptFree, HELD, type ReadySending, type Sending } from './accept-batch.ts'
import { Explainer } from './explain-refusals.ts'
import { WatchedBacklog } from './watch-backlog.ts'

export interface AcceptMessage {
  (sending: Sending): Promise<Accepted | Refusal>
  /** False while nobody can be overloaded. */
  isCrowded: () => boolean
  /** True while all of its kind that this client sends is refused for it. */
  isOverloaded: (client: Asker, kind: SendRequest['kind']) => boolean
}

/** A lane keeps two cores busy, this process and PostgreSQL; more of them only make the batches smaller. */
export const ACCEPT_LANES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))

export function createAcceptance(ports: Ports, log: Log, batching: Batching): AcceptMessage {
  const templateCache = new TemplateCache()
  const accepting: Accepting = {
    ports,
    log,
    templateCache,
    backlog: new WatchedBacklog(ports),
    startedAt: ports.clock.now(),
  }
  const common = {
    ...batching,
    fairBy: ({ client }: { client: Asker }) => [client.workspaceId, client.id],
    whenFull: () => OVERLOADED,
    onFault: courseAfter,
  }
  const shared = () =>
    new Batcher<ReadySending, Accepted | Refusal | typeof HELD, { client: Asker }>({
      ...common,
      lanes: ACCEPT_LANES,
      // One workspace never waits on itself: its sends are in one lane, behind one lock.
      laneOf: ({ client }) => Number.parseInt(client.workspaceId.slice(-6), 16),
      run: (batch) =>
        acceptBatch(accepting, ports.acceptDb, batch)
          .catch(onceHeld(() => acceptFree(accepting, ports.acceptDb, batch)))
          // Something else is held, such as a code that is being verified: then each waits for it aside, with its own workspace.
          .catch(onceHeld(async () => batch.map(() => HELD))),
    })
  // The pumping guard looks before each batch of codes: nobody else waits for that.
  const lanes = { text: shared(), otp: shared() }
  const alone = new HeldLanes<ReadySending, Accepted | Refusal, { client: Asker }>(({ client }) => client.workspaceId, {
    ...common,
    run: (batch) => acceptBatch(accepting, ports.db, batch),
  })
  const explainer = new Explainer(ports, templateCache)
  const accept = async (asked: Sending): Promise<Accepted | Refusal> => {
    const sending = { ...asked, code: drawCode(ports, asked.client, asked.request) }
    const waiting = alone.addToOthers(sending)
    let outcome = await (waiting ?? lanes[sending.request.kind].add(sending))
    if (outcome === HELD) outcome = await alone.add(sending)
    return outcome instanceof Refusal ? explainer.explain(sending.request, outcome) : outcome
  }
  const isOverloaded = (client: Asker, kind: SendRequest['kind']) =>
    alone.isFullFor({ client }) ?? lanes[kind].isFullFor({ client })
  const isCrowded = () => [alone, lanes.text, lanes.otp].some((it) => it.isCrowded)
  return Object.assign(accept, { isCrowded, isOverloaded })
}

/** What to do where somebody else holds what was asked for; any other fault stays one. */
function onceHeld<Result>(instead: () => Promise<Result>): (fault: unknown) => Promise<Result> {
  return (fault) => {
    if (!isHeld(fault)) throw fault
    return instead()
  }
}
