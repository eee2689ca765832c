// Commands that make more than one request. Each is implemented in its own file.
import type { CommandForm, Option } from './command.ts'

const apiKey: Record<string, Option> = {
  'api-key-file': { kind: 'file', at: '', about: 'File with the API key', usual: 'HULAKI_API_KEY' },
}
const purpose: Option = { kind: 'text', at: 'purpose', about: 'Purpose of the OTP', usual: 'default' }
const sender: Option = { kind: 'text', at: 'senderId', about: 'Sender of the message', usual: "the client's sender" }
const wait: Option = { kind: 'flag', at: '', about: 'Show each status until the last one', usual: 'yes' }
const programs = { isForPrograms: true, isIdempotent: true }

export const SPECIAL_COMMANDS: readonly CommandForm[] = [
  {
    name: 'send',
    summary: 'Send a message with an API key',
    positionals: ['to', 'text'],
    optionalPositionals: 1,
    options: {
      type: { kind: 'text', at: 'type', about: 'Message type', choices: ['transactional', 'otp', 'promotional'] },
      sender,
      'template-id': { kind: 'text', at: 'templateId', about: 'Id of an approved template, in place of a text' },
      variables: { kind: 'json', at: 'variables', about: `Values for the template, for example '{"order": 4711}'` },
      wait,
      ...apiKey,
    },
    ...programs,
  },
  {
    name: 'otp send',
    summary: 'Send an OTP with an API key',
    positionals: ['to'],
    options: { purpose, sender, wait, ...apiKey },
    ...programs,
  },
  {
    name: 'otp verify',
    summary: 'Verify an OTP with an API key',
    positionals: ['to', 'code'],
    options: { purpose, ...apiKey },
    ...programs,
  },
  {
    name: 'listen',
    summary: 'Show or forward webhook events',
    about: 'Shows the events of a client as they happen, or forwards them to an address of this computer',
    positionals: ['client'],
    options: {
      'forward-to': { kind: 'text', at: '', about: 'Post each event, signed and in order, to this address' },
      'secret-file': { kind: 'file', at: '', about: 'File with the webhook secret', usual: 'a secret that it prints' },
      'take-over': { kind: 'flag', at: '', about: 'End the session of another listener' },
    },
    example: "'Web shop' --forward-to http://localhost:3000/hook",
  },
  {
    name: 'doctor',
    summary: 'Check health',
    about: 'Each failed check says what to do',
    positionals: [],
    options: {},
  },
]

export function findSpecialCommand(first: string, second: string): CommandForm | undefined {
  return SPECIAL_COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`)
}
