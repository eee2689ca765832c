// Why a message waits, as one sentence for people.
import type { AnyJson } from './command.ts'
import { shortTime } from './time.ts'

const REASONS: Record<string, string> = {
  quiet_hours: 'Waiting for quiet hours to end',
  retry: 'The carrier rejected the message temporarily. Waiting for the next attempt',
  route: 'Waiting for a route: no enabled carrier serves this number',
  network_down: 'Waiting: the carrier is disconnected',
  network_broken: 'Waiting: the carrier is connected but accepts no messages',
  turn: 'Next in the queue',
  answer: 'Waiting for the carrier to respond. The carrier may have the message',
}

export function waitSentence({ for: cause, reason, until, endsAt }: AnyJson, now: Date): string {
  const details = `${reason ? ` (${reason})` : ''}${until ? ` until ${shortTime(until, now).trim()}` : ''}`
  return `${REASONS[cause] ?? 'Waiting'}${details}. The message expires ${shortTime(endsAt, now).trim()}.`
}
