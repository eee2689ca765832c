// The restrictions of a client (§5.4). The operator's restrictions are limits: an owner may be stricter, never looser (D43).
import type { PumpingGuardMode } from '../codes/pumping.ts'
import type { MessageType } from '../message-type.ts'
import { isWithinNetwork, parseNetwork } from '../network.ts'
import { type Actor, onlyWorkspace } from '../people/actor.ts'
import { canReach } from '../phone-number.ts'
import { type Refusal, refuse } from '../refusals.ts'

export interface Restrictions {
  types: MessageType[] | null
  ipAllowlist: string[] | null
  numberPrefixes: string[] | null
  dailyCap: number | null
  hourlyCapPerNumber: number | null
  pumpingGuard: PumpingGuardMode
  /** Numbers or prefixes that the fraud guard always allows. */
  pumpingAllowlist: string[] | null
}

export const UNRESTRICTED: Restrictions = {
  types: null,
  ipAllowlist: null,
  numberPrefixes: null,
  dailyCap: null,
  hourlyCapPerNumber: null,
  pumpingGuard: 'monitor',
  pumpingAllowlist: null,
}

/** The restrictions in effect, and the ones that the operator has set. */
export interface ClientRestrictions {
  restrictions: Restrictions
  setByOperator: Partial<Restrictions>
}

type RestrictionChange = { [Field in keyof Restrictions]?: Restrictions[Field] | undefined }

export function restrict(
  before: ClientRestrictions,
  change: RestrictionChange,
  actor: Actor,
): ClientRestrictions | Refusal {
  const named = Object.entries(change).filter((entry): entry is FieldRestriction => entry[1] !== undefined)
  return onlyWorkspace(actor) !== null ? restrictAsOwner(before, named) : restrictAsOperator(before, named)
}

type FieldRestriction = [field: keyof Restrictions, value: Restrictions[keyof Restrictions]]

/** What the operator sets becomes a limit for owners; what the operator removes is up to owners again. */
function restrictAsOperator(before: ClientRestrictions, named: FieldRestriction[]): ClientRestrictions {
  const restrictions = { ...before.restrictions, ...Object.fromEntries(named) }
  const { pumpingAllowlist: _, ...bounds } = { ...before.setByOperator, ...Object.fromEntries(named) }
  const setByOperator: Partial<Restrictions> = Object.fromEntries(
    Object.entries(bounds).filter(([, value]) => value !== null && value !== 'off'),
  )
  // An owner could disable the guard by allowing every number.
  if (setByOperator.pumpingGuard) setByOperator.pumpingAllowlist = restrictions.pumpingAllowlist ?? []
  return { restrictions, setByOperator }
}

function restrictAsOwner(
  { restrictions, setByOperator }: ClientRestrictions,
  named: FieldRestriction[],
): ClientRestrictions | Refusal {
  const asked = named.map(([field, value]) => [field, value ?? removedRestriction(field, setByOperator)])
  const changed: Restrictions = { ...restrictions, ...Object.fromEntries(asked) }
  const broad = named.some(([field]) => field === 'pumpingAllowlist') && tooBroad(changed, restrictions)
  if (broad)
    return refuseFor(
      'pumpingAllowlist',
      `Only the operator may allow ${broad}: give at least ${SHORTEST_ALLOWED_DIGITS} digits`,
    )
  const loosened = named.map(([field]) => field).find((field) => !IS_WITHIN[field](changed, setByOperator))
  if (loosened === undefined) return { restrictions: changed, setByOperator }
  return refuseFor(loosened, `The operator has set ${loosened}; it can be made stricter here, not looser`)
}

function refuseFor(field: keyof Restrictions, error: string): Refusal {
  return refuse('conflict', { error, details: [{ path: ['restrictions', field], message: error, code: 'custom' }] })
}

/** D33: a shorter prefix covers a whole network or country, which would disable the guard. */
const SHORTEST_ALLOWED_DIGITS = 8

/** A new prefix that is too short, unless an allowed one already covers it. */
function tooBroad({ pumpingAllowlist }: Restrictions, before: Restrictions): string | undefined {
  const known = before.pumpingAllowlist ?? []
  return pumpingAllowlist?.find(
    (prefix) => prefix.length <= SHORTEST_ALLOWED_DIGITS && !known.some((it) => beginsWith(prefix, it)),
  )
}

/** Removing a restriction leaves the operator's. For exceptions to the guard, none is the strictest. */
function removedRestriction(field: keyof Restrictions, setByOperator: Partial<Restrictions>) {
  return field === 'pumpingAllowlist' ? null : (setByOperator[field] ?? null)
}

const STRICTNESS: PumpingGuardMode[] = ['off', 'monitor', 'block']

const IS_WITHIN: Record<keyof Restrictions, (asked: Restrictions, bound: Partial<Restrictions>) => boolean> = {
  types: ({ types }, bound) => everyOf(types, bound.types, (type, allowed) => type === allowed),
  ipAllowlist: ({ ipAllowlist }, bound) => everyOf(ipAllowlist, bound.ipAllowlist, isInside),
  numberPrefixes: ({ numberPrefixes }, bound) => everyOf(numberPrefixes, bound.numberPrefixes, beginsWith),
  dailyCap: ({ dailyCap }, bound) => atMost(dailyCap, bound.dailyCap),
  hourlyCapPerNumber: ({ hourlyCapPerNumber }, bound) => atMost(hourlyCapPerNumber, bound.hourlyCapPerNumber),
  pumpingGuard: ({ pumpingGuard }, bound) =>
    STRICTNESS.indexOf(pumpingGuard) >= STRICTNESS.indexOf(bound.pumpingGuard ?? 'off'),
  pumpingAllowlist: ({ pumpingAllowlist }, bound) =>
    everyOf(pumpingAllowlist ?? [], bound.pumpingAllowlist, beginsWith),
}

function everyOf<Item>(
  asked: Item[] | null,
  bound: Item[] | null | undefined,
  isWithin: (item: Item, allowed: Item) => boolean,
): boolean {
  if (!bound) return true
  return asked?.every((item) => bound.some((allowed) => isWithin(item, allowed))) ?? false
}

function atMost(asked: number | null, bound: number | null | undefined): boolean {
  return bound === null || bound === undefined || (asked !== null && asked <= bound)
}

function beginsWith(number: string, prefix: string): boolean {
  return number.startsWith(prefix)
}

function isInside(inner: string, outer: string): boolean {
  const [one, other] = [parseNetwork(inner), parseNetwork(outer)]
  return one !== null && other !== null && isWithinNetwork(one, other)
}

/** The live countries that a workspace may use; null is all of them. */
export function sendableCountries(live: string[], own: string[] | null): string[] {
  return own === null ? live : live.filter((code) => own.includes(code))
}

/** D41: the countries of a workspace that a key's prefixes can reach. */
export function allowedCountries(ofWorkspace: string[], onlyPrefixes: readonly string[] | null): string[] {
  return onlyPrefixes === null ? ofWorkspace : ofWorkspace.filter((code) => canReach(code, onlyPrefixes))
}
