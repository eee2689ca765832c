// The button that opens the dialog for a new message. The address holds whether the dialog is open, so other screens link to it.
import { useContext } from 'preact/hooks'
import { useCan, WorkspaceContext } from '../caller.ts'
import { Lazy } from '../lazy.tsx'
import { Icon } from '../parts/icon.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { loadSendWords, words } from '../words/index.ts'

const loadDialog = async () => (await Promise.all([import('./dialog.tsx'), loadSendWords()]))[0]

export function SendMessage() {
  const workspace = useContext(WorkspaceContext)
  const can = useCan()
  const [{ make }, open] = useUrlState({ make: '' })
  if (!workspace || !can('sendMessage')) return null
  return (
    <>
      <button type="button" class="primary" onClick={() => open({ make: 'message' })}>
        <Icon name="send" />
        {words.messages.send}
      </button>
      {make === 'message' && <Lazy load={loadDialog} />}
    </>
  )
}
