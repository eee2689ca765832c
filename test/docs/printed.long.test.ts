// Runs every command and listing of the README, the guides, the SDK and the examples as printed, page by page, on a new service.
import { documents } from './blocks.ts'
import { runAsPrinted } from './run-as-printed.ts'

for (const file of documents()) if (!/^docs\/(?!guides)/.test(file)) runAsPrinted(file)
