// Delivery and verification rates by the prefix of the number.
import type { CodePrefix } from '../api/calls.ts'
import { Copy } from '../parts/copy.tsx'
import { count, shareOf } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'
import { usePrefixes } from './source.ts'

export function Prefixes({ workspaceId, query }: { workspaceId: string; query: { from?: string } }) {
  const { data, error } = usePrefixes(workspaceId, query)
  return (
    <Table
      caption={words.codes.byPrefix}
      columns={columns()}
      items={data?.items}
      keyOf={({ prefix }) => prefix}
      error={error}
      empty={
        workspaceId ? (
          <>
            <p>{words.codes.none}</p>
            <pre>
              <Copy text={firstCode()} />
            </pre>
          </>
        ) : (
          <p>{words.allWorkspaces.noCodes}</p>
        )
      }
    />
  )
}

const columns = (): Column<CodePrefix>[] => [
  { head: words.common.prefix, cell: ({ prefix }) => <span class="mono">{prefix}</span> },
  { head: words.codes.sent, cell: ({ sent }) => count(sent), right: true },
  { head: words.codes.delivered, cell: ({ delivered }) => count(delivered), right: true, secondary: true },
  { head: words.codes.deliveredShare, cell: (it) => shareOf(it.delivered, it.sent), right: true, secondary: true },
  { head: words.codes.verified, cell: ({ verified }) => count(verified), right: true },
  { head: words.codes.verifiedShare, cell: (it) => shareOf(it.verified, it.sent), right: true },
]

function firstCode(): string {
  return [
    `curl -s '${location.origin}/api/sms/v1/sms/otp/send' -H "x-api-key: $HULAKI_API_KEY"`,
    `-H 'content-type: application/json' -d '{"to": "+9779800000001"}'`,
  ].join(' \\\n  ')
}
