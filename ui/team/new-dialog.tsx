// The primary button of a tab, in the head of the page. The address holds whether its dialog is open.
import { Icon } from '../parts/icon.tsx'
import { useUrlState } from '../parts/url-state.ts'

export function useNewDialog(): [isOpen: boolean, set: (isOpen: boolean) => void] {
  const [{ dialog }, set] = useUrlState({ dialog: '' })
  return [dialog === 'new', (isOpen) => set({ dialog: isOpen ? 'new' : '' }, { replace: true })]
}

export function NewButton({ label }: { label: string }) {
  const [, set] = useNewDialog()
  return (
    <button type="button" class="primary" onClick={() => set(true)}>
      <Icon name="plus" />
      {label}
    </button>
  )
}
