// An error: the message, the code, the request ID, and what to do next.
import type { ApiError } from '../api/api-error.ts'
import { words } from '../words/index.ts'
import { Copy } from './copy.tsx'
import css from './error-note.module.css'
import { Icon } from './icon.tsx'

interface Props {
  error: ApiError
  /** What the error belongs to, where the place does not show it. */
  about?: string
  again?: () => void
}

export function ErrorNote({ error, about, again }: Props) {
  const advice: Record<string, string | undefined> = words.advice
  return (
    <div class={css.error} role="alert">
      <Icon name="alert" />
      <div class={css.body}>
        {about !== undefined && <p class="foreign">{about}</p>}
        <p>
          <strong class="foreign">{error.status === 0 ? words.advice.unreachable : error.message}</strong>
        </p>
        {error.details.length > 0 && (
          <ul>
            {error.details.map(({ path, message }) => (
              <li key={`${path.join('.')} ${message}`} class="foreign">
                <code>{path.join('.')}</code> {message}
              </li>
            ))}
          </ul>
        )}
        <p class="quiet">
          {error.status === 0 ? words.advice.retrying : (advice[error.code] ?? words.advice.contactSupport)}
        </p>
        {error.status !== 0 && (
          <p class="quiet">
            {words.parts.errorCode} <code>{error.code}</code>
            {error.requestId && (
              <>
                {' · '}
                {words.parts.request} <Copy text={error.requestId} />
              </>
            )}
          </p>
        )}
      </div>
      {again && (
        <button type="button" onClick={again}>
          {words.parts.retry}
        </button>
      )}
    </div>
  )
}
