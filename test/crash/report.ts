// The table at the end of a run.
import type { Evidence } from './evidence.ts'
import { JUDGE_NAMES, type JudgeName, repeatsOf } from './judges.ts'
import type { DoneKill } from './kills.ts'
import { TEMPORARY } from './load.ts'

const SHOWN_FAULTS = 10

export function formatReport(evidence: Evidence, verdicts: Record<JudgeName, string[]>): string {
  const rows = [...killRows(evidence.kills), ...figureRows(evidence), ...verdictRows(verdicts)]
  const width = Math.max(...rows.map(([name]) => name.length))
  const table = rows.map(([name, value]) => `| ${name.padEnd(width)} | ${value} |`)
  const faults = JUDGE_NAMES.flatMap((name) =>
    verdicts[name].slice(0, SHOWN_FAULTS).map((fault) => `${name}: ${fault}`),
  )
  return [`| ${'What'.padEnd(width)} | Result |`, `|${'-'.repeat(width + 2)}|---|`, ...table, ...faults].join('\n')
}

type Row = [name: string, value: string]

function killRows(kills: DoneKill[]): Row[] {
  const recoveries = kills.map((it) => it.recoveryMs).sort((one, other) => one - other)
  const seconds = (share: number) => ((recoveries[Math.floor((recoveries.length - 1) * share)] ?? 0) / 1_000).toFixed(1)
  return [
    ['Kills', `${kills.length}`],
    ...countRows('Kill of', kills, (it) => it.victim),
    ...countRows('Kill at', kills, (it) => (it.isReached ? it.point : 'random time')),
    ['Next 200 after a kill', `median ${seconds(0.5)} s, longest ${seconds(1)} s`],
  ]
}

function figureRows(evidence: Evidence): Row[] {
  const { accepted, carriers, database, posts, responses } = evidence
  const repeats = repeatsOf(evidence)
  const deliveries = new Set(posts.map((it) => it.deliveryId)).size
  return [
    [
      'Accepted messages',
      `${new Set(accepted.map((it) => it.messageId)).size}, with ${accepted.length} responses of 200`,
    ],
    ['Requests without a response', `${responses[0] ?? 0}`],
    [`Responses of ${TEMPORARY.join(', ')}`, TEMPORARY.map((it) => responses[it] ?? 0).join(', ')],
    ...countRows('Final status', database.messages, (it) => it.status),
    ['Submissions', `${carriers.filter((it) => it.kind === 'submitted').length}`],
    ['Submitted again, not allowed', `${repeats.filter((it) => !it.isAllowed).length}`],
    ['Submitted again, allowed', `${repeats.filter((it) => it.isAllowed).length}`],
    ['Webhook events', `${deliveries}, with ${posts.length} requests`],
    ['Refunds', `${database.ledger.filter((it) => it.kind === 'refund').length}`],
  ]
}

function verdictRows(verdicts: Record<JudgeName, string[]>): Row[] {
  return JUDGE_NAMES.map((name) => {
    const { length } = verdicts[name]
    return [`Judge ${name}`, length === 0 ? 'passed' : `FAILED, ${length} faults`]
  })
}

function countRows<Item>(title: string, items: Item[], nameOf: (item: Item) => string): Row[] {
  const counts = [...Map.groupBy(items, nameOf)].map(([name, all]): Row => [`${title}: ${name}`, `${all.length}`])
  return counts.sort(([one], [other]) => one.localeCompare(other))
}
