// Infobip, by "Quickstart: Send an SMS and get a delivery report", "Message status codes" and "Handling errors". It calls webhooks.delivery.url
// with a list of receipts, by "Receive outbound SMS message report".
import type { FakeProvider, ProviderResponse, ReportedState } from './fake.ts'

const status = (groupId: number, groupName: string, id: number, name: string) => ({
  groupId,
  groupName,
  id,
  name,
  description: name,
})
const of = (messageId: string, state: ReturnType<typeof status>): ProviderResponse => ({
  status: 200,
  body: { bulkId: `bulk-${messageId}`, messages: [{ messageId, status: state, destination: '9779841000001' }] },
})
const rejected = (id: number, name: string) => of('rejected', status(5, 'REJECTED', id, name))
const no = (code: number, errorCode: string, description: string): ProviderResponse => ({
  status: code,
  body: { errorCode, description, action: '', violations: [], resources: [] },
})

const problem = (groupId: number, groupName: string, id: number, name: string) => ({
  ...status(groupId, groupName, id, name),
  permanent: id === 1,
})
const FINE = problem(0, 'Ok', 0, 'NO_ERROR')
const STATES: Record<ReportedState, { status: object; error: object }> = {
  // The group is DELIVERED, but the message is not on the handset yet.
  pending: { status: status(3, 'DELIVERED', 2, 'DELIVERED_TO_OPERATOR'), error: FINE },
  delivered: { status: status(3, 'DELIVERED', 5, 'DELIVERED_TO_HANDSET'), error: FINE },
  undelivered: {
    status: status(2, 'UNDELIVERABLE', 4, 'UNDELIVERABLE_REJECTED_OPERATOR'),
    error: problem(3, 'OPERATOR_ERRORS', 34, 'EC_SYSTEM_FAILURE'),
  },
  'invalid number': {
    status: status(2, 'UNDELIVERABLE', 9, 'UNDELIVERABLE_NOT_DELIVERED'),
    error: problem(1, 'HANDSET_ERRORS', 1, 'EC_UNKNOWN_SUBSCRIBER'),
  },
}

export const infobip: FakeProvider = {
  preset: 'infobip',
  values: {},
  secrets: { apiKey: 'a-key-of-infobip' },
  faultOf({ method, url, headers, json }) {
    if (headers.authorization !== 'App a-key-of-infobip') return no(401, 'E401', 'Unauthorized')
    if (method !== 'POST' || url !== '/sms/3/messages') return no(404, 'E404', 'Not Found')
    const [message] = json?.messages ?? []
    const isWhole = message?.sender && message.content?.text && /^\d{8,15}$/.test(message.destinations?.[0]?.to)
    return isWhole ? null : no(400, 'E400', 'Bad request')
  },
  read({ json }) {
    const [{ sender, destinations, content }] = json.messages
    return { to: `+${destinations[0].to}`, from: sender, text: content.text }
  },
  idOf: (count) => `2250be2d4219-${count}`,
  taken: (_, id) => of(id, status(1, 'PENDING', 26, 'PENDING_ACCEPTED')),
  refusals: [
    { says: rejected(8, 'REJECTED_PREFIX_MISSING'), error: 'invalid_number' },
    { says: rejected(14, 'REJECTED_DESTINATION'), error: 'carrier_rejected' },
    { says: rejected(99, 'REJECTED_BY_A_NAME_OF_TOMORROW'), error: 'carrier_rejected' },
    { says: no(400, 'E400', 'Bad request'), error: 'carrier_rejected' },
  ],
  notNow: rejected(12, 'REJECTED_NOT_ENOUGH_CREDITS'),
  throttled: no(429, 'E429', 'Too many requests'),
  open: [rejected(21, 'REJECTED_SYSTEM_ERROR'), no(500, 'E500', 'Internal server error')],
  report(pending) {
    const byUrl = Map.groupBy(pending, ({ got }) => got.json.messages[0].webhooks.delivery.url as string)
    return [...byUrl].map(([url, together]) => {
      const results = together.map(({ got, id, state }) => {
        const [{ sender, destinations, webhooks }] = got.json.messages
        const times = { sentAt: '2026-11-16T04:00:00.000+0000', doneAt: '2026-11-16T04:00:02.000+0000' }
        const about = { messageId: id, to: destinations[0].to, sender, callbackData: webhooks.callbackData }
        return { bulkId: `bulk-${id}`, ...about, ...times, messageCount: 1, ...STATES[state] }
      })
      const headers = { 'content-type': 'application/json' }
      return { url, method: 'POST', headers, body: JSON.stringify({ results }) }
    })
  },
}
