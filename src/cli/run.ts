// One run of the command line: reads what was typed, prints the answer, and returns the exit code.
import type { Command, CommandForm, Json } from './command.ts'
import { COMMANDS, commandNamed } from './commands.ts'
import { checkHealth } from './doctor.ts'
import { HELP_OF_COMMON, helpOf, helpOfAll, helpOfSubject, usageOf } from './help.ts'
import { listen } from './listen.ts'
import { ManagementApi } from './management-api.ts'
import { MANY_REQUESTS, manyRequestsNamed } from './many-requests.ts'
import { nearest } from './nearest.ts'
import { type Common, draftOf, readSecret, readTyped } from './request.ts'
import { runSending } from './send.ts'
import { isUnknown, NoAnswer, NotReached, Refused, withKeyHint } from './service.ts'
import { EXIT, MISUSE, Misuse, NO_ANSWER, type Surroundings } from './surroundings.ts'
import { fieldLines, harmless, jsonLine, tableOf } from './table.ts'
import { withIds } from './things.ts'

export async function runCommandLine(words: string[], around: Surroundings): Promise<number> {
  // All output passes here, because it may contain texts of strangers.
  const clean = {
    ...around,
    out: (text: string) => around.out(harmless(text)),
    err: (text: string) => around.err(harmless(text)),
  }
  try {
    return await run(words, clean)
  } catch (fault) {
    return report(fault, { err: clean.err, json: wantsJson(words) })
  }
}

/** Also for a line that cannot be parsed. */
function wantsJson(words: string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).includes('--json')
}

const HELP = ['help', '--help', '-h']

async function run(words: string[], around: Surroundings): Promise<number> {
  const [first = 'help', second = ''] = words
  if (first === '--version') {
    around.out(`hulaki ${around.version}`)
    return EXIT.done
  }
  if (HELP.includes(first)) return help(words.slice(1), around)
  if (HELP.includes(second)) return help([first], around)
  if (first.startsWith('-')) throw new Misuse('Options come after the command.')
  const many = manyRequestsNamed(first, second)
  if (many) return runMany(many, words.slice(many.name.split(' ').length), around)
  const command = commandNamed(first, second)
  if (!command) throw new Misuse(unknown(first, second))
  return runCall(command, words.slice(command.name.split(' ').length), around)
}

function runMany(command: CommandForm, words: string[], around: Surroundings): Promise<number> | number {
  const typed = readTyped(words, command)
  const { places, common } = typed
  if (common.help) return help(command.name.split(' '), around)
  const { length } = command.places
  if (places.length > length || places.length < length - (command.optionalPlaces ?? 0))
    throw new Misuse(`Usage: ${usageOf(command)}`)
  if (command.isForPrograms) return runSending(command, typed, { url: addressAt(common, around), around })
  const service = serviceAt(common, around)
  return command.name === 'doctor' ? checkHealth(service, common, around) : listen(service, typed, around)
}

async function runCall(command: Command, words: string[], around: Surroundings): Promise<number> {
  const typed = readTyped(words, command)
  const { json, help: wantsHelp } = typed.common
  if (wantsHelp) return help(command.name.split(' '), around)
  const draft = draftOf(command, typed, around)
  if (command.needsYes && !typed.yes)
    throw new Misuse('This command changes many messages. Repeat it with --yes to confirm.')
  const service = serviceAt(typed.common, around)
  const request = await withIds(command, draft, service)
  if (command.isText) {
    around.out((await service.askText(request)).trimEnd())
    return EXIT.done
  }
  if (command.columns) {
    const list = await (typed.all ? service.askAll(request) : service.askList(request))
    showList(list, { ...command, columns: command.columns, json, ...around })
    return EXIT.done
  }
  const key = command.isIdempotent ? (typed.idempotencyKey ?? around.newIdempotencyKey()) : null
  if (key !== null && !/^[ -~]{1,200}$/.test(key))
    throw new Misuse('An idempotency key has 1 to 200 printable ASCII characters.')
  const answer = await (key === null
    ? service.ask(request)
    : withKeyHint(key, 'The top-up may be booked', () => service.ask(request, { 'idempotency-key': key })))
  show(command, answer, { json, ...around })
  return command.isWell?.(answer) === false ? EXIT.refused : EXIT.done
}

type Printing = Pick<Surroundings, 'out' | 'err' | 'width'> & { json: boolean }

function show(command: Command, answer: Json, { json, out, err, width }: Printing): void {
  if (answer === null) {
    if (!json) out('Done.')
    return
  }
  out(json ? jsonLine(answer) : (command.show ?? fieldLines)(answer, width))
  const once = SHOWN_ONCE.filter((name) => typeof answer[name] === 'string')
  if (once.length > 0 && !json) err(`Shown once: save ${once.join(' and ')} now.`)
}

