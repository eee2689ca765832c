// A carrier that is described as HTTP does what every carrier must, over real HTTP.
import { answer, openHttp, type Provider, startProvider } from '../harness/http-carrier.ts'
import { type CarrierKind, conforms, type FarEnd, type Fate } from './carrier-conformance.ts'

const ANSWERS: Record<Exclude<Fate, 'never answered'>, [number, unknown]> = {
  taken: [200, { id: 'an-id' }],
  'invalid number': [400, { error: 'invalid number' }],
  'not now': [503, { error: 'not now' }],
  throttled: [429, {}],
}

const http: CarrierKind = {
  name: 'HTTP',
  tellsByItself: false,
  open: async (t, { window, answerSeconds, events }) => {
    const provider = await startProvider()
    const { connection } = openHttp(t, provider, { window, answerSeconds, events })
    return { connection, farEnd: farEndOf(provider) }
  },
}

function farEndOf(provider: Provider): FarEnd {
  const unable = async () => {
    throw new Error('a provider does not speak over the calls it is sent')
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
        if (fate !== 'never answered') answer(response, ...ANSWERS[fate])
      }),
    report: unable,
    reply: unable,
    disconnect: () => provider.disconnect(),
  }
}

conforms(http)
