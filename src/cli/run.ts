// One run of the command line: what was typed, the answer on standard output, and an exit code that says how it went.
import type { Command, Json } from './command.ts'
import { COMMANDS, commandNamed } from './commands.ts'
import { examine } from './doctor.ts'
import { HELP_OF_COMMON, helpOf, helpOfAll, helpOfKind, helpOfMany, usageOfMany } from './help.ts'
import { listen } from './listen.ts'
import { ManagementApi } from './management-api.ts'
import { MANY_REQUESTS, type ManyRequests, manyRequestsNamed } from './many-requests.ts'
import { nearest } from './nearest.ts'
import { type Common, draftOf, type Request, readSecret, readTyped } from './request.ts'
import { runSending } from './send.ts'
import { isUnknown, NoAnswer, NotReached, Refused } from './service.ts'
import { EXIT, MISUSE, Misuse, NO_ANSWER, type Surroundings } from './surroundings.ts'
import { fieldLines, harmless, jsonLine, tableOf } from './table.ts'
import { withIds } from './things.ts'
import { trigger } from './trigger.ts'

export async function runCommandLine(words: string[], around: Surroundings): Promise<number> {
  // Whatever is printed, and wherever it came from, is cleaned here.
  const clean = {
    ...around,
    out: (text: string) => around.out(harmless(text)),
    err: (text: string) => around.err(harmless(text)),
  }
  try {
    return await run(words, clean)
  } catch (fault) {
    return tell(fault, { err: clean.err, json: wantsJson(words) })
  }
}

/** Also of a line that cannot be read. */
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
  if (first.startsWith('-')) throw new Misuse('Options follow the words of a command.')
  const many = manyRequestsNamed(first, second)
  if (many) return runMany(many, words.slice(many.name.split(' ').length), around)
  const command = commandNamed(first, second)
  if (!command) throw new Misuse(unknown(first, second))
  return make(command, words.slice(command.name.split(' ').length), around)
}

/** Those that are no single request. */
function runMany(command: ManyRequests, words: string[], around: Surroundings): Promise<number> | number {
  const typed = readTyped(words, command)
  const { places, common } = typed
  if (common.help) return help(command.name.split(' '), around)
  const { length } = command.places
  if (places.length > length || places.length < length - (command.optionalPlaces ?? 0))
    throw new Misuse(`This command is written: ${usageOfMany(command)}`)
  if (command.isForPrograms) return runSending(command, typed, { url: addressAt(common, around), around })
  const service = serviceAt(common, around)
  if (command.name === 'doctor') return examine(service, common, around)
  return (command.name === 'trigger' ? trigger : listen)(service, typed, around)
}

async function make(command: Command, words: string[], around: Surroundings): Promise<number> {
  const typed = readTyped(words, command)
  if (typed.common.help) return help(command.name.split(' '), around)
  const draft = draftOf(command, typed, around)
  if (command.needsYes && !typed.yes)
    throw new Misuse('This acts on many messages at once. If that is meant, repeat it with --yes.')
  const service = serviceAt(typed.common, around)
  const request = await withIds(command, draft, service)
  const { json } = typed.common
  if (command.isText) around.out((await service.askText(request)).trimEnd())
  else if (command.columns) {
    const list = await (typed.all ? service.askAll(request) : service.askList(request))
    showList(list, { ...command, columns: command.columns, json, ...around })
  } else if (command.isIdempotent) {
    const key = typed.idempotencyKey ?? around.newIdempotencyKey()
    show(command, await askOnce(service, request, key), { json, ...around })
  } else {
    const answer = await service.ask(request)
    show(command, answer, { json, ...around })
    if (command.isWell?.(answer) === false) return EXIT.refused
  }
  return EXIT.done
}

/** Where nobody knows whether it was done, its key tells how to find out: the same command with it does it once. */
async function askOnce(service: ManagementApi, request: Request, idempotencyKey: string): Promise<Json> {
  if (!/^[ -~]{1,200}$/.test(idempotencyKey))
    throw new Misuse('An idempotency key has 1 to 200 printable ASCII characters.')
  try {
    return await service.ask(request, { 'idempotency-key': idempotencyKey })
  } catch (fault) {
    if (!(fault instanceof Error && isUnknown(fault)) || fault instanceof NotReached) throw fault
    throw new NoAnswer(
      `${fault.message}\nIt may have been booked. Repeat it within 24 hours with --idempotency-key ${idempotencyKey}: it is then booked once.`,
    )
  }
}

type Printing = Pick<Surroundings, 'out' | 'err' | 'width'> & { json: boolean }

function show(command: Command, answer: Json, { json, out, err, width }: Printing): void {
  if (answer === null) {
    if (!json) out('Done.')
    return
  }
  out(json ? jsonLine(answer) : (command.show ?? fieldLines)(answer, width))
  const once = SHOWN_ONCE.filter((name) => typeof answer[name] === 'string')
  if (once.length > 0 && !json) err(`Keep ${once.join(' and ')}: never shown again.`)
}

