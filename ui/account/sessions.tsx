// The active sessions, each with a button to end it.
import type { Session } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'
import { browserName } from './browser-name.ts'

function Browser({ userAgent }: Pick<Session, 'userAgent'>) {
  return (
    <span class="foreign" title={userAgent ?? ''}>
      {browserName(userAgent)}
    </span>
  )
}

export function Sessions({ items }: { items: Session[] }) {
  const end = useAction('endSession', ['listSessions'])
  const endOthers = useAction('endOtherSessions', ['listSessions'])
  return (
    <section class="card stack">
      <h2>{words.account.sessions}</h2>
      <Table
        caption={words.account.sessions}
        items={items}
        keyOf={(it) => it.id}
        columns={[
          { head: words.account.browser, cell: (it) => <Browser userAgent={it.userAgent} />, wide: true },
          { head: words.account.address, cell: (it) => <span class="mono">{it.address ?? '–'}</span>, secondary: true },
          { head: words.common.lastSeen, cell: (it) => <Moment at={it.lastSeenAt} />, secondary: true },
          {
            head: words.common.actions,
            cell: (it) =>
              it.isCurrent ? (
                <span class="quiet">{words.account.thisDevice}</span>
              ) : (
                <button type="button" class="link" onClick={() => end.mutate({ params: { sessionId: it.id } })}>
                  {words.account.endSession}
                </button>
              ),
          },
        ]}
      />
      {items.length > 1 && (
        <div class="row">
          <button type="button" onClick={() => endOthers.mutate({})}>
            {words.account.endOtherSessions}
          </button>
        </div>
      )}
      {end.error && <ErrorNote error={end.error} />}
      {endOthers.error && <ErrorNote error={endOthers.error} />}
    </section>
  )
}
