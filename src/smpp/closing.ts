// Why a session ended.
import { statusName } from './status.ts'

export type Closing = {
  reason:
    | 'unbound' // orderly, by either side
    | 'closed' // by close() on this side
    | 'bind_refused' // with `status`
    | 'bind_timeout'
    | 'silent' // no response to enquire_link
    | 'garbled' // invalid bytes from the peer
    | 'lost' // closed by the peer or the network
  status?: number
  error?: Error | undefined
}

/** The session ended before the bind; `status` is set if the SMSC sent one. */
export class BindError extends Error {
  override readonly name = 'BindError'
  readonly status: number | undefined

  constructor({ reason, status, error }: Closing) {
    const detail = status === undefined ? (error?.message ?? '') : statusName(status)
    super(`not bound: ${reason} ${detail}`.trim(), { cause: error })
    this.status = status
  }
}
