// Runs a page like a reader: starts a service in its own folder, saves listings, runs commands one by one, and sets variables from responses.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { makeDemo } from '../../src/actions/workspaces/make-demo.ts'
import { DEFAULT_ADDRESS } from '../../src/http/address.ts'
import { ManualClock, SystemClock } from '../../src/runtime/clock.ts'
import { urlOf } from '../harness/process.ts'
import { OPERATOR_TOKEN, ownService, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { type Block, fileNameOf, PROGRAMS, ROOT, startIn } from './blocks.ts'
import { assertLike, isLike, jsonIn } from './printed-json.ts'

/** Files of the checkout that a page may need. */
const LINKED = ['bin', 'src', 'sdk', 'examples', 'node_modules', 'package.json', 'docs']
/** Programs that bin/hulaki and npm call. */
const BELOW = ['sh', 'bash', 'dirname', 'readlink', 'env', 'uname']
const COMMAND_MS = 120_000

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export class Reader {
  readonly #file: string
  readonly #folder = scratchFolder('hulaki-reader')
  readonly #data = join(this.#folder, 'data')
  #env: Record<string, string> = {}
  #service: TestService | null = null
  #port = ''
  #address = ''
  /** The last response, for the listing below it and for ids that are shown once. */
  #answers: unknown[] = []

  constructor(file: string) {
    this.#file = file
  }

  async begin(find: Finding = {}): Promise<void> {
    this.#find = { ...FINDING, ...find }
    layOut(this.#folder)
    this.#port = String(await freePort())
    await this.#start({})
    const service = this.#service
    assert.ok(service)
    const demo = await makeDemo(service.ports)
    assert.ok(demo)
    writeFileSync(join(this.#data, 'operator-token'), OPERATOR_TOKEN)
    writeFileSync(join(this.#data, 'keyring.json'), service.keyringText, { mode: 0o600 })
    this.#env = {
      PATH: join(this.#folder, 'programs'),
      HOME: this.#folder,
      PWD: this.#folder,
      CURL_HOME: this.#folder,
      PORT: this.#port,
      HULAKI_DATA_DIR: this.#data,
      DATABASE_URL: urlOf(service.address),
      HULAKI_API_KEY: this.#file.endsWith('quickstart.md') ? demo.testApiKey : demo.liveApiKey,
      TEST_API_KEY: demo.testApiKey,
      WEBHOOK_SECRET: 'whsec_3f9a1c5be7d2480690ab',
      RECEIVER_PORT: String(await freePort()),
    }
  }
  #find: Finding = FINDING

  /** A service with these settings in the process of the test: all roles, on its own database. */
  async #start({ HULAKI_CLOCK, ...settings }: Record<string, string>): Promise<void> {
    const before = this.#service
    await before?.stop()
    const clock = HULAKI_CLOCK === 'manual' ? new ManualClock(new Date()) : new SystemClock()
    this.#service = await ownService({
      env: { PORT: this.#port, HULAKI_ROLES: 'all,simulator', ...settings },
      clock,
      ...(before && { beside: { address: before.address, keyringText: before.keyringText, clock } }),
    })
    this.#address = this.#service.url
  }

  async do(block: Block): Promise<void> {
    const where = `${block.file}:${block.line}`
    const text = block.text
      .replaceAll(DEFAULT_ADDRESS, this.#address)
      .replaceAll('svc_live_…', this.#env.HULAKI_API_KEY ?? '')
    const fileName = fileNameOf({ ...block, text })
    if (fileName) return writeFileSync(join(this.#folder, fileName), `${text}\n`)
    if (block.language === 'json') return this.#compare(where, text)
    if (block.language !== 'sh') throw new Error(`${where}: a listing that is run names its file in its first line`)
    const settings = startIn(text)
    if (settings) return this.#start(settings)
    this.#answers = []
    for (const command of commandsOf(text)) await this.#paste(where, command, block)
  }

  /** A block that cannot run here; the listing of its response, if one follows, is not compared. */
  leaveOut(): void {
    this.#answers = []
  }

  /** Compares the last response with the printed one; polls where a reader would look again. */
  async #compare(where: string, text: string): Promise<void> {
    const printed: unknown = JSON.parse(text)
    if (this.#answers.length === 0) return
    const isLook = !/ (-d|-X|--data)\b/.test(this.#last)
    if (isLook) await until(async () => isLike(this.#answers.at(-1), printed) || (await this.#lookAgain()))
    assertLike(this.#answers.at(-1), printed, where)
    this.#answers = []
  }

  async #lookAgain(): Promise<false> {
    this.#answers.push(...jsonIn((await this.#run(this.#last)).stdout))
    return false
  }
  #last = ''

  async #paste(where: string, command: string, { marker }: Block): Promise<void> {
    for (const [, name = ''] of command.matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)) {
      if (name in this.#env || this.#env[name] !== undefined) continue
      const value = await this.#find[name]?.({ manage: this.#manage, send: this.#send, answers: this.#answers })
      assert.ok(value, `${where}: nobody says what ${name} is`)
      this.#env[name] = value
    }
    // The secrets that a provider has given to the reader.
    for (const [, file = ''] of command.matchAll(/--secret \w+=@([\w-]+)/g))
      writeFileSync(join(this.#folder, file), 'secret-of-the-provider\n')
    if (marker?.kind === 'stays') return this.#leaveRunning(command, marker.words)
    this.#last = command
    const ran = await this.#run(command)
    this.#answers.push(...jsonIn(ran.stdout))
    const report = `${where}: ${command}\n${ran.stdout}\n${ran.stderr}`
    if (marker?.kind !== 'refused') return assert.equal(ran.code, 0, report)
    assert.notEqual(ran.code, 0, report)
    assert.match(ran.stdout + ran.stderr, new RegExp(`"code":"${marker.words}"`), report)
  }

  /** Runs each command in its own shell, with the variables of the previous commands. */
  async #run(command: string): Promise<Ran> {
    const state = join(this.#folder, '.state')
    const script = `set -aeo pipefail\n${command}\nexport -p > '${state}'`
    const shell = spawn(BASH, ['--noprofile', '--norc', '-c', script], {
      cwd: this.#folder,
      env: this.#env,
      timeout: COMMAND_MS,
    })
    const ran = { code: null as number | null, stdout: '', stderr: '' }
    shell.stdout.on('data', (text) => {
      ran.stdout += text
    })
    shell.stderr.on('data', (text) => {
      ran.stderr += text
    })
    ran.code = await new Promise((resolve) => shell.once('close', resolve))
    if (ran.code === 0) this.#env = { ...this.#env, ...variablesIn(state) }
    return ran
  }

  async #leaveRunning(command: string, words: string): Promise<void> {
    const child = spawn(BASH, ['--noprofile', '--norc', '-c', `exec env ${command}`], {
      cwd: this.#folder,
      env: this.#env,
    })
    const closed = new Promise((resolve) => child.once('close', resolve))
    after(async () => {
      child.kill('SIGKILL')
      await closed
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        printed += text
      })
    await until(() => printed.includes(words))
  }

  readonly #manage = async (path: string, body?: object) => {
    const response = await fetch(`${this.#address}/api/manage/v1${path}`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.json()
  }

  readonly #send = async (body: object) => {
    const response = await fetch(`${this.#address}/api/sms/v1/sms/send`, {
      method: 'POST',
      headers: { 'x-api-key': this.#env.HULAKI_API_KEY ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }

  async end(): Promise<void> {
    await this.#service?.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const BASH = spawnSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).stdout.trim()

interface Looking {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every kind are looked into
  manage: (path: string, body?: object) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  send: (body: object) => Promise<any>
  answers: unknown[]
}

/** How a reader gets the value of a variable. */
export type Finding = Record<string, (looking: Looking) => Promise<string | undefined>>

// biome-ignore lint/suspicious/noExplicitAny: as above
const shown = (answers: unknown[], field: string): any =>
  answers.findLast((it) => typeof it === 'object' && it !== null && field in it)

const FINDING: Finding = {
  WORKSPACE: async ({ manage }) => (await manage('/workspaces')).items[0].id,
  CLIENT: async ({ manage }) =>
    (await manage(`/workspaces/${(await manage('/workspaces')).items[0].id}/clients`)).items[0].id,
  // The old key of the client that has two.
  KEY: async ({ manage }) => {
    const { items } = await manage(`/workspaces/${(await manage('/workspaces')).items[0].id}/clients`)
    return items.find(({ keys }: { keys: unknown[] }) => keys.length === 2).keys[1].id
  },
  TEMPLATE: async ({ manage }) => (await manage('/templates')).items[0].id,
  NEXT: async ({ manage }) => (await manage('/workspaces?limit=1')).next ?? (await pageBehind(manage)),
  OWNER_TOKEN: async ({ answers }) => shown(answers, 'token').token,
  TOKEN_ID: async ({ answers }) => shown(answers, 'token').id,
  CARRIER: async ({ manage }) =>
    (await manage('/carriers')).items.find(({ name }: { name: string }) => name !== 'Simulator').id,
  SIMULATOR: async ({ manage }) =>
    (await manage('/carriers')).items.find(({ name }: { name: string }) => name === 'Simulator').id,
  CAPTURE: async ({ manage }) => {
    const carriers: { id: string; name: string }[] = (await manage('/carriers')).items
    const simulator = carriers.find(({ name }) => name === 'Simulator')
    return (await manage(`/carriers/${simulator?.id}/captures`)).items[0].id
  },
  ROUTE: async ({ manage }) => (await manage('/routes')).items[0].id,
  // A message that waits for a retry, so that it can be shown and cancelled.
  MESSAGE: async ({ manage, send }) => {
    const { messageId } = await send({ to: '9800000004', text: 'Namaste' })
    const waitsFor = async () => (await manage(`/messages/${messageId}/timeline`)).waiting?.for
    await until(async () => ['retry', 'network_down', 'network_broken'].includes(await waitsFor()))
    return messageId
  },
  DELIVERY: async ({ answers }) => shown(answers, 'event').id,
  REPLY: async ({ manage }) => {
    await manage('/simulator/messages', { from: '+9779800000099', to: 'Nobody', text: 'YES' })
    const unattributed = async () => (await manage('/inbound?unattributed=true')).items
    await until(async () => (await unattributed()).length > 0)
    return (await unattributed())[0].id
  },
  CODE: async ({ manage }) => {
    const codes = async () =>
      (await manage('/simulator/messages')).items.flatMap(
        ({ text }: { text: string }) => /\b\d{6}\b/.exec(text)?.[0] ?? [],
      )
    await until(async () => (await codes()).length > 0)
    return (await codes())[0]
  },
}

/** Adds a workspace, so that the list has a second page. */
async function pageBehind(manage: Looking['manage']): Promise<string> {
  await manage('/workspaces', {
    name: 'Another',
    country: 'NP',
    monthlyCredit: 0,
    rate: { transactional: 1, otp: 1, promotional: 1 },
  })
  return (await manage('/workspaces?limit=1')).next
}

function layOut(folder: string): void {
  const programs = join(folder, 'programs')
  mkdirSync(programs, { recursive: true })
  mkdirSync(join(folder, 'data'))
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name))
  for (const program of [...PROGRAMS, ...BELOW]) {
    const path = whereIs(program)
    if (path === '') continue
    writeFileSync(join(programs, program), `#!${BASH}\nexec '${path}' "$@"\n`)
    chmodSync(join(programs, program), 0o755)
  }
  // An error response ends the command with an exit code; each output ends with a line break.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nwrite-out = "\\n"\n')
}

function whereIs(program: string): string {
  if (program === 'node') return process.execPath
  // Some machines have a Python launcher that searches for versions.
  const python = ['-c', 'import sys; print(sys.executable)']
  if (program === 'python3') return spawnSync('python3', python, { encoding: 'utf8' }).stdout?.trim() ?? ''
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim()
}

/** Splits a block into commands: a command is complete when a shell can parse it. */
function commandsOf(text: string): string[] {
  const commands: string[] = []
  let open = ''
  for (const line of text.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`
    const isWhole = !line.endsWith('\\') && spawnSync(BASH, ['-n', '-c', open]).status === 0
    if (!isWhole) continue
    if (open.trim() !== '' && !open.startsWith('#')) commands.push(open)
    open = ''
  }
  assert.equal(open, '', `no shell can read ${open}`)
  return commands
}

function variablesIn(file: string): Record<string, string> {
  const names = Array.from(readFileSync(file, 'utf8').matchAll(/^declare -x (\w+)=/gm), ([, name = '']) => name)
  const ours = names.filter((name) => !OF_THE_SHELL.includes(name))
  const script = `source '${file}'; for name in ${ours.join(' ')}; do printf '%s=%s\\0' "$name" "\${!name}"; done`
  const { stdout } = spawnSync(BASH, ['--noprofile', '--norc', '-c', script], { encoding: 'utf8', env: {} })
  const pairs = stdout.split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

const OF_THE_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_', 'PATH']
