// Formats the recipient's number for a carrier.

import type { SmppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import { nationalNumber } from '../../domain/phone-number.ts'
import type { Body } from '../../smpp/commands.ts'

const ISDN = 1
const TON = { unknown: 0, international: 1, national: 2 }

export function destinationFields(
  to: string,
  { destinationFormat, destinationTon, destinationNpi }: SmppSettings,
): Pick<Body<'submit_sm'>, 'dest_addr_ton' | 'dest_addr_npi' | 'destination_addr'> {
  const { ton, address } = formatNumber(to, destinationFormat)
  return {
    dest_addr_ton: destinationTon ?? ton,
    dest_addr_npi: destinationNpi ?? ISDN,
    destination_addr: address,
  }
}

function formatNumber(to: string, format: SmppSettings['destinationFormat']): { ton: number; address: string } {
  const digits = to.slice(1)
  switch (format) {
    case 'international':
      return { ton: TON.international, address: digits }
    case 'plus':
      return { ton: TON.international, address: to }
    // A number with the dialling prefix is not of type international.
    case 'zeros':
      return { ton: TON.unknown, address: `00${digits}` }
    case 'national':
      return { ton: TON.national, address: nationalNumber(to) }
    default:
      throw format satisfies never
  }
}