const SHOWN_ONCE = ['apiKey', 'webhookSecret', 'token', 'link']

function showList(
  list: { items: Json[]; next: string | null },
  command: Printing & Pick<Command, 'row'> & { columns: readonly string[] },
): void {
  const { columns, row = (it) => it, json, out, err, width } = command
  if (json) out(jsonLine(list))
  else out(list.items.length === 0 ? 'No results.' : tableOf(list.items.map(row), { columns, width }))
  if (list.next && !json) err(`More results: --cursor ${list.next}, or --all.`)
}

function help(words: string[], { out }: Surroundings): number {
  const [first, second = ''] = words.filter((word) => !word.startsWith('-'))
  if (first === undefined) out(helpOfAll())
  else {
    const command = manyRequestsNamed(first, second) ?? commandNamed(first, second)
    const some = second === '' ? helpOfSubject(first) : null
    if (!command && some === null) throw new Misuse(unknown(first, second))
    out(command ? helpOf(command) : `${some}\n\n${HELP_OF_COMMON}`)
  }
  return EXIT.done
}

function unknown(first: string, second: string): string {
  const some = helpOfSubject(first)
  const near = nearCommand(first, second)
  const hint = near === undefined ? '' : ` Did you mean 'hulaki ${near}'?`
  if (some === null) return `Unknown command '${`${first} ${second}`.trim()}'. 'hulaki help' lists all commands.${hint}`
  if (second === '') return `Incomplete command '${first}'. Commands:\n${some}`
  return `Unknown command '${first} ${second}'.${hint} Commands:\n${some}`
}

/** By both words together, or by the first word alone. */
function nearCommand(first: string, second: string): string | undefined {
  const names = [...COMMANDS, ...MANY_REQUESTS].map(({ name }) => name)
  const firsts = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))]
  const both = second === '' ? undefined : nearest(`${first} ${second}`, names)
  return both ?? (firsts.includes(first) ? undefined : nearest(first, firsts))
}

function addressAt({ url }: Common, around: Surroundings): URL {
  const address = URL.parse(url ?? around.url())
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Misuse('--url must be an address such as http://127.0.0.1:8080.')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '')
    throw new Misuse('--url must not contain a user, a password, a query or a fragment.')
  return address
}

function serviceAt(common: Common, around: Surroundings): ManagementApi {
  const address = addressAt(common, around)
  const { 'token-file': tokenFile } = common
  const token = tokenFile === undefined ? around.tokenFor(address) : readSecret(tokenFile, around)
  if (token !== null && !/^[!-~]+$/.test(token)) throw new Misuse('The token contains an invalid character.')
  return new ManagementApi(address, { token, signal: around.signal })
}

function report(fault: unknown, { err, json }: { err: Surroundings['err']; json: boolean }): number {
  const { exit, error, code, details, hints } = reportOf(fault)
  if (json) err(jsonLine({ error, code, ...(details !== undefined && { details }) }))
  else {
    err(fault instanceof Refused ? `${error} (${code})` : error)
    for (const hint of [...issuesOf(details).map((issue) => `  ${issue}`), ...hints]) err(hint)
  }
  return exit
}

interface Report {
  exit: number
  error: string
  code: string
  details?: Json
  /** For people. */
  hints: string[]
}

const TOKEN_SOURCES =
  "The token comes from --token-file, HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the data folder's operator-token."
const IS_IT_RUNNING = "Is it running? 'npm start' starts it; --url, HULAKI_URL or PORT set its address."

function reportOf(fault: unknown): Report {
  if (fault instanceof Misuse) return { exit: EXIT.misuse, error: fault.message, code: MISUSE, hints: [] }
  if (fault instanceof NoAnswer) {
    const hints = fault instanceof NotReached ? [IS_IT_RUNNING] : []
    return { exit: EXIT.noAnswer, error: fault.message, code: NO_ANSWER, hints }
  }
  if (!(fault instanceof Refused)) throw fault
  const { message: error, code, details, status } = fault
  const hints = fault.hints ?? (status === 401 ? [TOKEN_SOURCES] : [])
  const exits: Record<number, number> = { 401: EXIT.unauthorized, 404: EXIT.notFound }
  const exit = isUnknown(fault) ? EXIT.noAnswer : (exits[status] ?? EXIT.refused)
  return { exit, error, code, details, hints }
}

function issuesOf(details: Json): string[] {
  if (!Array.isArray(details)) return []
  return details
    .filter((issue) => Array.isArray(issue?.path))
    .map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`)
}
