// The segments and the price of a text, by the rule of billing.
import { MAX_SEGMENTS, MAX_TEXT_LENGTH, measureText, septetCount } from '../../src/domain/text-encoding.ts'
import type { Template, Workspace } from '../api/calls.ts'
import { count, encodingName, money } from '../parts/format.ts'
import { words } from '../words/index.ts'

interface Props {
  text: string
  type: Template['type']
  workspace: Workspace | undefined
}

const MAX_SHOWN = 8

export function Counter({ text, type, workspace }: Props) {
  const { encoding, segments } = measureText(text)
  const fits = segments <= MAX_SEGMENTS
  const units = septetCount(text) ?? text.length
  const price = workspace && money(Math.round(workspace.rate[type] * segments * 10_000) / 10_000, workspace.currency)
  return (
    <p class={fits ? 'quiet' : 'bad'} aria-live="polite">
      {encodingName(encoding)} · {words.templates.segments(segments, count(segments))} ·{' '}
      {words.templates.units(count(units))} {price && fits && <>· {price}</>}
      {!fits && <> · {words.templates.tooLong(count(MAX_TEXT_LENGTH[encoding]))}</>}
      {encoding === 'UCS2' && (
        <>
          {' '}
          · {words.templates.nonGsm} <span class="foreign">{foreignTo(text)}</span>
        </>
      )}
    </p>
  )
}

/** The characters that GSM-7 does not have, each once. */
function foreignTo(text: string): string {
  const all = [...new Set(text)].filter((character) => septetCount(character) === null)
  return all.slice(0, MAX_SHOWN).join(' ') + (all.length > MAX_SHOWN ? ' …' : '')
}
