// Every command and listing of the manuals is run as it is printed, as those of the guides are.
import { documents } from './blocks.ts'
import { runAsPrinted } from './run-as-printed.ts'

for (const file of documents()) if (/^docs\/[^/]+$/.test(file)) runAsPrinted(file)
