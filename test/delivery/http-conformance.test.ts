// HTTP carriers have the guarantees of every protocol.
import { answer, openHttp, type Provider, startProvider } from '../harness/http-carrier.ts'
import { type CarrierKind, conforms, type FarEnd, type FarEndBehavior } from './carrier-conformance.ts'

const ANSWERS: Record<Exclude<FarEndBehavior, 'no response'>, [number, unknown]> = {
  accept: [200, { id: 'an-id' }],
  'invalid number': [400, { error: 'invalid number' }],
  'not now': [503, { error: 'not now' }],
  throttled: [429, {}],
}

const http: CarrierKind = {
  name: 'HTTP',
  deliversReports: false,
  open: async (t, { window, answerSeconds, events }) => {
    const provider = await startProvider()
    const { connection } = openHttp(t, provider, { window, answerSeconds, events })
    return { connection, farEnd: farEndOf(provider) }
  },
}

function farEndOf(provider: Provider): FarEnd {
  const unable = async () => {
    throw new Error('an HTTP provider does not deliver over this connection')
  }
  return {
    get given() {
      return provider.got.map(({ json }) => json.to as string)
    },
    get links() {
      return provider.sockets.size
    },
    decide: (fate, held) =>
      provider.does(async (_, response) => {
        await held
        if (fate !== 'no response') answer(response, ...ANSWERS[fate])
      }),
    report: unable,
    reply: unable,
    disconnect: () => provider.disconnect(),
  }
}

conforms(http)
