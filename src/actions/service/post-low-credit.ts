// Queues a webhook event when the balance of a workspace falls below an alert (D85).
import { lowCreditEvent } from '../../domain/webhooks/webhook-event.ts'
import { insertWebhookEvents } from '../../store/webhooks/webhook-events.ts'
import { markCrossings, markPosted } from '../../store/workspaces/credit-alerts.ts'
import type { Ports } from '../ports.ts'

/** The event and the mark that it was posted are one transaction, so a crossing has exactly one event. Returns whether there were any. */
export async function postLowCredit(ports: Ports): Promise<boolean> {
  const now = ports.clock.now()
  const posted = await ports.db.transaction(async (tx) => {
    await markCrossings(tx, now)
    const alerts = await markPosted(tx, now)
    const events = alerts.map(({ clientId, ...alert }) => {
      const deliveryId = ports.ids.next()
      return { deliveryId, clientId, about: null, event: lowCreditEvent({ id: deliveryId, ...alert, at: now }) }
    })
    await insertWebhookEvents(tx, events, now)
    return events.length > 0
  })
  if (posted) ports.notifications.notify('webhooks')
  return posted
}
