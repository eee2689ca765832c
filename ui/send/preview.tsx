// The message as it would be sent, with its encoding, segments and cost, all computed by the server.
import type { MessagePreview } from '../api/calls.ts'
import { useWorkspace } from '../caller.ts'
import { count, encodingName, money } from '../parts/format.ts'
import { TemplateText } from '../parts/template-text.tsx'
import { words } from '../words/index.ts'
import css from './send.module.css'

interface Props {
  preview: MessagePreview | undefined
  /** The text of the chosen template, shown until its variables are filled. */
  template: string | undefined
}

export function Preview({ preview, template }: Props) {
  const { currency } = useWorkspace()
  const { text, encoding, segments, cost } = preview ?? {}
  const isUnpaid = preview?.refusals.some(({ code }) => code === 'insufficient_balance')
  return (
    <section class={css.preview} aria-label={words.send.preview}>
      <p class="meta foreign">{preview?.from}</p>
      {text ? (
        <p class={`foreign ${css.bubble}`}>{text}</p>
      ) : template === undefined ? (
        <p class="quiet">{words.send.emptyPreview}</p>
      ) : (
        <TemplateText text={template} />
      )}
      <p class="meta" role="status">
        {encoding && segments && typeof cost === 'number' && (
          <>
            {encodingName(encoding)} · {words.send.segments(segments, count(segments))} ·{' '}
            <strong>{money(cost, currency)}</strong> · {preview && words.send.balance(money(preview.balance, currency))}
          </>
        )}
        {isUnpaid && <span class="bad"> {words.send.refusals.insufficient_balance}</span>}
      </p>
    </section>
  )
}
