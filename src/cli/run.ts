// Runs one command line: parses it, prints the response and returns the exit code.
import { archive } from './archive.ts'
import type { AnyJson, CallerRole, Command, CommandForm, View } from './command.ts'
import { COMMANDS, findCommand } from './commands.ts'
import { type CliContext, EXIT, LOCAL_FAILURE, LocalError, MISUSE, NO_ANSWER, UsageError } from './context.ts'
import { checkHealth } from './doctor.ts'
import { describeFileError } from './file-errors.ts'
import { forget } from './forget.ts'
import { formatUsage, HELP_OF_COMMON, helpOf, helpOfAll, helpOfSubject } from './help.ts'
import { listen } from './listen.ts'
import { ManagementApi } from './management-api.ts'
import { findNames } from './names.ts'
import { findNearestWord } from './nearest.ts'
import { type Common, createDraft, type Draft, get, type ParsedCommand, parseCommand } from './request.ts'
import { resolveIds } from './resolve-ids.ts'
import { runSending } from './send.ts'
import { ApiError, isOutcomeUnknown, NoResponse, NotConnected, withKeyHint } from './service.ts'
import { findSpecialCommand, SPECIAL_COMMANDS } from './special-commands.ts'
import { fieldLines, jsonLine, sanitize, tableOf } from './table.ts'
import { checkUpgrade } from './upgrade.ts'
import { readSecret } from './values.ts'

export async function runCommandLine(words: string[], context: CliContext): Promise<number> {
  // Sanitizes all output, which may contain text from strangers.
  const clean = {
    ...context,
    out: (text: string) => context.out(sanitize(text)),
    err: (text: string) => context.err(sanitize(text)),
  }
  try {
    return await run(words, clean)
  } catch (error) {
    return report(error, { err: clean.err, json: wantsJson(words) })
  }
}

/** Also for a line that cannot be parsed. */
function wantsJson(words: string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).includes('--json')
}

const HELP = ['help', '--help', '-h']

async function run(words: string[], context: CliContext): Promise<number> {
  const [first = 'help', second = '', third = ''] = words
  if (first === '--version') {
    context.out(`hulaki ${context.version}`)
    return EXIT.done
  }
  if (HELP.includes(first)) return help(words.slice(1), context)
  if (HELP.includes(second)) return help([first], context)
  if (first.startsWith('-')) throw new UsageError('Options come after the command.')
  const many = findSpecialCommand(words)
  if (many) return runMany(many, words.slice(many.name.split(' ').length), context)
  const command = findCommand(words)
  if (!command && HELP.includes(third)) return help([first, second], context)
  if (!command) throw new UsageError(unknown(words))
  return runCall(command, words.slice(command.name.split(' ').length), context)
}

function runMany(command: CommandForm, words: string[], context: CliContext): Promise<number> | number {
  const parsed = parseCommand(words, command)
  const { positionals, common } = parsed
  if (common.help) return help(command.name.split(' '), context)
  const { length } = command.positionals
  if (positionals.length > length || positionals.length < length - (command.optionalPositionals ?? 0))
    throw new UsageError(`Usage: ${formatUsage(command)}`)
  checkRequired(command, parsed)
  checkConfirmed(command, parsed)
  if (command.isLocal) return runLocal(command, parsed, context)
  if (command.isForPrograms) return runSending(command, parsed, { url: addressAt(common, context), context })
  if (command.name === 'upgrade') return checkUpgrade(parsed, context)
  const api = apiAt(common, context)
  if (command.name === 'archive') return archive(api, parsed, context)
  if (command.name === 'forget') return forget(api, parsed, context)
  return command.name === 'doctor' ? checkHealth(api, common, context) : listen(api, parsed, context)
}

/** A call checks its options itself, because the positionals are options of it too. */
function checkRequired({ options }: CommandForm, { values }: ParsedCommand): void {
  for (const [name, option] of Object.entries(options))
    if (option.isRequired && (values[name] ?? '') === '')
      throw new UsageError(`--${name} is required: ${option.about}.`)
}

function checkConfirmed({ needsYes }: CommandForm, { yes }: ParsedCommand): void {
  if (needsYes && !yes) throw new UsageError('Nothing was changed. Repeat the command with --yes to confirm.')
}

async function runLocal(
  command: CommandForm,
  { common, positionals, values }: ParsedCommand,
  context: CliContext,
): Promise<number> {
  if (common.url !== undefined || common['token-file'] !== undefined)
    throw new UsageError(
      `'hulaki ${command.name}' uses the database of this machine: it has no --url and --token-file.`,
    )
  const { 'passphrase-file': file, ...rest } = values
  const answer = await context.runLocally({
    ...{ name: command.name, positionals, values: rest },
    passphrase: file === undefined ? null : readSecret(String(file), context),
    note: common.json ? () => {} : context.err,
  })
  context.out(common.json ? jsonLine(answer) : fieldLines(answer))
  return EXIT.done
}

