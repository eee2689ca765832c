// The webhook events of changes of status (§6.2): which change announces one.
import { statusEvent } from '../webhooks/webhook-event.ts'
import type { Transition } from './transition.ts'

/** What is told of changes of status, to those who have a receiver or listen. */
export function announcementsOf(transitions: readonly Transition[]) {
  return transitions.flatMap(({ message, announces: status, at, error }) => {
    if (status === undefined || !message.isTold) return []
    const { id: messageId, clientId, to, type: messageType, segments } = message
    const event = statusEvent({ messageId, status, to, at, messageType, segments, error })
    return [{ clientId, about: { messageId, status }, event }]
  })
}
