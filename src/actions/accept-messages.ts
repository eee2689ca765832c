// The accept lane (§4.1, §4.2): while a batch of sends is under way the next ones gather. Workspaces take turns, then their clients
// (D43), and nobody waits for a workspace that somebody else holds.
import { availableParallelism } from 'node:os'
import { OVERLOADED, Refusal } from '../domain/refusals.ts'
import { Asides } from '../runtime/asides.ts'
import { Batcher, type Batching } from '../runtime/batcher.ts'
import type { Log } from '../runtime/log.ts'
import { courseAfter, isHeld } from '../store/db.ts'
import { type Accepted, acceptBatch, acceptFree, HELD, type Lane, type Sending } from './accept-batch.ts'
import type { Asker } from './admit-request.ts'
import { Explainer } from './explain-refusals.ts'
import type { House } from './house.ts'
import { TemplateShelf } from './template-shelf.ts'
import { WatchedBacklog } from './watch-backlog.ts'

export interface AcceptMessage {
  (sending: Sending): Promise<Accepted | Refusal>
  /** False while nobody can be overloaded. */
  isCrowded: () => boolean
  /** True while all that this client sends is refused for it. */
  isOverloaded: (client: Asker) => boolean
  /** Gives its connections back. */
  close: () => Promise<void>
}

/** A lane keeps two cores busy, this process and PostgreSQL; more of them only make the batches smaller. */
const LANES = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))

/** Whoever holds a workspace for longer than this, the others do not wait for it. */
const SHORT_WAIT = { connections: LANES, lockMs: 250 }

export function createAcceptance(house: House, log: Log, batching: Batching): AcceptMessage {
  const shelf = new TemplateShelf()
  const patient: Lane = {
    house,
    patientDb: house.db,
    log,
    shelf,
    backlog: new WatchedBacklog(house),
    startedAt: house.clock.now(),
  }
  const hasty: Lane = { ...patient, house: { ...house, db: house.db.beside(SHORT_WAIT) } }
  const common = {
    ...batching,
    fairBy: ({ client }: { client: Asker }) => [client.workspaceId, client.id],
    whenFull: () => OVERLOADED,
    onFault: courseAfter,
  }
  const together = new Batcher<Sending, Accepted | Refusal | typeof HELD, { client: Asker }>({
    ...common,
    lanes: LANES,
    // One workspace never waits on itself: its sends are in one lane, behind one lock.
    laneOf: ({ client }) => Number.parseInt(client.workspaceId.slice(-6), 16),
    run: (batch) =>
      acceptBatch(hasty, batch)
        .catch(onceHeld(() => acceptFree(hasty, batch)))
        // Something else is held, such as a code that is being verified: then each waits for it aside, with its own workspace.
        .catch(onceHeld(async () => batch.map(() => HELD))),
  })
  const alone = new Asides<Sending, Accepted | Refusal, { client: Asker }>(({ client }) => client.workspaceId, {
    ...common,
    run: (batch) => acceptBatch(patient, batch),
  })
  const explainer = new Explainer(house, shelf)
  const accept = async (sending: Sending): Promise<Accepted | Refusal> => {
    const waiting = alone.addToOthers(sending)
    let outcome = await (waiting ?? together.add(sending))
    if (outcome === HELD) outcome = await alone.add(sending)
    return outcome instanceof Refusal ? explainer.explain(sending.request, outcome) : outcome
  }
  const isOverloaded = (client: Asker) => alone.isFullFor({ client }) ?? together.isFullFor({ client })
  const isCrowded = () => alone.isCrowded || together.isCrowded
  return Object.assign(accept, { isCrowded, isOverloaded, close: () => hasty.house.db.close() })
}

/** What to do where somebody else holds what was asked for; any other fault stays one. */
function onceHeld<Result>(instead: () => Promise<Result>): (fault: unknown) => Promise<Result> {
  return (fault) => {
    if (!isHeld(fault)) throw fault
    return instead()
  }
}
