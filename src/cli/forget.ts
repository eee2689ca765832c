// `hulaki forget`: removes a number step by step, and shows the progress.
import { type CliContext, EXIT } from './context.ts'
import type { ManagementApi } from './management-api.ts'
import type { ParsedCommand } from './request.ts'
import { jsonLine } from './table.ts'

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
    if (!common.json) err(`${total.messages} messages and ${total.replies} replies, continuing`)
  }
  if (common.json) out(jsonLine(total))
  else out(`Removed the number from ${total.messages} messages and ${total.replies} replies.`)
  if (total.unfinished === 0) return EXIT.done
  if (!common.json)
    err(
      `${total.unfinished} messages or replies are not final yet, or have webhooks to deliver. Cancel the messages, or repeat this later.`,
    )
  return EXIT.refused
}
