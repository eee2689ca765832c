// A button that resends one event with the same ID and body.
import { useAction } from '../api/use.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words/index.ts'
import { EVENT_LISTS } from './state.tsx'

interface Props {
  id: string
  isPrimary?: boolean
  /** While the event is loaded, the button only takes its space. */
  isWaiting?: boolean
}

export function Resend({ id, isPrimary = false, isWaiting = false }: Props) {
  const act = useAction('resendWebhookDelivery', ['getWebhookDelivery', ...EVENT_LISTS])
  return (
    <>
      <button
        type="button"
        class={isPrimary ? 'primary' : undefined}
        disabled={isWaiting}
        aria-disabled={act.isPending}
        onClick={() => !act.isPending && act.mutate({ params: { id } })}
      >
        <Icon name="retry" />
        {words.webhooks.resend}
      </button>
      {act.error && <ErrorNote error={act.error} />}
    </>
  )
}
