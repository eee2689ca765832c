// SMPP carriers have the guarantees of every protocol.
import assert from 'node:assert/strict'
import { encryptCarrierSecrets } from '../../src/actions/carriers/carrier-secrets.ts'
import { Bind } from '../../src/delivery/smpp/bind.ts'
import type { SmppCarrier } from '../../src/domain/carriers/carrier.ts'
import { DEFAULT_COMMON_SETTINGS } from '../../src/domain/carriers/common-settings.ts'
import { DEFAULT_SMPP_SETTINGS } from '../../src/domain/carriers/smpp/smpp-settings.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { type Plan, startSmsc } from '../harness/smsc.ts'
import { type CarrierKind, conforms, type FarEnd, type FarEndBehavior } from './carrier-conformance.ts'

const CARRIER = '01930000-0000-7000-8000-00000000000c'
const PLANS: Record<FarEndBehavior, Plan> = {
  accept: {},
  'invalid number': { status: 0x0b },
  'not now': { status: 0x08 },
  throttled: { status: 0x58 },
  'no response': { answer: 'never' },
}

const smpp: CarrierKind = {
  name: 'SMPP',
  deliversReports: true,
  open: async (t, { window, answerSeconds, events }) => {
    const smsc = await startSmsc()
    const clock = new SystemClock()
    const keyring = parseKeyring(newKeyringText(systemRandom), systemRandom)
    const now = clock.now()
    const carrier: SmppCarrier = {
      ...DEFAULT_COMMON_SETTINGS,
      id: CARRIER,
      name: 'Conforming',
      window,
      answerSeconds,
      kind: 'smpp',
      smpp: { ...DEFAULT_SMPP_SETTINGS, host: '127.0.0.1', port: smsc.port, systemId: 'hulaki' },
      secretsSealed: encryptCarrierSecrets({ keyring }, CARRIER, { password: 'secret', tlsKey: null }),
      createdAt: now,
      updatedAt: now,
    }
    const connection = new Bind({
      carrierId: CARRIER,
      number: 1,
      mode: 'transceiver',
      carrier: () => carrier,
      homes: () => ['NP'],
      ports: { clock, ids: new Ids(clock, systemRandom), random: systemRandom, keyring },
      log: createLog('silent'),
      events,
    })
    t.after(async () => {
      connection.abort()
      await connection.close()
      await smsc.close()
    })
    return { connection, farEnd: farEndOf(smsc) }
  },
}

function farEndOf(smsc: Awaited<ReturnType<typeof startSmsc>>): FarEnd {
  const told = async (status: Promise<number>) => ((await status) === 0 ? 'kept' : 'again')
  return {
    get given() {
      return smsc.taken.map(({ to }) => to)
    },
    get links() {
      return smsc.sessions.size
    },
    decide: (fate, held) => {
      smsc.plan = () => ({ ...PLANS[fate], ...(held && { answer: held }) })
    },
    report: (to, state) => {
      const submission = smsc.taken.findLast((it) => it.to === to)
      assert(submission)
      return told(smsc.reportOn(submission, state))
    },
    reply: (from, text) =>
      told(
        smsc.send({
          source_addr: from.slice(1),
          source_addr_ton: 1,
          source_addr_npi: 1,
          destination_addr: 'Brand',
          short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0),
        }),
      ),
    disconnect: () => smsc.disconnect(),
  }
}

conforms(smpp)
