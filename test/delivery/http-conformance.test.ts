// A carrier that is described as HTTP does what every carrier must, over real HTTP.
import { HttpConnection } from '../../src/delivery/http/http-connection.ts'
import type { HttpDescription } from '../../src/domain/http-carrier/description.ts'
import { packSecrets } from '../../src/domain/http-carrier/secrets.ts'
import { AddressGuard } from '../../src/outbound/address-guard.ts'
import { systemChance } from '../../src/runtime/chance.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { type Carrier, carrierPasswordContext } from '../../src/store/carriers.ts'
import { answer, describe, type Provider, SECRETS, startProvider } from '../harness/http-carrier.ts'
import { type CarrierKind, conforms, type FarEnd, type Fate } from './carrier-conformance.ts'

const CARRIER = '01930000-0000-7000-8000-00000000000c'
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
    const clock = new SystemClock()
    const keyring = parseKeyring(newKeyringText(systemChance), systemChance)
    const passwordSealed = keyring.seal('secrets', carrierPasswordContext(CARRIER), packSecrets(SECRETS))
    const usual = { preset: null, onlyTo: [], method: 'POST', headers: {}, many: null, receipts: null }
    const description = { ...usual, ...describe(provider.url) }
    const carrier = {
      id: CARRIER,
      name: 'Conforming',
      window,
      answerSeconds,
      passwordSealed,
      http: { description: description as HttpDescription, secretNames: ['token'] },
    } as Partial<Carrier> as Carrier
    const guard = new AddressGuard({ isAllowed: () => true })
    const connection = new HttpConnection({
      carrierId: CARRIER,
      number: 1,
      mode: 'transmitter',
      carrier: () => carrier,
      ports: { clock, chance: systemChance, keyring },
      guard,
      log: createLog('silent'),
      events,
    })
    t.after(async () => {
      connection.hangUp()
      await connection.close()
      guard.close()
      await provider.close()
    })
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
    hangUp: () => provider.hangUp(),
  }
}

conforms(http)
