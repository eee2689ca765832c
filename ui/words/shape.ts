// The type of the texts: every language has the keys of English.
import type { en } from './en.ts'
import type { enBilling } from './en-billing.ts'
import type { enBulk } from './en-bulk.ts'
import type { enLog } from './en-log.ts'
import type { enPalette } from './en-palette.ts'
import type { enSend } from './en-send.ts'
import type { enService } from './en-service.ts'
import type { enToasts } from './en-toasts.ts'

type Shape<Of> = Of extends string
  ? string
  : Of extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Of]: Shape<Of[Key]> }
export type BaseWords = Shape<typeof en>
export type ServiceWords = Shape<typeof enService>
export type SendWords = Shape<typeof enSend>
export type PaletteWords = Shape<typeof enPalette>
export type LogWords = Shape<typeof enLog>
export type ToastWords = Shape<typeof enToasts>
export type BulkWords = Shape<typeof enBulk>
export type BillingWords = Shape<typeof enBilling>
export type Words = BaseWords &
  ServiceWords &
  SendWords &
  PaletteWords &
  LogWords &
  ToastWords &
  BulkWords &
  BillingWords
