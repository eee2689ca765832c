// The providers there is a preset for, in the order they are listed.
import type { Preset } from './preset.ts'
import { AAKASH } from './presets/aakash.ts'
import { INFOBIP } from './presets/infobip.ts'
import { SPARROW } from './presets/sparrow.ts'
import { TWILIO } from './presets/twilio.ts'
import { VONAGE } from './presets/vonage.ts'

export const PRESETS: readonly Preset[] = [SPARROW, AAKASH, TWILIO, VONAGE, INFOBIP]
