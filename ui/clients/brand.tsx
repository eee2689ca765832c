// The brand name with the text of a code as a phone shows it: the very text that is sent (§2.2).
import { otpText } from '../../src/domain/otp-text.ts'
import { isGsm7, measureText, septetCount } from '../../src/domain/text-encoding.ts'
import { TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { words } from '../words/index.ts'
import css from './brand.module.css'

const ANY_CODE = '482913'
const LONGEST = 30

interface Props {
  value: string
  set: (value: string) => void
  sender: string
  wrong: string | null | undefined
}

export function BrandField({ value, set, sender, wrong }: Props) {
  return (
    <div class={css.brand}>
      <TextField
        label={words.clients.brand}
        hint={words.clients.brandHint}
        value={value}
        set={set}
        wrong={wrong ?? (isGsm7(value) ? null : words.clients.notGsm)}
        maxLength={LONGEST}
      />
      <Handset brandName={value} sender={sender} />
    </div>
  )
}

export function Handset({ brandName, sender }: { brandName: string; sender: string }) {
  const text = otpText(brandName, ANY_CODE)
  const { segments } = measureText(text)
  return (
    <figure class={css.handset}>
      <figcaption class="quiet">{words.clients.preview}</figcaption>
      <div class={css.glass}>
        <p class={`foreign ${css.sender}`}>{sender || '…'}</p>
        <p class={`foreign ${css.bubble}`} lang="en">
          {text}
        </p>
      </div>
      {isGsm7(text) && (
        <p class="quiet">{words.clients.segments(count(segments), count(septetCount(text) ?? text.length))}</p>
      )}
    </figure>
  )
}
