// All commands that make one request of the management API; those that do not stand in many-requests.ts.
import { carrierCommands } from './carrier-commands.ts'
import { clientCommands } from './client-commands.ts'
import { codeCommands } from './code-commands.ts'
import type { Command } from './command.ts'
import { messageCommands } from './message-commands.ts'
import { peopleCommands } from './people-commands.ts'
import { routingCommands } from './routing-commands.ts'
import { serviceCommands } from './service-commands.ts'
import { workspaceCommands } from './workspace-commands.ts'

/** Most are two words. */
export function commandNamed(first: string, second: string): Command | undefined {
  return COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
}

export const COMMANDS: readonly Command[] = [
  ...workspaceCommands,
  ...peopleCommands,
  ...clientCommands,
  ...messageCommands,
  ...codeCommands,
  ...carrierCommands,
  ...routingCommands,
  ...serviceCommands,
]
