// A send on its way through the batches of acceptance.
import type { AcceptedMessage } from '../../domain/messages/acceptance.ts'
import type { SendRequest } from '../../domain/messages/send-request.ts'
import type { NewCode } from '../../store/codes/one-time-codes.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'

/** What somebody asks for, and how it is told what became of it. */
export interface Sending {
  client: KnownClient
  request: SendRequest
  /** Writes the answer, once: whoever asks again with the same key gets its very bytes (§8.3). */
  answerOf: (message: AcceptedMessage) => string
}

/** Ready for the lane. */
export interface ReadySending extends Sending {
  /** For a send with a code: what is kept of it. */
  code: NewCode | null
}
