// What a client may do (§5.4), and whose word it is (D43): within what the operator has set, an owner may be stricter, never
// looser.
import type { PumpingGuardMode } from '../codes/pumping.ts'
import type { MessageType } from '../message-type.ts'
import { isWithinNetwork, parseNetwork } from '../network.ts'
import { type Actor, onlyWorkspace } from '../people/actor.ts'
import { mayReach } from '../phone-number.ts'
import { type Refusal, refuse } from '../refusals.ts'

export interface Restrictions {
  types: MessageType[] | null
  ipAllowlist: string[] | null
  numberPrefixes: string[] | null
  dailyCap: number | null
  hourlyCapPerNumber: number | null
  pumpingGuard: PumpingGuardMode
  /** Numbers, or beginnings of them, whose codes always pass the guard. */
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

/** What holds, and which of it the operator has set. */
export interface Restricted {
  restrictions: Restrictions
  setByOperator: Partial<Restrictions>
}

type RestrictionChange = { [Field in keyof Restrictions]?: Restrictions[Field] | undefined }

/** The restrictions after somebody changes those that are named. */
export function restrict(before: Restricted, change: RestrictionChange, actor: Actor): Restricted | Refusal {
  const named = Object.entries(change).filter((entry): entry is Named => entry[1] !== undefined)
  return onlyWorkspace(actor) !== null ? restrictAsOwner(before, named) : restrictAsOperator(before, named)
}

type Named = [field: keyof Restrictions, value: Restrictions[keyof Restrictions]]

/** What the operator sets is a bound from then on; what the operator lifts is the owner's again. */
function restrictAsOperator(before: Restricted, named: Named[]): Restricted {
  const restrictions = { ...before.restrictions, ...Object.fromEntries(named) }
  const { pumpingAllowlist: _, ...bounds } = { ...before.setByOperator, ...Object.fromEntries(named) }
  const setByOperator: Partial<Restrictions> = Object.fromEntries(
    Object.entries(bounds).filter(([, value]) => value !== null && value !== 'off'),
  )
  // A guard that an owner could let everybody pass would be none.
  if (setByOperator.pumpingGuard) setByOperator.pumpingAllowlist = restrictions.pumpingAllowlist ?? []
  return { restrictions, setByOperator }
}

function restrictAsOwner({ restrictions, setByOperator }: Restricted, named: Named[]): Restricted | Refusal {
  const asked = named.map(([field, value]) => [field, value ?? ownersNone(field, setByOperator)])
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

/** D33: a shorter prefix holds a whole network or country, which would switch the guard off. */
const SHORTEST_ALLOWED_DIGITS = 8

/** A new prefix that is too short, unless it is within one that is allowed already. */
function tooBroad({ pumpingAllowlist }: Restrictions, before: Restrictions): string | undefined {
  const known = before.pumpingAllowlist ?? []
  return pumpingAllowlist?.find(
    (prefix) => prefix.length <= SHORTEST_ALLOWED_DIGITS && !known.some((it) => beginsWith(prefix, it)),
  )
}

/** An owner who lifts a restriction is left with the operator's; of exceptions to the guard none is the strictest. */
function ownersNone(field: keyof Restrictions, setByOperator: Partial<Restrictions>) {
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

/** Of the countries that are delivered to, those that are its own; null is all of them. */
export function sendableCountries(live: string[], own: string[] | null): string[] {
  return own === null ? live : live.filter((code) => own.includes(code))
}

/** D41: of the countries of its workspace, those that a key can send to under its prefixes. */
export function allowedCountries(ofWorkspace: string[], onlyPrefixes: readonly string[] | null): string[] {
  return onlyPrefixes === null ? ofWorkspace : ofWorkspace.filter((code) => mayReach(code, onlyPrefixes))
}
