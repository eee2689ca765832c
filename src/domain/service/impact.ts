// The messages, requests and workspaces that an incident affects.
import type { Impact } from './incident.ts'
import type { ServiceFacts } from './service-facts.ts'

const MAX_WORKSPACES_NAMED = 3

/** Of a group of waiting messages and of requests refused with these codes. Parts without any messages or requests are null. */
export function impactOf(
  facts: ServiceFacts,
  { waiting: group, codes }: { waiting: string | null; codes: string[] },
): Impact {
  const waiting = (group === null ? null : facts.waiting.get(group)) ?? null
  const refused = facts.refused.filter(({ code }) => codes.includes(code))
  const workspaceIds = new Set([...(waiting?.workspaceIds ?? []), ...refused.flatMap((it) => it.workspaceIds)])
  const named = [...workspaceIds].flatMap((id) => {
    const name = facts.workspaceNames.get(id)
    return name === undefined ? [] : [{ id, name }]
  })
  const [first] = refused.map(({ since }) => since).toSorted((one, other) => Number(one) - Number(other))
  return {
    waiting: waiting && {
      messages: waiting.messages,
      isEstimate: waiting.isEstimate,
      firstExpiresAt: waiting.firstExpiresAt,
    },
    refused: first
      ? {
          requests: refused.reduce((sum, it) => sum + it.requests, 0),
          isEstimate: refused.some((it) => it.isEstimate),
          since: first,
          codes: refused.map(({ code, requests }) => ({ code, requests })),
        }
      : null,
    workspaces:
      workspaceIds.size === 0
        ? null
        : {
            count: workspaceIds.size,
            first: named.toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, MAX_WORKSPACES_NAMED),
          },
  }
}
