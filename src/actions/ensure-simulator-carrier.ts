// The carrier that leads to the simulator, and the route that leads there whatever no other route claims: made at the first
// start. Afterwards the operator may change them at will; only the address and the account follow the simulator, and where
// several run on one database, one that lives.
import { isHeld, listBinds, type StoredBind } from '../store/carrier-binds.ts'
import { type Carrier, carrierPasswordContext, findCarrierOf } from '../store/carriers.ts'
import { type House, THE_SERVICE } from './house.ts'
import { addCarrier, addRoute, changeCarrier, changingCarriers, type NewCarrier } from './manage-carriers.ts'

export type SimulatorAccount = Pick<NewCarrier, 'host' | 'port' | 'systemId' | 'password'>

const NAME = 'Simulator'
const LAST_OF_ALL = 1_000_000
const OUR_SYSTEM_ID = 'simulator-'
/** Until there was one for each database; a carrier that still has it gets its own. */
const ONCE_EVERYBODYS = 'hulaki'

const usual: Omit<NewCarrier, keyof SimulatorAccount> = {
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
  receiptsByText: false,
  alphabet: 'gsm',
  longMessages: 'udh',
  sourceTon: null,
  sourceNpi: null,
  defaultSender: null,
  statusOverrides: { answers: {}, reports: {} },
  resendUnknown: false,
  enabled: true,
}

/**
 * Whom the simulators of this database let in: several houses may share a machine, and one must neither read the messages of
 * another nor take its receipts. It is made once and stays in the carrier.
 */
export async function simulatorCredentials(house: House): Promise<Pick<SimulatorAccount, 'systemId' | 'password'>> {
  const known = await findOurs(house)
  // SMPP gives a name 15 characters, and a password 8.
  const made = {
    systemId: (OUR_SYSTEM_ID + house.chance.bytes(3).toString('hex')).slice(0, 15),
    password: house.chance.bytes(6).toString('base64url'),
  }
  if (!known?.systemId.startsWith(OUR_SYSTEM_ID)) return made
  const password = passwordOf(house, known)
  return { systemId: known.systemId, password: password === ONCE_EVERYBODYS ? made.password : password }
}

export async function ensureSimulatorCarrier(house: House, account: SimulatorAccount): Promise<void> {
  const known = await findOurs(house)
  if (!known) await makeCarrier(house, account)
  else if (!leadsTo(house, known, account)) await leadTo(house, known, account)
}

/** Leads the carrier here when it leads to another simulator that does not let delivery in any more. Says whether it did. */
export async function adoptSimulatorCarrier(house: House, account: SimulatorAccount): Promise<boolean> {
  const known = await findOurs(house)
  if (!known || leadsTo(house, known, account)) return false
  const now = house.clock.now()
  // Only the word of who lives counts, and only on the address that stands there now.
  const binds = (await listBinds(house.db)).filter((bind) => bind.carrierId === known.id && isHeld(bind, now))
  const hasFailed = ({ state, lastErrorAt }: StoredBind) =>
    state === 'waiting' && lastErrorAt !== null && lastErrorAt > known.updatedAt
  const isDown = binds.some(hasFailed) && !binds.some(({ state }) => state === 'bound')
  if (isDown) await leadTo(house, known, account)
  return isDown
}

/** By its account, for the operator may give it another name. */
function findOurs({ db }: House): Promise<Carrier | null> {
  return findCarrierOf(db, { systemId: OUR_SYSTEM_ID, name: NAME })
}

async function leadTo(house: House, { id }: Carrier, account: SimulatorAccount): Promise<void> {
  await changeCarrier(house, THE_SERVICE, { id, change: (carrier) => ({ ...carrier, ...account }) })
}

async function makeCarrier(house: House, account: SimulatorAccount): Promise<void> {
  const caller = THE_SERVICE
  // A carrier of that name that another process has just made is as good as ours: the refusal is no news.
  await changingCarriers(house, async (tx) => {
    const carrier = await addCarrier(tx, { house, caller, given: { ...usual, ...account } })
    const given = { country: '*', prefixes: [], types: null, carrierId: carrier.id, priority: LAST_OF_ALL }
    return addRoute(tx, { house, caller, given })
  })
}

function leadsTo(house: House, carrier: Carrier, { host, port, systemId, password }: SimulatorAccount): boolean {
  const isThere = carrier.host === host && carrier.port === port
  return isThere && carrier.systemId === systemId && passwordOf(house, carrier) === password
}

function passwordOf({ keyring }: House, { id, passwordSealed }: Carrier): string {
  return keyring.open('secrets', carrierPasswordContext(id), passwordSealed)
}
