// Work that its caller does not wait for.

/** As much of a log as it takes: Fastify's own is less than ours. */
interface FaultLog {
  error(fields: object, message: string): void
}

/** A rejection that nobody handles ends the process; that of this work is logged instead. `what` names the work in the log. */
export function inBackground(work: Promise<unknown>, log: FaultLog, what: string): void {
  work.catch((fault) => log.error({ err: fault, work: what }, 'work in the background failed'))
}
