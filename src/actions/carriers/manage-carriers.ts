// Carriers and routes are added, changed and removed; delivery takes it up at once.
import type { Secrets } from '../../domain/carriers/http/description.ts'
import { unpackSecrets } from '../../domain/carriers/http/secrets.ts'
import type { Route } from '../../domain/carriers/routing.ts'
import { tlsFault } from '../../domain/carriers/smpp/smpp-settings.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import { type BindMode, setBinds } from '../../store/carriers/carrier-binds.ts'
import {
  type Carrier,
  type CarrierSettings,
  carrierKeyContext,
  carrierPasswordContext,
  deleteCarrier,
  findCarrier,
  insertCarrier,
  lockCarrier,
  updateCarrier,
} from '../../store/carriers/carriers.ts'
import { deleteRoute, insertRoute, lockRoute, type StoredRoute, updateRoute } from '../../store/carriers/routes.ts'
import { brokenConstraint, type Tx } from '../../store/database/db.ts'
import { raiseRoutingRevision } from '../../store/service/service.ts'
import type { Caller, Ports } from '../ports.ts'
import { differences, recordChange } from '../record-change.ts'

export type NewCarrier = Omit<CarrierSettings, 'passwordSealed' | 'tlsKeySealed'> & {
  password: string
  tlsKey: string | null
}
/** What is undefined stays as it is. */
type Changed = CarrierSettings & { password?: string | undefined; tlsKey?: string | null | undefined }

export function createCarrier(ports: Ports, caller: Caller, given: NewCarrier): Promise<Carrier | Refusal> {
  const fault = tlsFault({ certificate: given.smpp.tlsCertificate, key: given.tlsKey })
  if (fault) return Promise.resolve(refuseField('tlsKey', fault))
  return changingCarriers(ports, caller, (tx) => addCarrier(tx, { ports, caller, given }))
}

export async function addCarrier(
  tx: Tx,
  { ports, caller, given }: { ports: Ports; caller: Caller; given: NewCarrier },
): Promise<Carrier> {
  const { password, tlsKey, ...details } = given
  const id = ports.ids.next()
  const now = ports.clock.now()
  const passwordSealed = ports.keyring.seal('secrets', carrierPasswordContext(id), password)
  const tlsKeySealed = tlsKey === null ? null : ports.keyring.seal('secrets', carrierKeyContext(id), tlsKey)
  const carrier: Carrier = { id, ...details, passwordSealed, tlsKeySealed, createdAt: now, updatedAt: now }
  await insertCarrier(tx, carrier)
  await setBinds(tx, { carrierId: id, modes: bindModes(carrier), now })
  await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.created', subject: id, details })
  return carrier
}

/** `change` gives the settings as they shall be, from those that are; a secret of undefined stays as it is. */
export function changeCarrier(
  ports: Ports,
  caller: Caller,
  { id, change }: { id: string; change: (carrier: Carrier) => Changed | Refusal },
): Promise<Carrier | Refusal> {
  return changingCarriers(ports, caller, async (tx) => {
    const before = await lockCarrier(tx, id)
    if (!before) return refuse('not_found')
    const changed = change(before)
    if (changed instanceof Refusal) return changed
    const { password, tlsKey, ...settings } = changed
    if (password !== undefined) {
      settings.passwordSealed = ports.keyring.seal('secrets', carrierPasswordContext(id), password)
    }
    const fault = changeTlsKey(ports, { id, settings, tlsKey })
    if (fault) return refuseField('tlsKey', fault)
    const updatedAt = ports.clock.now()
    await updateCarrier(tx, { ...settings, id, updatedAt })
    await setBinds(tx, { carrierId: id, modes: bindModes(settings), now: updatedAt })
    const details = differences(before, settings)
    await recordChange(tx, { ports, caller, workspaceId: null, action: 'carrier.changed', subject: id, details })
    return { ...before, ...settings, updatedAt }
  })
}

/** Seals the key that is given, and says what is wrong with it beside the certificate. */
function changeTlsKey(
  { keyring }: Ports,
  { id, settings, tlsKey }: { id: string; settings: CarrierSettings; tlsKey: string | null | undefined },
): string | null {
  const context = carrierKeyContext(id)
  if (tlsKey !== undefined) settings.tlsKeySealed = tlsKey === null ? null : keyring.seal('secrets', context, tlsKey)
  const key = settings.tlsKeySealed && keyring.open('secrets', context, settings.tlsKeySealed)
  return tlsFault({ certificate: settings.smpp.tlsCertificate, key })
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
    const result = await ports.managementDb(caller.actor).transaction(async (tx) => {
      const done = await work(tx)
      if (!(done instanceof Refusal)) await raiseRoutingRevision(tx)
      return done
    })
    if (!(result instanceof Refusal)) ports.bell.ring('carriers')
    return result
  } catch (fault) {
    const broken = brokenConstraint(fault)
    if (broken === 'carrier_name') return refuse('conflict', { error: 'There is a carrier of this name' })
    if (broken === 'route_carrier') return refuse('conflict', { error: 'A route leads to this carrier' })
    throw fault
  }
}

/**
 * Separate binds: as many to submit, and some to hear the carrier. Over HTTP nothing is heard by the way that submits.
 */
function bindModes({ kind, bindMode, binds, smpp }: CarrierSettings): BindMode[] {
  const times = (count: number, mode: BindMode) => Array.from({ length: count }, () => mode)
  if (kind === 'http') return times(binds, 'transmitter')
  if (bindMode === 'transceiver') return times(binds, 'transceiver')
  return [...times(binds, 'transmitter'), ...times(smpp.receivers, 'receiver')]
}
