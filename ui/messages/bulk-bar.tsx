// The bar for selected messages: it selects all that match the filters, and resends, exports, cancels or fails the selected ones.
import { useQuery } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useAction } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { useKeys } from '../parts/keys.ts'
import { saveFile } from '../parts/save-file.ts'
import { MAX_SELECTED, type Selection } from '../parts/selection.ts'
import { words } from '../words/index.ts'
import css from './bulk-bar.module.css'
import { type BulkAction, BulkDialog, CALLS } from './bulk-dialog.tsx'
import type { useMessages } from './source.ts'

const ACTIONS = [
  ['resend', 'retry', ''],
  ['cancel', 'close', 'danger'],
  ['fail', 'alert', 'danger'],
] as const

interface Props {
  selection: Selection
  source: ReturnType<typeof useMessages>
}

export function Screen({ selection, source }: Props) {
  const can = useCan()
  const bar = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<BulkAction | null>(null)
  const exported = useAction('exportSelectedMessages')
  const matching = useMatching(source)
  const ids = [...selection.ids]
  const clear = () => {
    document.querySelector<HTMLElement>('[data-row]')?.focus()
    selection.set([])
  }
  const saveCsv = () =>
    exported.mutate(
      { body: { ids } },
      { onSuccess: (text) => saveFile(new Blob([text], { type: 'text/csv' }), 'messages.csv') },
    )
  useKeys({ b: [words.bulk.goTo, () => bar.current?.querySelector('button')?.focus()] })
  return (
    <section ref={bar} class={css.bar} aria-label={words.bulk.label}>
      <strong role="status">{words.bulk.selected(count(ids.length))}</strong>
      {matching && matching.ids.length > ids.length && (
        <button type="button" class="link" onClick={() => selection.set(matching.ids)}>
          {matching.isComplete
            ? words.bulk.selectAll(count(matching.ids.length))
            : words.bulk.selectFirst(count(MAX_SELECTED))}
        </button>
      )}
      <span class={css.actions}>
        <button type="button" class={css.action} onClick={saveCsv} aria-disabled={exported.isPending}>
          <Icon name="download" />
          {words.messages.export}
        </button>
        {ACTIONS.filter(([action]) => can(CALLS[action])).map(([action, icon, style]) => (
          <button key={action} type="button" class={`${css.action} ${style}`} onClick={() => setOpen(action)}>
            <Icon name={icon} />
            {words.bulk.buttons[action]}
          </button>
        ))}
        <button type="button" class={css.action} onClick={clear} aria-label={words.bulk.clear}>
          <Icon name="close" />
        </button>
      </span>
      {exported.error && <ErrorNote error={exported.error} />}
      {open && (
        <BulkDialog
          action={open}
          ids={ids}
          done={() => {
            setOpen(null)
            clear()
          }}
          close={() => setOpen(null)}
        />
      )}
    </section>
  )
}

const PAGE_SIZE = 200
/** A page reads a bounded number of messages, so a rare filter needs many pages. */
const MAX_PAGES = 50

interface Matching {
  /** At most MAX_SELECTED. */
  ids: string[]
  /** Whether no other messages match. */
  isComplete: boolean
}

/** The messages that match the filters; null while they load. */
function useMatching({ own, list, inWorkspace, inService, listed }: Props['source']): Matching | null {
  const load = async (cursor: string | undefined, signal: AbortSignal) => {
    const page = { limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) }
    return own
      ? call('listMessages', { ...inWorkspace, query: { ...inWorkspace.query, ...page } }, signal)
      : call('listAllMessages', { query: { ...inService.query, ...page } }, signal)
  }
  const { data } = useQuery({
    queryKey: [own ? 'listMessages' : 'listAllMessages', 'matching', listed],
    enabled: list.more !== null,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Matching> => {
      const ids: string[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const { items, next } = await load(cursor, signal)
        ids.push(...items.map(({ id }) => id))
        if (next === null && ids.length <= MAX_SELECTED) return { ids, isComplete: true }
        if (next === null || ids.length >= MAX_SELECTED) break
        cursor = next
      }
      return { ids: ids.slice(0, MAX_SELECTED), isComplete: false }
    },
  })
  if (list.more === null) return { ids: list.items?.map(({ id }) => id) ?? [], isComplete: true }
  return data ?? null
}
