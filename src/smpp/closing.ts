// Why a session ended.
import { statusName } from './status.ts'

export type Closing = {
  reason:
    | 'unbound' // an orderly end, whoever asked for it
    | 'closed' // close() was called here
    | 'bind_refused' // with `status`
    | 'bind_timeout'
    | 'silent' // the peer did not answer enquire_link
    | 'garbled' // the peer's bytes could not be followed
    | 'lost' // the peer or the network ended the connection
  status?: number
  error?: Error | undefined
}

/** The session ended before it was bound; `status` is set where the SMSC said why. */
export class BindError extends Error {
  override readonly name = 'BindError'
  readonly status: number | undefined

  constructor({ reason, status, error }: Closing) {
    const detail = status === undefined ? (error?.message ?? '') : statusName(status)
    super(`not bound: ${reason} ${detail}`.trim(), { cause: error })
    this.status = status
  }
}
