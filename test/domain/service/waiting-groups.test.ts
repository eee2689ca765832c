// Groups of waiting messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupPlaces, placesAwaiting } from '../../../src/domain/service/waiting-groups.ts'
import { route } from './service-facts.ts'

test('groups the queue by the carrier, country or type that its messages wait for', () => {
  const place = (destination: string, priority: number) => ({ destination, priority, avoidCarrierId: null })
  const places = [place('NP', 0), place('NP+97798', 1), place('IN', 1), place('BD', 2)]
  const facts = {
    ...{
      working: new Set(['ncell']),
      smsEnabled: true,
      enabled: new Set(['ntc', 'ncell']),
    },
    routes: [route('NP', 'ntc'), route('NP', 'ncell', { prefixes: ['+97798'] }), route('IN', 'off')],
  }
  const grouped = (some = {}) =>
    Array.from(
      groupPlaces(places, { ...facts, ...some }),
      ([name, own]) => `${name}: ${own.map((it) => it.destination)}`,
    )
  assert.deepEqual(grouped(), ['carrier ntc: NP', 'type transactional: NP+97798', 'country IN: IN', 'country BD: BD'])
  assert.deepEqual(grouped({ smsEnabled: false }), ['all: NP,NP+97798,IN,BD'])
  const awaiting = (id: string) => placesAwaiting(id, places, facts).map((it) => it.destination)
  assert.deepEqual(['ntc', 'ncell', 'off'].map(awaiting), [['NP'], ['NP+97798'], []])
})
