// A message that failed is sent as another one (D59): its text was accepted once, so what is judged anew is what may have changed
// since, and the money.
import type { Account } from './account.ts'
import type { MessageType } from './message-type.ts'
import { costE4, fromE4 } from './money.ts'
import { type Refusal, refuse } from './refusals.ts'
import { refuseInactive, type WorkspaceStatus } from './workspace-status.ts'

export interface AnewFacts {
  smsEnabled: boolean
  status: WorkspaceStatus
  allowedTypes: readonly MessageType[]
  allowedCountries: string[]
  priceE4: Record<MessageType, number>
}

export interface AnewDraft {
  type: MessageType
  segments: number
  country: string
  isClientDisabled: boolean
}

/** What it costs, taken from the account; or why it is not sent, and nothing is. */
export function chargeAnew(draft: AnewDraft, facts: AnewFacts, account: Account): number | Refusal {
  const { type, segments, country, isClientDisabled } = draft
  if (!facts.smsEnabled) return refuse('sms_disabled')
  const inactive = refuseInactive(facts.status)
  if (inactive) return inactive
  if (isClientDisabled) return refuse('client_disabled')
  if (!facts.allowedTypes.includes(type)) return refuse('forbidden')
  if (!facts.allowedCountries.includes(country))
    return refuse('destination_not_supported', { details: { country, allowed: facts.allowedCountries } })
  const cost = costE4(facts.priceE4[type], segments)
  if (account.reserve(cost)) return cost
  return refuse('insufficient_balance', { details: { balance: fromE4(account.balanceE4), cost: fromE4(cost) } })
}
