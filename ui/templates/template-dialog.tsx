// One template: its text, its review, and example code.
import type { Template } from '../api/calls.ts'
import { Copy } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { TemplateText } from '../parts/template-text.tsx'
import { words } from '../words/index.ts'
import { Review } from './review.tsx'

interface Props {
  template: Template
  close: () => void
  /** Null for a role that may not create templates. */
  another: (() => void) | null
}

export function TemplateDialog({ template, close, another }: Props) {
  const { id, type, text, status, reason, createdAt, reviewedAt } = template
  return (
    <Dialog title={template.name} close={close}>
      <TemplateText text={text} />
      <Facts
        of={[
          [words.templates.status, <Review key="review" status={status} />],
          ...(reason === null ? [] : [[words.common.reason, <span class="foreign">{reason}</span>] as const]),
          [words.common.type, words.types[type]],
          [words.common.submitted, <Moment key="submitted" at={createdAt} style="whole" />],
          [words.templates.reviewed, <Moment key="reviewed" at={reviewedAt} style="whole" />],
          [words.common.id, <Copy key="id" text={id} />],
        ]}
      />
      {status === 'approved' && (
        <pre>
          <Copy text={sendOf(template)} />
        </pre>
      )}
      {another && (
        <div class="row">
          <button type="button" onClick={another}>
            {words.templates.duplicate}
          </button>
        </div>
      )}
    </Dialog>
  )
}

function sendOf({ id, variables }: Template): string {
  const body = {
    to: '+9779800000001',
    templateId: id,
    variables: Object.fromEntries(variables.map((name) => [name, name])),
  }
  return [
    `curl -s '${location.origin}/api/sms/v1/sms/send' -H "x-api-key: $API_KEY"`,
    `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
}
