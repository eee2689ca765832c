// The upkeep role: deletes expired data, closes billing periods, records figures, posts low balances, and sends the mails about endpoints, balances and credit requests.
import type { NoticeMail } from '../actions/mail-notices.ts'
import type { Ports } from '../actions/ports.ts'
import { MonthDrops } from '../actions/service/drop-months.ts'
import { notifyCreditRequests } from '../actions/service/notify-credit-requests.ts'
import { notifyLowCredit } from '../actions/service/notify-low-credit.ts'
import { postLowCredit } from '../actions/service/post-low-credit.ts'
import { recordMinute } from '../actions/service/record-minute.ts'
import { areClocksApart, sweepFirstPartitions, sweepTestMessages, sweepTexts } from '../actions/service/retention.ts'
import {
  closePeriods,
  findNextSweepOfCodes,
  moveQuarters,
  sweepCodes,
  sweepRecords,
  sweepWebhookHistory,
} from '../actions/service/sweeps.ts'
import { notifyOwners } from '../actions/webhooks/notify-owners.ts'
import { lastEndedMinute } from '../domain/service/service-minutes.ts'
import { Mail } from '../identity/mail.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../runtime/loop.ts'
import { isAway } from '../store/database/db.ts'
import { findNextPeriodEnd } from '../store/workspaces/workspaces.ts'
import type { Config } from './config.ts'

const POLL_MS = 30_000
/** Short, so that the counts cover nearly the minute that has ended. No alarm: a manual clock would stop at every minute. */
const MINUTE_POLL_MS = 5_000

type UpkeepSettings = Pick<Config, 'retention' | 'mail' | 'publicUrl'>

export function startUpkeep(ports: Ports, log: Log, settings: UpkeepSettings): ServiceRole {
  const { retention } = settings
  const mail = noticeMailFrom(settings)
  const months = new MonthDrops(ports, retention, log)
  const deleting = (sweep: () => Promise<Turn>) => async () =>
    areClocksApart(ports.clock) ? { worked: false } : sweep()
  const sweeps: Record<string, () => Promise<Turn>> = {
    periods: async () => ({ worked: (await closePeriods(ports)) > 0, nextAt: await findNextPeriodEnd(ports.db) }),
    expiredCodes: async () => ({ worked: (await sweepCodes(ports)) > 0, nextAt: await findNextSweepOfCodes(ports) }),
    expiredRecords: async () => ({ worked: (await sweepRecords(ports)) > 0 }),
    messageCounts: async () => ({ worked: (await moveQuarters(ports)) > 0 }),
    webhookHistory: async () => ({ worked: (await sweepWebhookHistory(ports)) > 0 }),
    expiredMonths: deleting(() => months.turn()),
    firstPartitions: deleting(async () => ({ worked: (await sweepFirstPartitions(ports, retention)) > 0 })),
    texts: deleting(async () => ({ worked: (await sweepTexts(ports, retention)) > 0 })),
    testMessages: deleting(async () => ({ worked: (await sweepTestMessages(ports, retention)) > 0 })),
    creditAlertPosts: async () => ({ worked: await postLowCredit(ports) }),
    ...(mail && {
      webhookNotices: async () => ({ worked: await notifyOwners(ports, log, mail) }),
      creditAlerts: async () => ({ worked: await notifyLowCredit(ports, log, mail) }),
      creditRequests: async () => ({ worked: await notifyCreditRequests(ports, log, mail) }),
    }),
  }
  let recorded: Date | null = null
  const record = async () => {
    if (recorded?.getTime() !== lastEndedMinute(ports.clock.now()).getTime()) recorded = await recordMinute(ports)
    return { worked: false }
  }
  const loopOf = (name: string, turn: () => Promise<Turn>, pollMs: number) =>
    new Loop({ name, clock: ports.clock, log, pollMs, turn, isLoggedElsewhere: isAway })
  const loops = [
    ...Object.entries(sweeps).map(([name, turn]) => loopOf(name, turn, POLL_MS)),
    loopOf('minutes', record, MINUTE_POLL_MS),
  ]
  return {
    name: 'upkeep',
    settle: async () => (await Promise.all(loops.map((loop) => loop.settle()))).includes(true),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** null without an SMTP server. */
function noticeMailFrom({ mail, publicUrl }: UpkeepSettings): NoticeMail | null {
  if (!mail || publicUrl === null) return null
  const sender = new Mail(mail)
  return { send: (email) => sender.send(email), consoleUrl: `${new URL(publicUrl).origin}/console` }
}
