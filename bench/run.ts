// `npm run bench`: the table of all figures. `npm run bench -- <name> [arguments]` runs one benchmark. Some write results to bench/results.
import { formatHelp, parseCommand } from './usage.ts'
import { UsageError } from './usage-error.ts'

try {
  const command = parseCommand(process.argv.slice(2))
  if (command) {
    process.argv.splice(2, process.argv.length, ...command.args)
    await import(`./${command.name}.ts`)
  } else console.log(formatHelp())
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