async function runCall(command: Command, words: string[], context: CliContext): Promise<number> {
  const parsed = parseCommand(words, command)
  const { json, help: wantsHelp } = parsed.common
  if (wantsHelp) return help(command.name.split(' '), context)
  const draft = createDraft(command, parsed, context)
  checkConfirmed(command, parsed)
  const api = apiAt(parsed.common, context)
  try {
    return await makeCall(command, { parsed, draft, api, context })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && !json) error.hints ??= await roleHints(command, api)
    throw error
  }
}

const WHO: Record<CallerRole, string> = { operator: 'operators', owner: 'owners', developer: 'developers and owners' }
const ROLES = ['operator', 'owner', 'developer', 'viewer']

/** The service hides what a caller may not do: it responds as if it did not exist. */
async function roleHints({ role }: Command, api: ManagementApi): Promise<string[]> {
  if (role === undefined) return []
  try {
    const { kind } = await api.request(get('/whoami'))
    if (ROLES.indexOf(kind) <= ROLES.indexOf(role)) return []
    return [`Only ${WHO[role]} can do this, and this token is of ${kind === 'owner' ? 'an' : 'a'} ${kind}.`]
  } catch {
    return []
  }
}

interface PreparedCall {
  parsed: ParsedCommand
  draft: Draft
  api: ManagementApi
  context: CliContext
}

async function makeCall(command: Command, { parsed, draft, api, context }: PreparedCall): Promise<number> {
  const { json } = parsed.common
  const request = await resolveIds(command, draft, api)
  // Programs read JSON or a pipe, and need no names.
  const viewOf = async (answer: AnyJson): Promise<View> => ({
    names: json || context.width === null ? new Map() : await findNames(api, answer),
    now: context.now(),
  })
  if (command.isText) {
    const pieces = api.requestFile(request)
    if (parsed.output === undefined) await printText(pieces, context.out)
    else {
      const size = await writeCounted(parsed.output, pieces, context)
      if (!json) context.err(`Wrote ${grouped(size)} bytes to ${parsed.output}.`)
    }
    return EXIT.done
  }
  if (command.columns) {
    const list = await (parsed.all ? api.requestAll(request) : api.requestList(request))
    const view = await viewOf(list.items)
    showList(list, { ...command, columns: command.columns, json, view, ...context })
    return EXIT.done
  }
  const key = command.isIdempotent ? (parsed.idempotencyKey ?? context.newIdempotencyKey()) : null
  if (key !== null && !/^[ -~]{1,200}$/.test(key))
    throw new UsageError('An idempotency key has 1 to 200 printable ASCII characters.')
  const answer = await (key === null
    ? api.request(request)
    : withKeyHint(key, 'The top-up may be booked', () => api.request(request, { 'idempotency-key': key })))
  show(command, answer, { json, view: await viewOf(answer), ...context })
  return command.isSuccessful?.(answer) === false ? EXIT.refused : EXIT.done
}

/** Returns the number of bytes. */
async function writeCounted(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  { writeFile }: CliContext,
): Promise<number> {
  let size = 0
  async function* counted() {
    for await (const piece of pieces) {
      size += piece.length
      yield piece
    }
  }
  await writeFile(file, counted())
  return size
}

/** For example 12 345. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/** Prints whole lines as they arrive. */
async function printText(pieces: AsyncIterable<Uint8Array>, out: CliContext['out']): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const text = rest + decoder.decode(piece, { stream: true })
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (end >= 0) out(text.slice(0, end).replaceAll('\r', ''))
  }
  rest += decoder.decode()
  if (rest !== '') out(rest)
}

type PrintOptions = Pick<CliContext, 'out' | 'err' | 'width'> & { json: boolean; view: View }

function show(command: Command, answer: AnyJson, { json, out, err, width, view }: PrintOptions): void {
  if (answer === null) {
    if (!json) out('Done.')
    return
  }
  out(json ? jsonLine(answer) : (command.show ?? fieldLines)(answer, width, view))
  const once = SHOWN_ONCE.filter((name) => typeof answer[name] === 'string')
  if (once.length > 0 && !json) err(`Shown once: save ${once.join(' and ')} now.`)
}

const SHOWN_ONCE = ['apiKey', 'webhookSecret', 'token', 'link']

function showList(
  list: { items: AnyJson[]; next: string | null },
  command: PrintOptions & Pick<Command, 'row' | 'brief'> & { columns: readonly string[] },
): void {
  const { brief, row = (it) => it, json, out, err, width, view } = command
  const columns = width === null ? command.columns : (brief ?? command.columns)
  if (json) out(jsonLine(list))
  else out(list.items.length === 0 ? 'No results.' : tableOf(list.items.map(row), { columns, width, view }))
  if (list.next && !json) err(`More results: --cursor ${list.next}, or --all.`)
}

