// Infobip, by "Quickstart: Send an SMS and get a delivery report", "Message status codes" and "Handling errors".
import type { FakeProvider, Said } from './fake.ts'

const status = (groupId: number, groupName: string, id: number, name: string) => ({
  groupId,
  groupName,
  id,
  name,
  description: name,
})
const of = (messageId: string, told: ReturnType<typeof status>): Said => ({
  status: 200,
  body: { bulkId: `bulk-${messageId}`, messages: [{ messageId, status: told, destination: '9779841000001' }] },
})
const rejected = (id: number, name: string) => of('rejected', status(5, 'REJECTED', id, name))
const no = (code: number, errorCode: string, description: string): Said => ({
  status: code,
  body: { errorCode, description, action: '', violations: [], resources: [] },
})

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
  taken: (_, count) => of(`2250be2d4219-${count}`, status(1, 'PENDING', 26, 'PENDING_ACCEPTED')),
  refusals: [
    { says: rejected(8, 'REJECTED_PREFIX_MISSING'), error: 'invalid_number' },
    { says: rejected(14, 'REJECTED_DESTINATION'), error: 'carrier_rejected' },
    { says: rejected(99, 'REJECTED_BY_A_NAME_OF_TOMORROW'), error: 'carrier_rejected' },
    { says: no(400, 'E400', 'Bad request'), error: 'carrier_rejected' },
  ],
  notNow: rejected(12, 'REJECTED_NOT_ENOUGH_CREDITS'),
  throttled: no(429, 'E429', 'Too many requests'),
  open: [rejected(21, 'REJECTED_SYSTEM_ERROR'), no(500, 'E500', 'Internal server error')],
}
