// `hulaki forget`: removes a number step by step, and shows the progress.
import { type CliContext, EXIT } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import type { ParsedCommand } from './request.ts'
import { counted, jsonLine } from './table.ts'

/** A stopped command is continued by the next one: each step is complete or absent. */
export async function forget(
  api: ManagementApi,
  { positionals, common }: ParsedCommand,
  { out, err }: CliContext,
): Promise<number> {
  const [number] = positionals
  const total = { messages: 0, replies: 0, unfinished: 0 }
  for (;;) {
    const step = await api.request({ method: 'POST', path: '/numbers/forget', query: {}, body: { number } })
    total.messages += step.messages
    total.replies += step.replies
    total.unfinished = step.unfinished
    if (step.isDone) break
    if (!common.json) err(`${changedIn(total)}, continuing`)
  }
  if (common.json) out(jsonLine(total))
  else out(`Removed the number from ${changedIn(total)}.`)
  if (total.unfinished === 0) return EXIT.done
  if (!common.json) err(whyUnfinished(total.unfinished))
  return EXIT.refused
}

function changedIn({ messages, replies }: { messages: number; replies: number }): string {
  return `${counted(messages, 'message')} and ${counted(replies, 'reply', 'replies')}`
}

function whyUnfinished(count: number): string {
  const items = counted(count, 'message, reply or carrier test keeps', 'messages, replies or carrier tests keep')
  const isOne = count === 1
  return `${items} the number, because ${isOne ? 'it is' : 'they are'} not final or a webhook is still to be delivered. Repeat the command in 72 hours, when all are final; or cancel queued messages (hulaki message cancel), fail messages in doubt (hulaki message fail), and repeat it after their webhooks. A carrier test is final after a minute.`
}
