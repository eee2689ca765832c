// The filters of a list on a phone: one button opens them in a dialog at the bottom of the screen.
import { type ComponentChildren, createContext } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { Dialog } from './dialog.tsx'
import css from './filter-sheet.module.css'
import { count } from './format.ts'
import { Icon } from './icon.tsx'
import menuCss from './menu-button.module.css'

/** Whether a filter is in the dialog: it then shows its choices without a menu. */
export const InSheet = createContext(false)

interface Props {
  /** How many filters are in use. */
  chosen: number
  clear: () => void
  children: ComponentChildren
}

export function FilterSheet({ chosen, clear, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="filter" />
        {words.parts.filters}
        {chosen > 0 && <span class={menuCss.count}>{count(chosen)}</span>}
      </button>
      {isOpen && (
        <Dialog title={words.parts.filters} shape="sheet" close={close}>
          <InSheet.Provider value={true}>{children}</InSheet.Provider>
          <div class={css.foot}>
            <button type="button" onClick={clear}>
              {words.parts.clear}
            </button>
            <button type="button" class="primary" onClick={close}>
              {words.parts.done}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
