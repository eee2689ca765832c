// Replays the failed events of one endpoint since a time.
import { useState } from 'preact/hooks'
import { DAY_MS } from '../../src/domain/durations.ts'
import { useAction } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { browserTimeZone } from '../parts/time-zone.ts'
import { words } from '../words/index.ts'
import { EVENT_LISTS } from './state.tsx'

interface Props {
  clientId: string
  /** When the first event failed; a day ago if not known. */
  since?: string | null
}

function ReplayForm({ clientId, since: first }: Props) {
  const [since, setSince] = useState(() => localTime(first ? new Date(first) : new Date(Date.now() - DAY_MS)))
  const act = useAction('replayWebhookDeliveries', EVENT_LISTS)
  const at = new Date(since)
  const body = { since: Number.isNaN(at.getTime()) ? since : at.toISOString() }
  const input = { params: { id: clientId }, body }
  const { data } = act
  return (
    <Form
      submitLabel={words.webhooks.replayAction}
      submit={() => act.mutate(input)}
      mutation={act}
      fields={['since']}
      beside={<ApiButton of="replayWebhookDeliveries" input={input} />}
    >
      <TextField
        label={words.webhooks.since}
        value={since}
        set={setSince}
        error={act.error?.of('since')}
        hint={words.webhooks.sinceHint(browserTimeZone())}
        type="datetime-local"
      />
      <p role="status">
        {data ? (data.more ? words.webhooks.replayedMore : words.webhooks.replayed)(count(data.replayed)) : ''}
      </p>
    </Form>
  )
}

export function ReplayDialog({ title, close, ...of }: Props & { title: string; close: () => void }) {
  return (
    <Dialog title={words.webhooks.replayOf(title)} close={close}>
      <p class="quiet">{words.webhooks.replayHint}</p>
      <ReplayForm {...of} />
    </Dialog>
  )
}

/** Local time without a zone, as a datetime-local field needs it. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
}
