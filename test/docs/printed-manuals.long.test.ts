// Every command and listing of reference, operations and design is run as it is printed, as those of the guides are.
import { documents } from './blocks.ts'
import { runAsPrinted } from './run-as-printed.ts'

for (const file of documents()) if (/^docs\/(?!guides)/.test(file)) runAsPrinted(file)
