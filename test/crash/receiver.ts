// The webhook receiver of the crash loop: records every POST, and rejects some so that they are retried.
import { failOnRejection } from '../harness/background.ts'
import { type ReceivedRequest, startEndpoint } from '../webhooks/endpoints.ts'
import { LoopLink } from './peer.ts'

const REJECTED_ONE_IN = 40

const loop = new LoopLink()
let posts = 0

const endpoint = await startEndpoint({ after: (close) => process.once('disconnect', () => close()) }, (response) => {
  posts += 1
  const status = posts % REJECTED_ONE_IN === 0 ? 503 : 204
  // The endpoint keeps every request; this one has just been added.
  const { headers, body } = endpoint.received.pop() as ReceivedRequest
  loop.log({ deliveryId: headers['x-svc-delivery'], body: body.toString(), status })
  failOnRejection(loop.hold('webhook posted, no answer').then(() => response.writeHead(status).end()))
})

loop.listening(endpoint.port)
