// An error: the message, the code, the request ID, and what to do next.
import type { Fault } from '../api/fault.ts'
import { words } from '../words/index.ts'
import { Copy } from './copy.tsx'
import css from './fault.module.css'

interface Props {
  fault: Fault
  /** What the error belongs to, where the place does not show it. */
  about?: string
  again?: () => void
}

export function FaultNote({ fault, about, again }: Props) {
  const advice: Record<string, string | undefined> = words.advice
  return (
    <div class={css.fault} role="alert">
      {about !== undefined && <p class="foreign">{about}</p>}
      <p>
        <strong class="foreign">{fault.status === 0 ? words.advice.unreachable : fault.message}</strong>
      </p>
      {fault.details.length > 0 && (
        <ul>
          {fault.details.map(({ path, message }) => (
            <li key={`${path.join('.')} ${message}`} class="foreign">
              <code>{path.join('.')}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {fault.status === 0 ? words.advice.retrying : (advice[fault.code] ?? words.advice.contactSupport)}
      </p>
      {fault.status !== 0 && (
        <p class="quiet">
          {words.parts.errorCode} <code>{fault.code}</code>
          {fault.requestId && (
            <>
              {' · '}
              {words.parts.request} <Copy text={fault.requestId} />
            </>
          )}
        </p>
      )}
      {again && (
        <button type="button" onClick={again}>
          {words.parts.retry}
        </button>
      )}
    </div>
  )
}
