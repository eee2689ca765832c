// Carriers and routes are added, changed and removed; delivery takes it up at once.
import type { Secrets } from '../domain/http-carrier/description.ts'
import { unpackSecrets } from '../domain/http-carrier/secrets.ts'
import { Refusal, refuse, refuseField } from '../domain/refusals.ts'
import type { Route } from '../domain/routing.ts'
import { type BindMode, setBinds } from '../store/carrier-binds.ts'
import {
  type Carrier,
  type CarrierSettings,
  carrierPasswordContext,
  deleteCarrier,
  findCarrier,
  insertCarrier,
  lockCarrier,
  updateCarrier,
} from '../store/carriers.ts'
import { brokenConstraint, type Tx } from '../store/db.ts'
import { deleteRoute, insertRoute, lockRoute, type StoredRoute, updateRoute } from '../store/routes.ts'
import type { Caller, Ports } from './ports.ts'
import { differences, recordChange } from './record-change.ts'

export type NewCarrier = Omit<CarrierSettings, 'passwordSealed'> & { password: string }

export function createCarrier(ports: Ports, caller: Caller, given: NewCarrier): Promise<Carrier | Refusal> {
  return changingCarriers(ports, caller, (tx) => addCarrier(tx, { ports, caller, given }))
}

export async function addCarrier(
  tx: Tx,
  { ports, caller, given }: { ports: Ports; caller: Caller; given: NewCarrier },
): Promise<Carrier> {
  const { password, ...details } = given
  const id = ports.ids.next()
  const now = ports.clock.now()
  const passwordSealed = ports.keyring.seal('secrets', carrierPasswordContext(id), password)
  const carrier: Carrier = { id, ...details, passwordSealed, createdAt: now, updatedAt: now }
  await insertCarrier(tx, carrier)
  await setBinds(tx, { carrierId: id, modes: bindModes(carrier), now })
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.created', subject: id, details })
  return carrier
}

type ChangedCarrier = CarrierSettings & { password?: string | undefined }

/** `change` gives the settings as they shall be, from those that are; a password of undefined stays as it is. */
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
    const { password, ...settings } = changed
    if (password !== undefined) {
      settings.passwordSealed = ports.keyring.seal('secrets', carrierPasswordContext(id), password)
    }
    const updatedAt = ports.clock.now()
    await updateCarrier(tx, { ...settings, id, updatedAt })
    await setBinds(tx, { carrierId: id, modes: bindModes(settings), now: updatedAt })
    const details = differences(before, settings)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.changed', subject: id, details })
    return { ...before, ...settings, updatedAt }
  })
}

/** D50: of a carrier over HTTP, to be changed or used, never to be shown. */
export function httpSecretsOf({ keyring }: Pick<Ports, 'keyring'>, { id, passwordSealed }: Carrier): Secrets {
  return unpackSecrets(keyring.open('secrets', carrierPasswordContext(id), passwordSealed))
}

/** Not while a route leads there: whoever waits for it would wait in vain. */
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
    if (!(await findCarrier(tx, given.carrierId))) return refuseField('carrierId', 'There is no such carrier')
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
    if (!(await findCarrier(tx, changed.carrierId))) return refuseField('carrierId', 'There is no such carrier')
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

/** One transaction, and word to the delivery role wherever it is played. */
export async function changingCarriers<Result>(
  ports: Ports,
  caller: Caller,
  work: (tx: Tx) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    const result = await ports.managementDb(caller.actor).transaction(work)
    if (!(result instanceof Refusal)) ports.bell.ring('carriers')
    return result
  } catch (fault) {
    const broken = brokenConstraint(fault)
    if (broken === 'carrier_name') return refuse('conflict', { error: 'There is a carrier of this name' })
    if (broken === 'route_carrier') return refuse('conflict', { error: 'A route leads to this carrier' })
    throw fault
  }
}

/** Separate binds: as many to submit, and one to hear the carrier. Over HTTP nothing is heard by the way that submits. */
function bindModes({ kind, bindMode, binds }: CarrierSettings): BindMode[] {
  if (kind === 'http') return Array.from({ length: binds }, () => 'transmitter')
  if (bindMode === 'transceiver') return Array.from({ length: binds }, () => 'transceiver')
  return [...Array.from({ length: binds }, (): BindMode => 'transmitter'), 'receiver']
}
