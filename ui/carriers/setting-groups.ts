// The advanced settings of a carrier in groups, each as the JSON that changes it.
import type { Carrier, CarrierChange, SmppCarrier } from '../api/calls.ts'

type Smpp = SmppCarrier['smpp']
type Group = { own?: readonly (keyof CarrierChange & keyof SmppCarrier)[]; smpp?: readonly (keyof Smpp)[] }

/** Both kinds of carriers have these. */
const CIRCUIT = ['breakAfterUnanswered', 'breakAfterRefused'] as const

const GROUPS = {
  link: {
    smpp: [
      'otherHosts',
      'tlsServerName',
      'tlsCa',
      'tlsCertificate',
      'connectSeconds',
      'bindSeconds',
      'enquireSeconds',
      'enquireAnswerSeconds',
    ],
  },
  bind: { smpp: ['addressTon', 'addressNpi', 'addressRange', 'receivers'] },
  numbers: { smpp: ['serviceType', 'destinationFormat', 'destinationTon', 'destinationNpi'] },
  senders: { own: ['sourceTon', 'sourceNpi'], smpp: ['allowedSenders', 'senderRewrites', 'senderTypes'] },
  texts: { smpp: ['dataCodings', 'fallback', 'referenceBits'] },
  receipts: { smpp: ['receipts', 'validity', 'validityMaxSeconds'], own: ['statusOverrides'] },
  extras: { smpp: ['priorities', 'tlvs'] },
  circuit: { own: CIRCUIT },
} as const satisfies Record<string, Group>

export type GroupName = keyof typeof GROUPS | 'http' | 'others'
const named = Object.values<Group>(GROUPS).flatMap(({ smpp = [] }) => smpp as readonly string[])

/** The current values of each group, as a change would send them. A setting without a group is listed under `others`. */
export function groupsOf(carrier: Carrier): [name: GroupName, change: CarrierChange][] {
  if (carrier.kind === 'http') {
    return [
      ['http', pick(carrier, ['http'])],
      ['circuit', pick(carrier, CIRCUIT)],
    ]
  }
  const known = Object.entries<Group>(GROUPS).map(([name, group]): [GroupName, CarrierChange] => [
    name as GroupName,
    changeOf(carrier, group),
  ])
  const rest = Object.keys(carrier.smpp).filter((it) => !named.includes(it)) as (keyof Smpp)[]
  return rest.length === 0 ? known : [...known, ['others', changeOf(carrier, { smpp: rest })]]
}

function changeOf(carrier: SmppCarrier, { own = [], smpp = [] }: Group): CarrierChange {
  return { ...pick(carrier, own), ...(smpp.length > 0 ? { smpp: pick(carrier.smpp, smpp) } : {}) }
}

function pick<From extends object>(from: From, names: readonly (keyof From)[]): object {
  return Object.fromEntries(names.map((name) => [name, from[name]]))
}

/** The settings of a group by name. */
export function factsOf({ smpp, ...own }: CarrierChange): [name: string, value: unknown][] {
  return [...Object.entries(smpp ?? {}), ...Object.entries(own)]
}
