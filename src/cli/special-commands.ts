// Commands that make more than one request. Each is implemented in its own file.
import { type CommandForm, hasName, type Option } from './command.ts'

const apiKey: Record<string, Option> = {
  'api-key-file': { kind: 'file', at: '', about: 'File with the API key', usual: 'HULAKI_API_KEY' },
}
const purpose: Option = { kind: 'text', at: 'purpose', about: 'Purpose of the OTP', usual: 'default' }
const sender: Option = { kind: 'text', at: 'senderId', about: 'Sender of the message', usual: "the client's sender" }
const wait: Option = { kind: 'flag', at: '', about: 'Show each status until the last one', usual: 'yes' }
const programs = { isForPrograms: true, isIdempotent: true }

const passphraseFile: Option = {
  kind: 'file',
  at: '',
  about: 'File whose first line is the passphrase',
  usual: 'asked for on the terminal, if needed',
}
const local = { isLocal: true }

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
    name: 'archive',
    summary: 'Export old months to a folder',
    about:
      'Writes messages, replies and the audit log as a compressed CSV per day, with a manifest; repeat it to continue',
    positionals: [],
    options: {
      before: { kind: 'text', at: '', about: 'First month that is not exported, such as 2026-01', isRequired: true },
      to: { kind: 'text', at: '', about: 'Folder for the files', isRequired: true },
    },
    example: '--before 2026-01 --to archive',
  },
  {
    name: 'forget',
    summary: 'Remove a number and its texts',
    about: 'Removes the number of a person from messages, replies and webhook events; counts and the ledger stay',
    positionals: ['number'],
    options: {},
    needsYes: true,
    example: '+9779841234567 --yes',
  },
  {
    name: 'doctor',
    summary: 'Check health',
    about: 'Each incident states its impact and what to do next',
    positionals: [],
    options: {},
  },
  {
    name: 'backup',
    summary: 'Back up the database and the keyring',
    about: 'Writes two files: the database, and the keyring without which its OTP texts and secrets cannot be read',
    positionals: [],
    options: {
      to: { kind: 'text', at: '', about: 'Folder, or a new file that ends with .backup', isRequired: true },
      keyring: { kind: 'flag', at: '', about: 'Back up the keyring too', usual: 'yes' },
      'keyring-to': {
        kind: 'text',
        at: '',
        about: 'Folder, or a new file that ends with .keyring',
        usual: 'next to the database',
      },
      encrypt: { kind: 'flag', at: '', about: 'Encrypt both files with a passphrase', usual: 'no' },
      'passphrase-file': passphraseFile,
    },
    example: '--to /var/backups/hulaki',
    ...local,
  },
  {
    name: 'restore',
    summary: 'Restore a backup',
    about: 'Fills an empty database, or a new data folder. After an interruption, the same command continues',
    positionals: ['backup'],
    options: {
      keyring: { kind: 'text', at: '', about: 'Backup of the keyring', usual: 'the one next to the backup' },
      check: { kind: 'flag', at: '', about: 'Only read the backup and verify its checksums', usual: 'no' },
      'passphrase-file': passphraseFile,
    },
    example: '/var/backups/hulaki/hulaki-20261118T060000Z.backup',
    ...local,
  },
  {
    name: 'move',
    summary: 'Move the database to another server',
    about:
      'Copies the database into an empty one, while the service is stopped. After an interruption, the same command continues',
    positionals: [],
    options: {
      to: {
        kind: 'text',
        at: '',
        about: 'URL of the empty database, without its password, which PGPASSWORD contains',
      },
      undo: { kind: 'flag', at: '', about: 'Make the old database usable again, after a move', usual: 'no' },
    },
    example: '--to postgres://hulaki@db.example.net/hulaki',
    ...local,
  },
  {
    name: 'upgrade',
    summary: 'Check an upgrade to this version',
    about: 'Reads the settings, the database and the disk of this machine, and changes nothing',
    positionals: [],
    options: { check: { kind: 'flag', at: '', about: 'Only check: a restart upgrades', isRequired: true } },
    example: '--check',
  },
]

export function findSpecialCommand(words: readonly string[]): CommandForm | undefined {
  return SPECIAL_COMMANDS.find((command) => hasName(command, words))
}
