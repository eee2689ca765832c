// The role that posts webhook events (§6). Several processes may run it; they share the queue.
import type { Ports } from '../actions/ports.ts'
import { compileNetworkList } from '../domain/network.ts'
import { type AttemptResult, isSuccess } from '../domain/webhooks/webhook-schedule.ts'
import { readCertificates } from '../outbound/certificates.ts'
import type { Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { measureWebhookQueue } from '../store/webhooks/webhook-queue.ts'
import { EventPoster } from './post-event.ts'
import { Sender } from './sender.ts'

export interface WebhookSettings {
  /** Networks that the operator allows although they are special (D31). */
  allowedNetworks: string[]
  /** Certificates to trust in addition to Node's (D31). */
  caFile: string | null
  metrics: Metrics
}

export async function startWebhooks(ports: Ports, log: Log, settings: WebhookSettings): Promise<ServiceRole> {
  const { allowedNetworks, caFile, metrics } = settings
  const poster = new EventPoster({
    vendor: ports.vendor,
    isAllowed: compileNetworkList(allowedNetworks),
    extraCa: caFile === null ? undefined : readCertificates('HULAKI_WEBHOOK_CA_FILE', caFile),
    monotonicNow: () => performance.now(),
  })
  const sender = new Sender({
    ...{ ports, log, poster },
    onResult: countAttempts(metrics),
    onBatch: metrics.batchObserver('webhook_attempts'),
  })
  measure(ports, sender, metrics)
  await ports.notifications.answer('webhooks', () => sender.wake())
  return {
    name: 'webhooks',
    settle: () => sender.settle(),
    stop: async () => {
      ports.notifications.leave('webhooks')
      await sender.stop()
      await poster.close()
    },
  }
}

function countAttempts(metrics: Metrics): (result: AttemptResult) => void {
  const attempts = metrics.counter('webhook_attempts_total', 'Finished webhook attempts, by outcome.', ['outcome'])
  const seconds = metrics.histogram('webhook_attempt_seconds', 'Duration of webhook attempts in seconds.', {
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  return (result) => {
    attempts.inc({ outcome: outcomeOf(result) })
    seconds.observe(result.milliseconds / 1000)
  }
}

function outcomeOf(result: AttemptResult): string {
  if (result.kind === 'answered') return isSuccess(result) ? 'succeeded' : 'refused'
  return result.timedOut ? 'timed_out' : 'failed'
}

function measure({ db, clock }: Ports, sender: Sender, metrics: Metrics): void {
  metrics.gauge('webhook_attempts_in_progress', 'Running webhook attempts of this process.', () => sender.running)
  metrics.queue('webhook_queue', {
    unit: 'deliveries',
    helps: {
      waiting: 'Webhook deliveries in the queue, due or not.',
      oldest: 'Age of the oldest due webhook delivery in seconds.',
    },
    clock,
    read: async () => [{ of: {}, ...(await measureWebhookQueue(db, clock.now())) }],
  })
}
