// The service's switch and how it does, and what helps in trying things out: the simulator and the clock.
import type { Command, Option } from './command.ts'

/** By a handset of the simulator. */
const written: Record<string, Option> = {
  from: { kind: 'text', tells: 'the number of the handset, with its plus', isPlaced: true },
  to: { kind: 'text', tells: 'whom it writes to, such as the sender of a message', isPlaced: true },
  text: { kind: 'text', tells: 'what it writes', isPlaced: true },
}

export const serviceCommands: Command[] = [
  {
    name: 'service now',
    tells: 'Tells what waits, how fast it goes, and how carriers and receivers do',
    asks: 'GET /now',
  },
  { name: 'service show', tells: 'Shows whether sending is switched on', asks: 'GET /service' },
  {
    name: 'service change',
    tells: 'Switches sending on or off',
    asks: 'PATCH /service',
    options: { 'sms-enabled': { kind: 'flag', tells: 'whether anything is accepted' } },
  },
  {
    name: 'simulator messages',
    tells: 'Lists what reached the handsets of the simulator, codes included',
    asks: 'GET /simulator/messages',
    options: { number: { kind: 'text', tells: 'only that of this number' } },
    columns: ['receivedAt', 'to', 'from', 'text'],
  },
  {
    name: 'simulator reply',
    tells: 'Lets a handset of the simulator write',
    asks: 'POST /simulator/messages',
    options: written,
  },
  {
    name: 'simulator endings',
    tells: 'Lists what the last two digits of a number do',
    asks: 'GET /simulator/endings',
    columns: ['digits', 'does', 'status', 'error', 'isRefunded'],
  },
  {
    name: 'simulator workspace-messages',
    tells: 'Lists what a workspace sent to handsets of the simulator',
    asks: 'GET /workspaces/{workspace}/simulator/messages',
    options: { number: { kind: 'text', tells: 'only that of this number' } },
    columns: ['receivedAt', 'to', 'from', 'text'],
  },
  {
    name: 'simulator workspace-reply',
    tells: 'Lets a handset answer what the workspace sent it',
    asks: 'POST /workspaces/{workspace}/simulator/messages',
    options: written,
  },
  {
    name: 'clock advance',
    tells: 'Moves the clock, where it is moved by hand',
    asks: 'POST /clock/advance',
    options: { seconds: { kind: 'number', tells: 'how far', isPlaced: true } },
  },
]
