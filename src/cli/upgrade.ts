// `hulaki upgrade --check`: what an upgrade of the installation on this machine to this version would meet (D83).
import { type CliContext, EXIT } from './context.ts'
import { formatFinding } from './doctor.ts'
import type { ParsedCommand } from './request.ts'
import { jsonLine } from './table.ts'

export async function checkUpgrade({ common }: ParsedCommand, context: CliContext): Promise<number> {
  const { facts, findings } = await context.inspectUpgrade(common.url ?? context.url())
  const isPossible = findings.every(({ state }) => state !== 'error')
  if (common.json) context.out(jsonLine({ ok: isPossible, ...facts, findings }))
  else for (const finding of findings) context.out(formatFinding(finding, context.width))
  return isPossible ? EXIT.done : EXIT.refused
}
