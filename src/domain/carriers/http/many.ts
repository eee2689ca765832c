// Many messages in one call: where they stand in its body, and which part of the answer is whose.

import { verdict } from '../../messages/submission.ts'
import type { Fault } from '../../refusals.ts'
import { type HttpAnswer, type ReadAnswer, readAnswer } from './answer.ts'
import type { AnswerReading, HttpDescription, ManyPerCall } from './description.ts'
import { fault, judgePointer, walk } from './faults.ts'
import { at, parsePointer } from './pointer.ts'
import { type Placeholder, parseTemplate } from './template.ts'

/** What becomes of each message of one call, in the order they were sent; `references` are ours. */
export function readAnswers(
  answer: HttpAnswer,
  { reading, many, references }: { reading: AnswerReading; many: ManyPerCall | null; references: readonly string[] },
): ReadAnswer[] {
  const whole = readAnswer(answer, reading)
  const list = many && at(answer.json, parsePointer(many.answers) ?? [])
  // Refused as a whole, or without a word on each: then what it says is said of all, but an id is of one.
  if (!many || !Array.isArray(list)) return references.map(() => (many ? ofAll(whole) : whole))
  const own = ownAnswers(list, many.by, references)
  return own.map((json) => (json === undefined ? leftOut(answer) : readAnswer({ ...answer, json }, reading)))
}

function ofAll(whole: ReadAnswer): ReadAnswer {
  return { ...whole, carrierMessageId: null }
}

/** It answered, and left this one out: nobody knows whether it has it. */
function leftOut({ status }: HttpAnswer): ReadAnswer {
  return {
    ...verdict('unknown', { sign: 'refuses' }),
    carrierMessageId: null,
    said: `HTTP ${status}`,
    oddity: 'the answer leaves out a message of the call',
  }
}

/** undefined for those that the list says nothing of; of several with one reference the first counts. */
function ownAnswers(list: unknown[], by: ManyPerCall['by'], references: readonly string[]): unknown[] {
  if (by === 'position') return references.map((_, index) => list[index])
  const pointer = parsePointer(by.reference) ?? []
  // How long the list is, the carrier decides: it is walked once, not once for each message.
  const answers = new Map<unknown, unknown>()
  for (const item of list) answers.getOrInsert(at(item, pointer), item)
  return references.map((reference) => answers.get(reference))
}

export function judgeMany(description: HttpDescription): Fault[] {
  const { many, body } = description
  if (many === null) return []
  if (body?.kind !== 'json') return [fault(['many'], 'Needs a body of kind json')]
  const by = many.by === 'position' ? [] : judgePointer(many.by.reference, ['many', 'by', 'reference'])
  const faults = [
    ...judgePointer(many.items, ['many', 'items']),
    ...judgePointer(many.answers, ['many', 'answers']),
    ...by,
  ]
  if (faults.length > 0) return faults
  const around = judgeItems(description, many.items)
  const item = at(body.value, [...(parsePointer(many.items) ?? []), '0'])
  return [...around, ...(item === undefined ? [] : judgeReference(many, item))]
}

/** The item that is repeated, and what stands around it, which is said once for all of them. */
export function judgeItems(
  { body, url, headers }: Pick<HttpDescription, 'body' | 'url' | 'headers'>,
  pointer: string,
  placeholders?: readonly Placeholder[],
): Fault[] {
  const items = parsePointer(pointer) ?? []
  const list = body?.kind === 'json' ? at(body.value, items) : null
  if (!Array.isArray(list) || list.length !== 1)
    return [fault(['many', 'items'], 'Must point to a list of one item in the body, which is repeated')]
  const item = [...items, '0']
  const faults: Fault[] = []
  const judge = (text: string, path: (string | number)[]) => {
    const template = parseTemplate(text, placeholders)
    if (typeof template !== 'string' && template.some((piece) => piece.kind === 'message'))
      faults.push(fault(path, 'Must not depend on the message, for it is said once for many'))
  }
  judge(url, ['url'])
  for (const [name, value] of Object.entries(headers)) judge(value, ['headers', name])
  if (body?.kind === 'json')
    walk(body.value, [], (text, path) => {
      if (!item.every((step, index) => step === String(path[index]))) judge(text, ['body', 'value', ...path])
    })
  return faults
}

function judgeReference({ by }: ManyPerCall, item: unknown): Fault[] {
  if (by === 'position' || JSON.stringify(item).includes('{reference}')) return []
  return [fault(['many', 'by'], 'Needs {reference} in the item, to find its answer by')]
}
