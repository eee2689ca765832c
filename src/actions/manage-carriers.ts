// Carriers and routes are added, changed and removed; delivery takes it up at once.
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
import type { Caller, House } from './house.ts'
import { differences, recordChange } from './record-change.ts'

export type NewCarrier = Omit<CarrierSettings, 'passwordSealed'> & { password: string }

export function createCarrier(house: House, caller: Caller, given: NewCarrier): Promise<Carrier | Refusal> {
  return changingCarriers(house, (tx) => addCarrier(tx, { house, caller, given }))
}

export async function addCarrier(
  tx: Tx,
  { house, caller, given }: { house: House; caller: Caller; given: NewCarrier },
): Promise<Carrier> {
  const { password, ...details } = given
  const id = house.ids.next()
  const now = house.clock.now()
  const passwordSealed = house.keyring.seal('secrets', carrierPasswordContext(id), password)
  const carrier: Carrier = { id, ...details, passwordSealed, createdAt: now, updatedAt: now }
  await insertCarrier(tx, carrier)
  await setBinds(tx, { carrierId: id, modes: bindModes(carrier), now })
  await recordChange(tx, { house, caller, workspaceId: null, action: 'carrier.created', subject: id, details })
  return carrier
}

/** `change` gives the settings as they shall be, from those that are; a password of undefined stays as it is. */
export function changeCarrier(
  house: House,
  caller: Caller,
  { id, change }: { id: string; change: (carrier: Carrier) => CarrierSettings & { password?: string | undefined } },
): Promise<Carrier | Refusal> {
  return changingCarriers(house, async (tx) => {
    const before = await lockCarrier(tx, id)
    if (!before) return refuse('not_found')
    const { password, ...settings } = change(before)
    if (password !== undefined) {
      settings.passwordSealed = house.keyring.seal('secrets', carrierPasswordContext(id), password)
    }
    const updatedAt = house.clock.now()
    await updateCarrier(tx, { ...settings, id, updatedAt })
    await setBinds(tx, { carrierId: id, modes: bindModes(settings), now: updatedAt })
    const details = differences(before, settings)
    await recordChange(tx, { house, caller, workspaceId: null, action: 'carrier.changed', subject: id, details })
    return { ...before, ...settings, updatedAt }
  })
}

/** Not while a route leads there: whoever waits for it would wait in vain. */
export function removeCarrier(house: House, caller: Caller, id: string): Promise<null | Refusal> {
  return changingCarriers(house, async (tx) => {
    const carrier = await lockCarrier(tx, id)
    if (!carrier) return refuse('not_found')
    await deleteCarrier(tx, id)
    const details = { name: carrier.name }
    await recordChange(tx, { house, caller, workspaceId: null, action: 'carrier.removed', subject: id, details })
    return null
  })
}

export function createRoute(house: House, caller: Caller, given: Omit<Route, 'id'>): Promise<StoredRoute | Refusal> {
  return changingCarriers(house, async (tx) => {
    if (!(await findCarrier(tx, given.carrierId))) return refuseField('carrierId', 'There is no such carrier')
    return addRoute(tx, { house, caller, given })
  })
}

export async function addRoute(
  tx: Tx,
  { house, caller, given }: { house: House; caller: Caller; given: Omit<Route, 'id'> },
): Promise<StoredRoute> {
  const route = { id: house.ids.next(), ...given, createdAt: house.clock.now() }
  await insertRoute(tx, route)
  const details = { ...given }
  await recordChange(tx, { house, caller, workspaceId: null, action: 'route.created', subject: route.id, details })
  return route
}

export function changeRoute(
  house: House,
  caller: Caller,
  { id, change }: { id: string; change: (route: StoredRoute) => Omit<Route, 'id'> | Refusal },
): Promise<StoredRoute | Refusal> {
  return changingCarriers(house, async (tx) => {
    const before = await lockRoute(tx, id)
    if (!before) return refuse('not_found')
    const changed = change(before)
    if (changed instanceof Refusal) return changed
    if (!(await findCarrier(tx, changed.carrierId))) return refuseField('carrierId', 'There is no such carrier')
    await updateRoute(tx, { ...changed, id })
    const details = differences(before, changed)
    await recordChange(tx, { house, caller, workspaceId: null, action: 'route.changed', subject: id, details })
    return { ...before, ...changed }
  })
}

export function removeRoute(house: House, caller: Caller, id: string): Promise<null | Refusal> {
  return changingCarriers(house, async (tx) => {
    if (!(await lockRoute(tx, id))) return refuse('not_found')
    await deleteRoute(tx, id)
    await recordChange(tx, { house, caller, workspaceId: null, action: 'route.removed', subject: id })
    return null
  })
}

/** One transaction, and word to the delivery role wherever it is played. */
export async function changingCarriers<Result>(
  house: House,
  work: (tx: Tx) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    const result = await house.db.transaction(work)
    if (!(result instanceof Refusal)) house.bell.ring('carriers')
    return result
  } catch (fault) {
    const broken = brokenConstraint(fault)
    if (broken === 'carrier_name') return refuse('conflict', { error: 'There is a carrier of this name' })
    if (broken === 'route_carrier') return refuse('conflict', { error: 'A route leads to this carrier' })
    throw fault
  }
}

/** Separate binds: as many to submit, and one to hear the carrier. */
function bindModes({ bindMode, binds }: CarrierSettings): BindMode[] {
  if (bindMode === 'transceiver') return Array.from({ length: binds }, () => 'transceiver')
  return [...Array.from({ length: binds }, (): BindMode => 'transmitter'), 'receiver']
}
