// Creates, changes and removes carriers and routes, and notifies delivery.
import type { BindMode } from '../../domain/carriers/bind.ts'
import type { Carrier, CarrierSettings, HttpSettings } from '../../domain/carriers/carrier.ts'
import type { CommonSettings } from '../../domain/carriers/common-settings.ts'
import type { Route } from '../../domain/carriers/routing.ts'
import type { HttpSecrets, SmppSecrets } from '../../domain/carriers/secrets.ts'
import { type SmppSettings, tlsError } from '../../domain/carriers/smpp/smpp-settings.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { setBinds } from '../../store/carriers/carrier-binds.ts'
import { deleteCarrier, findCarrier, lockCarrier, storeCarrier } from '../../store/carriers/carriers.ts'
import { deleteRoute, insertRoute, lockRoute, type StoredRoute, updateRoute } from '../../store/carriers/routes.ts'
import { brokenConstraint, type Tx } from '../../store/database/db.ts'
import { raiseRoutingRevision } from '../../store/service/service.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'
import { decryptSmppSecrets, encryptCarrierSecrets } from './carrier-secrets.ts'

/** Settings with secrets in plain text. */
export type NewCarrier = CommonSettings &
  (
    | { kind: 'smpp'; smpp: SmppSettings; secrets: SmppSecrets }
    | { kind: 'http'; http: HttpSettings; secrets: HttpSecrets }
  )
/** Without `secrets` they stay unchanged. */
export type ChangedCarrier = CarrierSettings & { secrets?: HttpSecrets | SmppSecrets }

export function createCarrier(ports: Ports, caller: Caller, given: NewCarrier): Promise<Carrier | Refusal> {
  const refusal = given.kind === 'smpp' ? refuseTls(given.smpp, given.secrets) : null
  if (refusal) return Promise.resolve(refusal)
  return changingCarriers(ports, caller, (tx) => addCarrier(tx, { ports, caller, given }))
}

export async function addCarrier(
  tx: Tx,
  { ports, caller, given }: { ports: Ports; caller: Caller; given: NewCarrier },
): Promise<Carrier> {
  const { secrets, ...settings } = given
  const id = ports.ids.next()
  const now = ports.clock.now()
  const secretsSealed = encryptCarrierSecrets(ports, id, secrets)
  const carrier: Carrier = { ...settings, id, secretsSealed, createdAt: now, updatedAt: now }
  await storeCarrier(tx, carrier)
  await setBinds(tx, { carrierId: id, modes: bindModes(carrier), now })
  const details = auditDetailsOf(settings)
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.created', subject: id, details })
  return carrier
}

/** `change` returns the new settings. */
export function changeCarrier(
  ports: Ports,
  caller: Caller,
  { id, change }: { id: string; change: (carrier: Carrier) => ChangedCarrier | Refusal },
): Promise<Carrier | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const before = await lockCarrier(tx, id)
    if (!before) return refuse('not_found')
    const changed = change(before)
    if (changed instanceof Refusal) return changed
    const { secrets, ...settings } = changed
    const secretsSealed = secrets ? encryptCarrierSecrets(ports, id, secrets) : before.secretsSealed
    const after: Carrier = { ...settings, id, secretsSealed, createdAt: before.createdAt, updatedAt: ports.clock.now() }
    const refusal = after.kind === 'smpp' ? refuseTls(after.smpp, decryptSmppSecrets(ports, after)) : null
    if (refusal) return refusal
    await storeCarrier(tx, after)
    await setBinds(tx, { carrierId: id, modes: bindModes(after), now: after.updatedAt })
    const { updatedAt: _, ...details } = differences(auditDetailsOf(before), auditDetailsOf(after))
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.changed', subject: id, details })
    return after
  })
}

function refuseTls({ tlsCertificate: certificate }: SmppSettings, { tlsKey: key }: SmppSecrets): Refusal | null {
  const error = tlsError({ certificate, key })
  return error === null ? null : refuseField('tlsKey', error)
}

/** The audit log lists each setting separately. */
function auditDetailsOf(carrier: CarrierSettings): Record<string, unknown> {
  if (carrier.kind === 'smpp') {
    const { smpp, ...common } = carrier
    return { ...common, ...smpp }
  }
  const { http, ...common } = carrier
  return { ...common, ...http }
}

/** Refused while a route uses the carrier: its messages would wait for nothing. */
export function removeCarrier(ports: Ports, caller: Caller, id: string): Promise<null | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const carrier = await lockCarrier(tx, id)
    if (!carrier) return refuse('not_found')
    await deleteCarrier(tx, id)
    const details = { name: carrier.name }
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.removed', subject: id, details })
    return null
  })
}

export function createRoute(ports: Ports, caller: Caller, given: Omit<Route, 'id'>): Promise<StoredRoute | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    if (!(await findCarrier(tx, given.carrierId))) return refuseField('carrierId', 'Carrier not found')
    return addRoute(tx, { ports, caller, given })
  })
}

export async function addRoute(
  tx: Tx,
  { ports, caller, given }: { ports: Ports; caller: Caller; given: Omit<Route, 'id'> },
): Promise<StoredRoute> {
  const route = { id: ports.ids.next(), ...given, createdAt: ports.clock.now() }
  await insertRoute(tx, route)
  const details = { ...given }
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'route.created', subject: route.id, details })
  return route
}

export function changeRoute(
  ports: Ports,
  caller: Caller,
  { id, change }: { id: string; change: (route: StoredRoute) => Omit<Route, 'id'> | Refusal },
): Promise<StoredRoute | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const before = await lockRoute(tx, id)
    if (!before) return refuse('not_found')
    const changed = change(before)
    if (changed instanceof Refusal) return changed
    if (!(await findCarrier(tx, changed.carrierId))) return refuseField('carrierId', 'Carrier not found')
    await updateRoute(tx, { ...changed, id })
    const details = differences(before, changed)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'route.changed', subject: id, details })
    return { ...before, ...changed }
  })
}

export function removeRoute(ports: Ports, caller: Caller, id: string): Promise<null | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    if (!(await lockRoute(tx, id))) return refuse('not_found')
    await deleteRoute(tx, id)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'route.removed', subject: id })
    return null
  })
}

/** Runs `work` in a transaction, raises the routing revision and notifies delivery. */
export async function changingCarriers<Result>(
  ports: Ports,
  caller: Caller,
  work: (tx: Tx) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
      const done = await work(tx)
      if (!(done instanceof Refusal)) await raiseRoutingRevision(tx)
      return done
    })
    if (!(result instanceof Refusal)) ports.notifications.notify('carriers')
    return result
  } catch (error) {
    const broken = brokenConstraint(error)
    if (broken === 'carrier_name') return refuse('conflict', { error: 'A carrier with this name already exists' })
    if (broken === 'route_carrier')
      return refuse('conflict', { error: 'A route uses this carrier; delete the route first' })
    throw error
  }
}

/** Separate SMPP binds are transmitters and receivers. HTTP connections only submit. */
function bindModes(carrier: CarrierSettings): BindMode[] {
  const { binds } = carrier
  const times = (count: number, mode: BindMode) => Array.from({ length: count }, () => mode)
  if (carrier.kind === 'http') return times(binds, 'transmitter')
  const { bindMode, receivers } = carrier.smpp
  if (bindMode === 'transceiver') return times(binds, 'transceiver')
  return [...times(binds, 'transmitter'), ...times(receivers, 'receiver')]
}
