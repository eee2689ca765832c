// The carrier that leads to the simulator, and the route that leads there whatever no other route claims: made at the first
// start. Afterwards the operator may change them at will; only the address and the account follow the simulator, and where
// several run on one database, one that lives.

import { type Carrier, isLeased, type SmppCarrier } from '../../domain/carriers/carrier.ts'
import { type CommonSettings, DEFAULT_COMMON_SETTINGS } from '../../domain/carriers/common-settings.ts'
import type { SmppSecrets } from '../../domain/carriers/secrets.ts'
import { DEFAULT_SMPP_SETTINGS, type SmppAccount } from '../../domain/carriers/smpp/smpp-settings.ts'
import { listBinds, type StoredBind } from '../../store/carriers/carrier-binds.ts'
import { findSmppCarrier } from '../../store/carriers/carriers.ts'
import type { Queries } from '../../store/database/db.ts'
import { type Ports, THE_SERVICE } from '../ports.ts'
import { smppSecretsOf } from './carrier-secrets.ts'
import { addCarrier, addRoute, type ChangedCarrier, changeCarrier, changingCarriers } from './manage-carriers.ts'

export type SimulatorAccount = SmppAccount & Pick<SmppSecrets, 'password'>

const NAME = 'Simulator'
const LAST_OF_ALL = 1_000_000
const OUR_SYSTEM_ID = 'simulator-'
/** Until there was one for each database; a carrier that still has it gets its own. */
const ONCE_EVERYBODYS = 'hulaki'

const usual: CommonSettings = {
  ...DEFAULT_COMMON_SETTINGS,
  name: NAME,
  window: 100,
  // It answers within milliseconds or, where the number says so, never.
  answerSeconds: 5,
  // More than anybody will send, but a speed to come down from: one message to 13 must not bring the rest to a crawl.
  segmentsPerSecond: 10_000,
  // It does what the number says, so its answers tell nothing of itself.
  breakAfterUnanswered: null,
  breakAfterRefused: null,
}

/**
 * Whom the simulators of this database let in: several services may share a machine, and one must neither read the messages of
 * another nor take its receipts. It is made once and stays in the carrier.
 */
export async function simulatorCredentials(ports: Ports): Promise<Pick<SimulatorAccount, 'systemId' | 'password'>> {
  const known = await findOurs(ports)
  // SMPP gives a name 15 characters, and a password 8.
  const made = {
    systemId: (OUR_SYSTEM_ID + ports.chance.bytes(3).toString('hex')).slice(0, 15),
    password: ports.chance.bytes(6).toString('base64url'),
  }
  if (!known?.smpp.systemId.startsWith(OUR_SYSTEM_ID)) return made
  const { password } = smppSecretsOf(ports, known)
  return { systemId: known.smpp.systemId, password: password === ONCE_EVERYBODYS ? made.password : password }
}

export async function ensureSimulatorCarrier(ports: Ports, account: SimulatorAccount): Promise<void> {
  const known = await findOurs(ports)
  if (!known) await makeCarrier(ports, account)
  else if (!leadsTo(ports, known, account)) await leadTo(ports, known, account)
}

/** Leads the carrier here when it leads to another simulator that does not let delivery in any more. Says whether it did. */
export async function adoptSimulatorCarrier(ports: Ports, account: SimulatorAccount): Promise<boolean> {
  const known = await findOurs(ports)
  if (!known || leadsTo(ports, known, account)) return false
  const now = ports.clock.now()
  // Only the word of who lives counts, and only on the address that stands there now.
  const binds = (await listBinds(ports.db)).filter(
    (bind) => bind.carrierId === known.id && isLeased(bind.leasedUntil, now),
  )
  const hasFailed = ({ state, lastErrorAt }: StoredBind) =>
    state === 'waiting' && lastErrorAt !== null && lastErrorAt > known.updatedAt
  const isDown = binds.some(hasFailed) && !binds.some(({ state }) => state === 'bound')
  if (isDown) await leadTo(ports, known, account)
  return isDown
}

/** The carrier of the simulator, if there ever was one here. */
export async function findSimulatorCarrier(db: Queries): Promise<SmppCarrier | null> {
  const carrier = await findOurs({ db })
  return carrier?.smpp.systemId.startsWith(OUR_SYSTEM_ID) ? carrier : null
}

/** By its account, for the operator may give it another name. */
function findOurs({ db }: { db: Queries }): Promise<SmppCarrier | null> {
  return findSmppCarrier(db, { systemIdPrefix: OUR_SYSTEM_ID, name: NAME })
}

async function leadTo(ports: Ports, { id }: SmppCarrier, { password, ...account }: SimulatorAccount): Promise<void> {
  const change = (carrier: Carrier): ChangedCarrier => {
    if (carrier.kind !== 'smpp') return carrier
    const secrets = { ...smppSecretsOf(ports, carrier), password }
    return { ...carrier, smpp: { ...carrier.smpp, ...account }, secrets }
  }
  await changeCarrier(ports, THE_SERVICE, { id, change })
}

async function makeCarrier(ports: Ports, { password, ...account }: SimulatorAccount): Promise<void> {
  const caller = THE_SERVICE
  const protocol = {
    kind: 'smpp',
    smpp: { ...DEFAULT_SMPP_SETTINGS, ...account },
    secrets: { password, tlsKey: null },
  } as const
  // A carrier of that name that another process has just made is as good as ours: the refusal is no news.
  await changingCarriers(ports, caller, async (tx) => {
    const carrier = await addCarrier(tx, { ports, caller, given: { ...usual, ...protocol } })
    const route = { country: '*', prefixes: [], types: null, carrierId: carrier.id, priority: LAST_OF_ALL }
    return addRoute(tx, { ports, caller, given: { ...route, overflow: false, weight: 0 } })
  })
}

function leadsTo(ports: Ports, carrier: SmppCarrier, { host, port, systemId, password }: SimulatorAccount): boolean {
  const { smpp } = carrier
  const isSameAccount = smpp.host === host && smpp.port === port && smpp.systemId === systemId
  return isSameAccount && smppSecretsOf(ports, carrier).password === password
}
