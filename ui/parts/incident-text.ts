// The title and the cause of an incident, in the language of the page.

import type { Incident } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { count, duration } from './format.ts'

type Lost = NonNullable<Incident['reaches']>['lost'][number]
type Covered = NonNullable<Incident['reaches']>['covered'][number]

const MS = 1_000

/** Numbers that cannot be reached come first: they are what callers notice. */
export function titleOf({ code, about, reaches }: Incident): string {
  const lost = reaches?.lost ?? []
  if (lost.length > 0) return words.now.cannotBeReached(lost.map(numbersOf).join(', '))
  return words.now.titles[code](about?.name ?? '')
}

export function causeOf(incident: Incident): string {
  const { code, about, error, count: number, connections, reaches } = incident
  const name = about?.name ?? ''
  const shown = number === null ? '' : count(number)
  const bound = connections ? `${count(connections.bound)}/${count(connections.total)}` : ''
  const waits = code === 'queue_late' && number !== null ? duration(number * MS) : ''
  const cause = words.now.causes[code](name, waits || shown || bound)
  const others = (reaches?.covered ?? []).map((it) =>
    words.now.reachedBy(numbersOf(it), it.carriers.map((carrier) => carrier.name).join(', ')),
  )
  return [error === null ? `${cause}.` : `${cause}: ${words.failure(error)}.`, ...others].join(' ')
}

function numbersOf({ countryName, prefixes, prefixCount, types }: Lost | Covered): string {
  const more = prefixCount - prefixes.length
  const numbers = prefixes.length > 0 ? `${countryName} ${prefixes.join(', ')}` : countryName
  const kinds = types === null ? '' : ` (${types.map((type) => words.types[type]).join(', ')})`
  return `${numbers}${more > 0 ? ` +${count(more)}` : ''}${kinds}`
}
