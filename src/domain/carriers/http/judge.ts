// Everything that can be known to be wrong with a description when it is saved, all at once, each with its place (D48, D50).

import type { Fault } from '../../refusals.ts'
import type { IsAllowedAddress } from '../../webhooks/receiver-url.ts'
import { saidAt, saysTaken } from './answer.ts'
import { CALLBACK_URL, callsBack } from './callback.ts'
import { type AnswerRule, HTTP_BOUNDS, type HttpDescription } from './description.ts'
import { fault, judgePointer, type Place, Templates } from './judge-parts.ts'
import { judgePoll } from './judge-poll.ts'
import { judgeReceipts } from './judge-receipts.ts'
import { judgeRequest } from './judge-request.ts'

export interface Judging {
  /** Special addresses that the operator allows; plain http is for these alone (D50). */
  isAllowed: IsAllowedAddress
  secretNames: readonly string[]
  /** Whether it is known where we are reached from outside. */
  hasPublicUrl: boolean
}

/** The paths of its faults begin where the description does. */
export function judgeDescription(description: HttpDescription, judging: Judging): Fault[] {
  if (JSON.stringify(description).length > HTTP_BOUNDS.description)
    return [fault([], `Must have at most ${HTTP_BOUNDS.description} characters as JSON`)]
  const { secretNames, hasPublicUrl } = judging
  const canCallBack = hasPublicUrl && callsBack(description.receipts)
  const templates = new Templates(canCallBack ? [...secretNames, CALLBACK_URL] : secretNames)
  return [
    ...judgeRequest(description, judging, templates),
    ...judgeAnswer(description),
    ...judgeReceipts(description, { templates, hasPublicUrl }),
    ...judgePoll(description, judging),
    ...templates.faults,
  ]
}

function judgeAnswer({ answer }: HttpDescription): Fault[] {
  const { rules, id, said } = answer
  const rows = rules.reduce((sum, { table }) => sum + Object.keys(table ?? {}).length, 0)
  const faults = [
    ...judgePointer(id, ['answer', 'id']),
    ...saidAt(said).flatMap((pointer) => judgePointer(pointer, ['answer', 'said'])),
    ...rules.flatMap((rule, index) => judgeRule(rule, ['answer', 'rules', index])),
  ]
  if (rows > HTTP_BOUNDS.tableRows)
    faults.push(fault(['answer', 'rules'], `Must have at most ${HTTP_BOUNDS.tableRows} rows in all tables`))
  if (id === null && !rules.some(saysTaken))
    faults.push(fault(['answer'], 'Must say what success is: an id, or a rule whose outcome is accepted'))
  return faults
}

function judgeRule(rule: AnswerRule, path: Place): Fault[] {
  const { status, at, is, outcome, error, table } = rule
  const faults = judgePointer(at ?? null, [...path, 'at'])
  if ((outcome === undefined) === (table === undefined)) faults.push(fault(path, 'Must have an outcome or a table'))
  if (table !== undefined && at === undefined) faults.push(fault(path, 'A table needs at, to be looked up by'))
  if (is !== undefined && at === undefined) faults.push(fault(path, 'is needs at, to be compared with'))
  if (status === undefined && at === undefined) faults.push(fault(path, 'Must have a status, or at'))
  if (error !== undefined && outcome !== 'rejected')
    faults.push(fault([...path, 'error'], 'Is for the outcome rejected alone'))
  return faults
}
