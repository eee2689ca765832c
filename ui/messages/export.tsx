// The export of the list as CSV: with masked numbers, or with full ones, which the audit log records.
import { addressOf } from '../api/address.ts'
import { useAction } from '../api/use.ts'
import { useCan } from '../caller.ts'
import css from '../menu.module.css'
import { ErrorNote } from '../parts/error-note.tsx'
import { Icon } from '../parts/icon.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { saveFile } from '../parts/save-file.ts'
import { words } from '../words/index.ts'
import type { queryOf } from './filter.ts'

interface Props {
  input: { params: { id: string }; query: ReturnType<typeof queryOf> }
}

export function Export({ input }: Props) {
  const can = useCan()
  const revealed = useAction('exportRevealedMessages', ['listWorkspaceAuditLog'])
  if (!can('exportRevealedMessages'))
    return (
      <a class="button" href={addressOf('exportMessages', input)} download>
        <Icon name="download" />
        {words.messages.export}
      </a>
    )
  const saveRevealed = () =>
    revealed.mutate(input, {
      onSuccess: (text) => saveFile(new Blob([text], { type: 'text/csv' }), 'messages.csv'),
    })
  return (
    <>
      <MenuButton label={words.messages.export}>
        {(close) => (
          <>
            <a class={css.item} href={addressOf('exportMessages', input)} download onClick={close}>
              {words.messages.exportMasked}
            </a>
            <button
              type="button"
              class={css.item}
              disabled={revealed.isPending}
              onClick={() => {
                close()
                saveRevealed()
              }}
            >
              <span class={css.two}>
                <span>{words.messages.exportFull}</span>
                <span class="meta">{words.messages.exportFullMeans}</span>
              </span>
            </button>
          </>
        )}
      </MenuButton>
      {revealed.error && <ErrorNote error={revealed.error} />}
    </>
  )
}
