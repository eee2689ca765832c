// The brand name, with a preview of an OTP message as it is sent (§2.2).
import { otpText } from '../../src/domain/codes/otp-text.ts'
import { isGsm7, measureText, septetCount } from '../../src/domain/text-encoding.ts'
import { TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { words } from '../words/index.ts'
import css from './brand.module.css'

const SAMPLE_CODE = '482913'
const MAX_BRAND_LENGTH = 30
/** The length of one segment (D3). */
const MAX_SEPTETS = 160

interface Props {
  value: string
  set: (value: string) => void
  sender: string
  error: string | null | undefined
}

export function BrandField({ value, set, sender, error }: Props) {
  return (
    <div class="stack">
      <TextField
        label={words.clients.brand}
        hint={words.clients.brandHint}
        value={value}
        set={set}
        error={error ?? (isGsm7(value) ? null : words.clients.notGsm)}
        maxLength={MAX_BRAND_LENGTH}
      />
      <CodePreview brandName={value} sender={sender} />
    </div>
  )
}

export function CodePreview({ brandName, sender }: { brandName: string; sender: string }) {
  const text = otpText(brandName || words.clients.brand, SAMPLE_CODE)
  const septets = septetCount(text)
  const note =
    septets === null
      ? undefined
      : words.clients.segments(count(measureText(text).segments), count(septets), count(MAX_SEPTETS))
  return (
    <figure class={css.preview}>
      <figcaption class="meta foreign">
        {words.clients.preview}
        {sender && ` · ${sender}`}
      </figcaption>
      <p class={`foreign ${css.bubble}`}>{text}</p>
      {note && <p class="meta">{note}</p>}
    </figure>
  )
}
