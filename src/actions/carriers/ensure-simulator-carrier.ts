// Creates the carrier of the simulator and its catch-all route, and keeps its address and account current.

import { type Carrier, isLeased, type SmppCarrier } from '../../domain/carriers/carrier.ts'
import { type CommonSettings, DEFAULT_COMMON_SETTINGS } from '../../domain/carriers/common-settings.ts'
import type { SmppSecrets } from '../../domain/carriers/secrets.ts'
import { DEFAULT_SMPP_SETTINGS, type SmppAccount } from '../../domain/carriers/smpp/smpp-settings.ts'
import { listBinds, type StoredBind } from '../../store/carriers/carrier-binds.ts'
import { findSmppCarrier } from '../../store/carriers/carriers.ts'
import type { Queries } from '../../store/database/db.ts'
import { type Ports, THE_SERVICE } from '../ports.ts'
import { decryptSmppSecrets } from './carrier-secrets.ts'
import { addCarrier, addRoute, type ChangedCarrier, changeCarrier, changingCarriers } from './manage-carriers.ts'

export type SimulatorAccount = SmppAccount & Pick<SmppSecrets, 'password'>

const NAME = 'Simulator'
const LAST_OF_ALL = 1_000_000
const OUR_SYSTEM_ID = 'simulator-'
/** The password of every database in older versions; it is replaced. */
const FORMER_PASSWORD = 'hulaki'

const usual: CommonSettings = {
  ...DEFAULT_COMMON_SETTINGS,
  name: NAME,
  window: 100,
  // The simulator answers within milliseconds or, for some numbers, never.
  answerSeconds: 5,
  // A finite limit, so that a throttled message (numbers ending in 13) slows the carrier down only a little.
  segmentsPerSecond: 10_000,
  // The number decides the answer, so answers do not show whether the simulator is healthy.
  breakAfterUnanswered: null,
  breakAfterRefused: null,
}

/**
 * The account for the simulators of this database. Several services may share a machine, and one must not read the messages or receipts
 * of another. The account is created once and stored with the carrier.
 */
export async function simulatorCredentials(ports: Ports): Promise<Pick<SimulatorAccount, 'systemId' | 'password'>> {
  const known = await findOurs(ports)
  // SMPP allows 15 characters for the system id and 8 for the password.
  const made = {
    systemId: (OUR_SYSTEM_ID + ports.random.bytes(3).toString('hex')).slice(0, 15),
    password: ports.random.bytes(6).toString('base64url'),
  }
  if (!known?.smpp.systemId.startsWith(OUR_SYSTEM_ID)) return made
  const { password } = decryptSmppSecrets(ports, known)
  return { systemId: known.smpp.systemId, password: password === FORMER_PASSWORD ? made.password : password }
}

export async function ensureSimulatorCarrier(ports: Ports, account: SimulatorAccount): Promise<void> {
  const known = await findOurs(ports)
  if (!known) await makeCarrier(ports, account)
  else if (!pointsTo(ports, known, account)) await pointTo(ports, known, account)
}

/** Points the carrier to this simulator if the one it points to no longer accepts binds. Returns whether it did. */
export async function adoptSimulatorCarrier(ports: Ports, account: SimulatorAccount): Promise<boolean> {
  const known = await findOurs(ports)
  if (!known || pointsTo(ports, known, account)) return false
  const now = ports.clock.now()
  // Only leased binds count, and only errors since the address was last changed.
  const binds = (await listBinds(ports.db)).filter(
    (bind) => bind.carrierId === known.id && isLeased(bind.leasedUntil, now),
  )
  const hasFailed = ({ state, lastErrorAt }: StoredBind) =>
    state === 'waiting' && lastErrorAt !== null && lastErrorAt > known.updatedAt
  const isDown = binds.some(hasFailed) && !binds.some(({ state }) => state === 'bound')
  if (isDown) await pointTo(ports, known, account)
  return isDown
}

export async function findSimulatorCarrier(db: Queries): Promise<SmppCarrier | null> {
  const carrier = await findOurs({ db })
  return carrier?.smpp.systemId.startsWith(OUR_SYSTEM_ID) ? carrier : null
}

/** By its account, because the operator may rename the carrier. */
function findOurs({ db }: { db: Queries }): Promise<SmppCarrier | null> {
  return findSmppCarrier(db, { systemIdPrefix: OUR_SYSTEM_ID, name: NAME })
}

async function pointTo(ports: Ports, { id }: SmppCarrier, { password, ...account }: SimulatorAccount): Promise<void> {
  const change = (carrier: Carrier): ChangedCarrier => {
    if (carrier.kind !== 'smpp') return carrier
    const secrets = { ...decryptSmppSecrets(ports, carrier), password }
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
  // A refusal means that another process has just created the carrier.
  await changingCarriers(ports, caller, async (tx) => {
    const carrier = await addCarrier(tx, { ports, caller, given: { ...usual, ...protocol } })
    const route = { country: '*', prefixes: [], types: null, carrierId: carrier.id, priority: LAST_OF_ALL }
    return addRoute(tx, { ports, caller, given: { ...route, overflow: false, weight: 0 } })
  })
}

function pointsTo(ports: Ports, carrier: SmppCarrier, { host, port, systemId, password }: SimulatorAccount): boolean {
  const { smpp } = carrier
  const isSameAccount = smpp.host === host && smpp.port === port && smpp.systemId === systemId
  return isSameAccount && decryptSmppSecrets(ports, carrier).password === password
}
