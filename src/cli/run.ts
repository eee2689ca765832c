// One run of the command line: what was typed, the answer on standard output, and an exit code that says how it went.
import type { Command, Json } from './command.ts'
import { COMMANDS } from './commands.ts'
import { examine } from './doctor.ts'
import { helpOf, helpOfAll, helpOfKind } from './help.ts'
import { listen } from './listen.ts'
import { type Common, Misuse, type Request, readTyped, requestOf } from './request.ts'
import { NoAnswer, Refused, Service } from './service.ts'
import { EXIT, type Surroundings } from './surroundings.ts'
import { fieldLines, printable, tableOf } from './table.ts'

export async function runCommandLine(words: string[], around: Surroundings): Promise<number> {
  try {
    return await run(words, around)
  } catch (fault) {
    return tell(fault, around)
  }
}

async function run(words: string[], around: Surroundings): Promise<number> {
  const [first = 'help', second = ''] = words
  if (first === 'help' || first === '--help' || first === '-h') return help(words.slice(1), around)
  if (first === 'doctor') {
    const { common } = readTyped(words.slice(1), {})
    return common.help ? help(['doctor'], around) : examine(serviceAt(common, around), common, around)
  }
  if (first === 'listen') {
    const { common, places } = readTyped(words.slice(1), {})
    if (common.help) return help(['listen'], around)
    const [client, ...more] = places
    if (client === undefined || more.length > 0) throw new Misuse('This command is written: hulaki listen <client>')
    return listen(serviceAt(common, around), { client, json: common.json }, around)
  }
  const command = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  if (!command) throw new Misuse(unknown(first, second))
  return make(command, words.slice(2), around)
}

async function make(command: Command, words: string[], around: Surroundings): Promise<number> {
  const typed = readTyped(words, command)
  if (typed.common.help) return help(command.name.split(' '), around)
  const request = requestOf(command, typed, around.readFile)
  const service = serviceAt(typed.common, around)
  const answer = command.isIdempotent
    ? await askOnce(service, request, typed.idempotencyKey ?? around.newIdempotencyKey())
    : typed.all
      ? await askAll(service, request)
      : await service.ask(request)
  show(command, answer, { json: typed.common.json, ...around })
  return EXIT.done
}

/** Where nobody knows whether it was done, its key tells how to find out: the same command with it does it once. */
async function askOnce(service: Service, request: Request, idempotencyKey: string): Promise<Json> {
  try {
    return await service.ask(request, { 'idempotency-key': idempotencyKey })
  } catch (fault) {
    if (!(fault instanceof NoAnswer)) throw fault
    throw new NoAnswer(
      `${fault.message} It may have been booked. Repeat it with --idempotency-key ${idempotencyKey}: it is then booked once.`,
    )
  }
}

async function askAll(service: Service, request: Request): Promise<Json> {
  const items: Json[] = []
  for (let cursor: string | null = request.query.cursor ?? null; ; ) {
    const page = await service.ask({ ...request, query: { ...request.query, ...(cursor !== null && { cursor }) } })
    items.push(...page.items)
    cursor = page.next
    if (cursor === null) return { items, next: null }
  }
}

function show(
  command: Command,
  answer: Json,
  { json, out, err }: Pick<Surroundings, 'out' | 'err'> & { json: boolean },
): void {
  if (answer === null) {
    if (!json) out('Done.')
  } else if (json) out(JSON.stringify(answer))
  else if (command.show) out(command.show(answer))
  else if (!command.columns) out(fieldLines(answer))
  else {
    out(answer.items.length === 0 ? 'None.' : tableOf(answer.items, command.columns))
    if (answer.next) err(`There are more: go on with --cursor ${answer.next}, or take --all.`)
  }
}

function help(words: string[], { out }: Surroundings): number {
  const command = COMMANDS.find(({ name }) => name === words.join(' '))
  const text = command ? helpOf(command) : helpOfKind(words[0] ?? '')
  out(text ?? helpOfAll())
  return EXIT.done
}

function unknown(first: string, second: string): string {
  const some = helpOfKind(first)
  const words = `'${printable(`${first} ${second}`.trim())}'`
  if (some === null) return `There is no command ${words}; 'hulaki help' lists them.`
  return `${words} is no whole command. There are\n${some}`
}

function serviceAt({ url, 'token-file': tokenFile }: Common, around: Surroundings): Service {
  const address = url ?? around.url
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new Misuse(`'${printable(address)}' is no address such as http://127.0.0.1:8080.`)
  const token = tokenFile === undefined ? around.token() : (around.readFile(tokenFile).split(/\r?\n/)[0] ?? '')
  return new Service(address, token)
}

function tell(fault: unknown, { err }: Surroundings): number {
  if (fault instanceof Misuse) {
    err(fault.message)
    return EXIT.misuse
  }
  if (fault instanceof NoAnswer) {
    err(fault.message)
    return EXIT.noAnswer
  }
  if (!(fault instanceof Refused)) throw fault
  err(`${printable(fault.message)} (${fault.code})`)
  for (const { path, message } of issuesOf(fault.details)) err(`  ${path}: ${printable(message)}`)
  if (fault.status === 401)
    err("The token comes from --token-file, HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the data folder's operator-token.")
  if (fault.status >= 500) return EXIT.noAnswer
  return fault.status === 404 ? EXIT.notFound : fault.status === 401 ? EXIT.unauthorized : EXIT.refused
}

function issuesOf(details: Json): { path: string; message: string }[] {
  if (!Array.isArray(details)) return []
  return details.map(({ path, message }) => ({ path: path.join('.') || 'the body', message }))
}
