// The carrier that leads to the simulator, and the route that leads there whatever no other route claims: made at the first
// start. Afterwards the operator may change them at will; only the address and the account follow the simulator.
import { type Carrier, carrierPasswordContext, findCarrierNamed } from '../store/carriers.ts'
import { type House, THE_SERVICE } from './house.ts'
import { addCarrier, addRoute, changeCarrier, changingCarriers, type NewCarrier } from './manage-carriers.ts'

type Account = Pick<NewCarrier, 'host' | 'port' | 'systemId' | 'password'>

const NAME = 'Simulator'
const LAST_OF_ALL = 1_000_000

const usual: Omit<NewCarrier, keyof Account> = {
  name: NAME,
  tls: false,
  systemType: '',
  bindMode: 'transceiver',
  binds: 1,
  window: 100,
  // It answers within milliseconds or, where the number says so, never.
  answerSeconds: 5,
  // More than anybody will send, but a speed to come down from: one message to 13 must not bring the rest to a crawl.
  segmentsPerSecond: 10_000,
  answerIdFormat: 'opaque',
  reportIdFormat: 'opaque',
  alphabet: 'gsm',
  longMessages: 'udh',
  sourceTon: null,
  sourceNpi: null,
  statusOverrides: { answers: {}, reports: {} },
  resendUnknown: false,
  enabled: true,
}

export async function ensureSimulatorCarrier(house: House, account: Account): Promise<void> {
  const known = await findCarrierNamed(house.db, NAME)
  if (!known) await makeCarrier(house, account)
  else if (!leadsTo(house, known, account)) {
    await changeCarrier(house, THE_SERVICE, { id: known.id, change: (carrier) => ({ ...carrier, ...account }) })
  }
}

async function makeCarrier(house: House, account: Account): Promise<void> {
  const caller = THE_SERVICE
  // A carrier of that name that another process has just made is as good as ours: the refusal is no news.
  await changingCarriers(house, async (tx) => {
    const carrier = await addCarrier(tx, { house, caller, given: { ...usual, ...account } })
    const given = { country: '*', prefixes: [], types: null, carrierId: carrier.id, priority: LAST_OF_ALL }
    return addRoute(tx, { house, caller, given })
  })
}

function leadsTo({ keyring }: House, carrier: Carrier, { host, port, systemId, password }: Account): boolean {
  const known = keyring.open('secrets', carrierPasswordContext(carrier.id), carrier.passwordSealed)
  return carrier.host === host && carrier.port === port && carrier.systemId === systemId && known === password
}