const SHOWN_ONCE = ['apiKey', 'webhookSecret', 'token', 'link']

function showList(
  list: { items: Json[]; next: string | null },
  {
    columns,
    row = (it) => it,
    json,
    out,
    err,
    width,
  }: Printing & Pick<Command, 'row'> & { columns: readonly string[] },
): void {
  if (json) out(jsonLine(list))
  else out(list.items.length === 0 ? 'None.' : tableOf(list.items.map(row), { columns, width }))
  if (list.next && !json) err(`There are more: go on with --cursor ${list.next}, or take --all.`)
}

function help(words: string[], { out }: Surroundings): number {
  const [first, second] = words.filter((word) => !word.startsWith('-'))
  const text = first === undefined ? helpOfAll() : helpOfWords(first, second)
  if (text === null) throw new Misuse(unknown(first ?? '', second ?? ''))
  out(text)
  return EXIT.done
}

function helpOfWords(first: string, second: string | undefined): string | null {
  if (second === undefined) {
    const many = manyRequestsNamed(first, '')
    if (many) return helpOfMany(many)
    const some = helpOfKind(first)
    return some && `${some}\n\n${HELP_OF_COMMON}`
  }
  const many = manyRequestsNamed(first, second)
  const command = commandNamed(first, second)
  return many ? helpOfMany(many) : command ? helpOf(command) : null
}

function unknown(first: string, second: string): string {
  const some = helpOfKind(first)
  const words = `'${first} ${second}'`.replace(" '", "'")
  const near = nearCommand(first, second)
  const hint = near === undefined ? '' : ` Did you mean 'hulaki ${near}'?`
  if (some === null) return `There is no command ${words}; 'hulaki help' lists them.${hint}`
  return `${words} is no whole command.${hint} There are\n${some}`
}

/** By its two words together, or by the first where only that is there or near. */
function nearCommand(first: string, second: string): string | undefined {
  const names = [...COMMANDS, ...MANY_REQUESTS].map(({ name }) => name)
  const firsts = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))]
  if (second === '') return firsts.includes(first) ? undefined : nearest(first, firsts)
  return nearest(`${first} ${second}`, names) ?? (firsts.includes(first) ? undefined : nearest(first, firsts))
}

function addressAt({ url }: Common, around: Surroundings): URL {
  const address = URL.parse(url ?? around.url())
  if (!address || !/^https?:$/.test(address.protocol))
    throw new Misuse('The address must be one such as http://127.0.0.1:8080.')
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '')
    throw new Misuse('The address must have neither a user nor anything behind a ? or #.')
  return address
}

function serviceAt(common: Common, around: Surroundings): ManagementApi {
  const address = addressAt(common, around)
  const { 'token-file': tokenFile } = common
  const token = tokenFile === undefined ? around.tokenFor(address) : readSecret(tokenFile, around)
  if (token !== null && !/^[!-~]+$/.test(token)) throw new Misuse('The token holds a character that no token has.')
  return new ManagementApi(address, { token, signal: around.signal })
}

function tell(fault: unknown, { err, json }: { err: Surroundings['err']; json: boolean }): number {
  const told = toldOf(fault)
  if (!told) throw fault
  const { exit, error, code, details, hints = [] } = told
  if (json) {
    err(jsonLine({ error, code, ...(details !== undefined && { details }) }))
    return exit
  }
  err(fault instanceof Refused ? `${error} (${code})` : error)
  for (const hint of [...issuesOf(details).map((issue) => `  ${issue}`), ...hints]) err(hint)
  return exit
}

interface Told {
  exit: number
  error: string
  code: string
  details?: Json
  /** For people. */
  hints?: string[]
}

const WHENCE_TOKENS =
  "The token comes from --token-file, HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the data folder's operator-token."

const WHERE_IT_IS = "Does it run? 'npm start' starts it; --url, HULAKI_URL or PORT say where it is."

function toldOf(fault: unknown): Told | null {
  if (fault instanceof Misuse) return { exit: EXIT.misuse, error: fault.message, code: MISUSE }
  if (fault instanceof NoAnswer) {
    const hints = fault instanceof NotReached ? [WHERE_IT_IS] : []
    return { exit: EXIT.noAnswer, error: fault.message, code: NO_ANSWER, hints }
  }
  if (!(fault instanceof Refused)) return null
  const { message: error, code, details, status } = fault
  const hints = fault.hints ?? (status === 401 ? [WHENCE_TOKENS] : [])
  return { exit: exitOf(fault), error, code, details, hints }
}

function exitOf(fault: Refused): number {
  if (isUnknown(fault)) return EXIT.noAnswer
  return fault.status === 404 ? EXIT.notFound : fault.status === 401 ? EXIT.unauthorized : EXIT.refused
}

function issuesOf(details: Json): string[] {
  if (!Array.isArray(details)) return []
  return details
    .filter((issue) => Array.isArray(issue?.path))
    .map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`)
}
