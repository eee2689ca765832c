// Runs every command and listing of reference, operations and design as printed.
import { documents } from './blocks.ts'
import { runAsPrinted } from './run-as-printed.ts'

for (const file of documents()) if (/^docs\/(?!guides)/.test(file)) runAsPrinted(file)
