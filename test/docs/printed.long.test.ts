// Every command and listing of the README, the guides, the client package and the examples is run as it is printed, page by page, by
// somebody who has just started the service.
import { documents } from './blocks.ts'
import { runAsPrinted } from './run-as-printed.ts'

for (const file of documents()) if (!/^docs\/(?!guides)/.test(file)) runAsPrinted(file)