function help(words: string[], { out }: CliContext): number {
  const named = words.filter((word) => !word.startsWith('-'))
  if (named.length === 0) out(helpOfAll())
  else {
    const command = findSpecialCommand(named) ?? findCommand(named)
    const some = helpOfSubject(named.join(' '))
    if (!command && some === null) throw new UsageError(unknown(named))
    out(command ? helpOf(command) : `${some}\n\n${HELP_OF_COMMON}`)
  }
  return EXIT.done
}

function unknown(words: string[]): string {
  const subject = [words.slice(0, 2), words.slice(0, 1)].find((some) => helpOfSubject(some.join(' ')) !== null)
  const typed = words.slice(0, subject ? subject.length + 1 : 2)
  const near = nearCommand(typed)
  const hint = near === undefined ? '' : ` Did you mean 'hulaki ${near}'?`
  if (!subject) return `Unknown command '${typed.join(' ')}'. 'hulaki help' lists all commands.${hint}`
  const some = helpOfSubject(subject.join(' '))
  if (typed.length === subject.length) return `Incomplete command '${typed.join(' ')}'. Commands:\n${some}`
  return `Unknown command '${typed.join(' ')}'.${hint} Commands:\n${some}`
}

/** By all words together, or by the first word alone. */
function nearCommand(typed: string[]): string | undefined {
  const names = [...COMMANDS, ...SPECIAL_COMMANDS].map(({ name }) => name)
  const firsts = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))]
  const [first = ''] = typed
  const all = typed.length < 2 ? undefined : findNearestWord(typed.join(' '), names)
  return all ?? (firsts.includes(first) ? undefined : findNearestWord(first, firsts))
}

function addressAt({ url }: Common, context: CliContext): URL {
  const address = URL.parse(url ?? context.url())
  if (!address || !/^https?:$/.test(address.protocol))
    throw new UsageError('--url must be a URL like http://127.0.0.1:8080.')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '')
    throw new UsageError('--url must not contain a user, a password, a query or a fragment.')
  return address
}

function apiAt(common: Common, context: CliContext): ManagementApi {
  const address = addressAt(common, context)
  const { 'token-file': tokenFile } = common
  const token = tokenFile === undefined ? context.tokenFor(address) : readSecret(tokenFile, context)
  if (token !== null && !/^[!-~]+$/.test(token)) throw new UsageError('The token contains an invalid character.')
  return new ManagementApi(address, { token, signal: context.signal })
}

function report(cause: unknown, { err, json }: { err: CliContext['err']; json: boolean }): number {
  const { exit, error, code, details, hints } = reportOf(cause)
  if (json) err(jsonLine({ error, code, ...(details !== undefined && { details }) }))
  else {
    err(cause instanceof ApiError ? `${error} (${code})` : error)
    for (const hint of [...issuesOf(details).map((issue) => `  ${issue}`), ...hints]) err(hint)
  }
  return exit
}

interface Report {
  exit: number
  error: string
  code: string
  details?: AnyJson
  /** Printed without --json only. */
  hints: string[]
}

const TOKEN_SOURCES =
  "The token comes from --token-file, HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the data folder's operator-token."
const IS_IT_RUNNING =
  "Is it running? 'npm start' starts it in a checkout, bin/hulaki-server in a package; --url, HULAKI_URL or PORT set its address."

function reportOf(cause: unknown): Report {
  if (cause instanceof UsageError) return { exit: EXIT.misuse, error: cause.message, code: MISUSE, hints: [] }
  if (cause instanceof LocalError) return { exit: EXIT.refused, error: cause.message, code: LOCAL_FAILURE, hints: [] }
  if (cause instanceof NoResponse) {
    const hints = cause instanceof NotConnected ? [IS_IT_RUNNING] : []
    return { exit: EXIT.noAnswer, error: cause.message, code: NO_ANSWER, hints }
  }
  const fileError = describeFileError(cause)
  if (fileError !== null) return { exit: EXIT.refused, error: fileError, code: LOCAL_FAILURE, hints: [] }
  if (!(cause instanceof ApiError)) throw cause
  const { message: error, code, details, status } = cause
  const hints = cause.hints ?? (status === 401 ? [TOKEN_SOURCES] : [])
  const exits: Record<number, number> = { 401: EXIT.unauthorized, 404: EXIT.notFound }
  const exit = isOutcomeUnknown(cause) ? EXIT.noAnswer : (exits[status] ?? EXIT.refused)
  return { exit, error, code, details, hints }
}

function issuesOf(details: AnyJson): string[] {
  if (!Array.isArray(details)) return []
  return details
    .filter((issue) => Array.isArray(issue?.path))
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
}
