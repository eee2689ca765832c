// The command line has a command for every call of the management API, and an option for every field.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../src/actions/ports.ts'
import { type Kind, methodOf, type Option, pathOf } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import type { CliContext } from '../../src/cli/context.ts'
import { formatExample, helpOf, helpOfAll, helpOfSubject } from '../../src/cli/help.ts'
import { createDraft, parseCommand } from '../../src/cli/request.ts'
import { SPECIAL_COMMANDS } from '../../src/cli/special-commands.ts'
import { generateCommandTable } from '../harness/described-commands.ts'
import { managementDocument, mountedRoutes } from '../harness/mounted-routes.ts'

const routes = await routesOfManagement()

/** Called by `doctor`. */
const DOCTOR_CALL = 'GET /doctor'
/** Called by `listen`. */
const LISTEN_CALLS = ['POST /clients/{}/listening', 'DELETE /clients/{}/listening/{}']
/** Called by `archive`. */
const ARCHIVE_CALLS = ['GET /archive', 'GET /archive/{}']
/** Called by `forget`. */
const FORGET_CALL = 'POST /numbers/forget'
/** Event streams of the console; the terminal has `listen`. */
const EVENT_STREAMS = ['GET /events', 'GET /workspaces/{}/events']

test('every call of the management API has exactly one command, except calls of signed-in people', () => {
  const others = [DOCTOR_CALL, FORGET_CALL, ...ARCHIVE_CALLS, ...LISTEN_CALLS, ...EVENT_STREAMS]
  for (const other of others) assert.ok(routes.has(other), other)
  const calls = [...routes.keys()].filter((call) => !others.includes(call)).sort()
  assert.ok(calls.length > 40, `only ${calls.length} calls were found`)
  assert.deepEqual(COMMANDS.map(callOf).sort(), calls)
})

for (const command of COMMANDS) {
  test(`'${command.name}' has an option for every field of its call, and no other`, () => {
    const schema = routes.get(callOf(command)) as { body?: z.ZodType; querystring?: z.ZodType } | undefined
    const fields = new Map([...fieldsOf(schema?.body), ...fieldsOf(schema?.querystring)])
    const options = Object.entries(command.options)
    assert.deepEqual(options.map(([, { at }]) => at).sort(), [...fields.keys()].sort())
    for (const [name, option] of options) {
      const field = fields.get(option.at)
      if (!field) continue
      assert.ok(kindsOf(field).includes(option.kind), `--${name} is no ${option.kind}`)
      if (methodOf(command) === 'GET') continue
      const isNeeded = !field.safeParse(undefined).success
      assert.equal(option.isRequired === true || option.isPositional === true, isNeeded, name)
      assert.equal(option.none === 'null', field.safeParse(null).success, `--${name} none`)
    }
  })
}

test('src/cli/calls.ts matches the OpenAPI document (npm run generate -- types)', async () => {
  assert.equal(readFileSync('src/cli/calls.ts', 'utf8'), generateCommandTable(await managementDocument()))
})

test('names, options and texts have one style', () => {
  const all = [...COMMANDS, ...SPECIAL_COMMANDS]
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
  for (const { name, summary, options } of all) {
    assert.match(name, /^[a-z]+((-[a-z]+)? ([a-z]+ )?[a-z]+(-[a-z]+)*)?$/)
    assert.match(summary, /^[A-Z].*[^.]$/)
    for (const [option, { about }] of Object.entries(options)) {
      assert.match(option, /^[a-z]+(-[a-z]+)*$/)
      assert.match(about, /^\S.*[^.]$/, `${name} --${option}`)
    }
  }
})

test('help lists every command, in lines of at most 80 columns', () => {
  const all = helpOfAll()
  const commands = [...COMMANDS, ...SPECIAL_COMMANDS]
  const words = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))
  const texts = [all, ...commands.map(helpOf), ...Array.from(words, (word) => helpOfSubject(word) ?? '')]
  for (const command of commands) assert.ok(all.includes(`  ${command.name}`), command.name)
  for (const line of texts.join('\n').split('\n')) assert.ok(line.length <= 80, line)
})

test('the example in the help of every command is valid', () => {
  const context = { readFile: () => '+97798,0.35' } as Partial<CliContext> as CliContext
  for (const command of COMMANDS) {
    const example = formatExample(command)
    const words = Array.from(example.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '')
    const named = command.name.split(' ').length + 1
    assert.deepEqual(words.slice(0, named), ['hulaki', ...command.name.split(' ')])
    const typed = parseCommand(words.slice(named), command)
    assert.doesNotThrow(() => createDraft(command, typed, context), example)
    assert.equal(typed.yes, command.needsYes === true, example)
    assert.ok(
      helpOf(command)
        .replaceAll(/ \\\n */g, ' ')
        .includes(`Example: ${example}`),
      example,
    )
  }
})

test('a call with a body gets one, even if none of its optional fields is given', () => {
  const context = {} as CliContext
  const isOptional = ({ isRequired, isPositional }: Option) => !isRequired && !isPositional
  const some = COMMANDS.filter(
    (it) => !/^(GET|PATCH)/.test(methodOf(it)) && Object.values(it.options).every(isOptional),
  )
  const names = some.map(({ name }) => name)
  for (const name of ['credit decline', 'operator invite', 'client disable']) assert.ok(names.includes(name), name)
  for (const command of some) {
    const { body } = createDraft(command, parseCommand(command.positionals.map(String), command), context)
    const schema = routes.get(callOf(command)) as { body?: z.ZodType } | undefined
    assert.deepEqual(body, schema?.body ? {} : undefined, command.name)
    assert.ok(schema?.body?.safeParse(body).success !== false, command.name)
  }
})

test('a required flag that only confirms has no negative form', () => {
  const usage = (name: string) => {
    const command = [...COMMANDS, ...SPECIAL_COMMANDS].find((it) => it.name === name)
    assert.ok(command)
    return helpOf(command)
  }
  assert.match(usage('upgrade'), /^Usage: hulaki upgrade --check$/m)
  assert.match(usage('service change'), /--\[no-\]sms-enabled/)
  assert.match(usage('credit add'), /expires at the end of the month/)
})

function callOf(command: (typeof COMMANDS)[number]): string {
  return `${methodOf(command)} ${pathOf(command).replaceAll(/\{\w+\}/g, '{}')}`
}

async function routesOfManagement(): Promise<Map<string, FastifySchema>> {
  const { routes: mounted } = await mountedRoutes({} as Ports)
  const ofPrograms = mounted.filter(({ permission }) => permission.scope !== 'person')
  return new Map(ofPrograms.map(({ method, path, schema }) => [`${method} ${path.replaceAll(/:\w+/g, '{}')}`, schema]))
}

/** Objects whose fields are separate options. */
const INSIDE = ['rate', 'restrictions', 'smpp']

function fieldsOf(schema: z.ZodType | undefined): [string, z.ZodType][] {
  const bare = unwrapped(schema)
  if (bare instanceof z.ZodDiscriminatedUnion) return fieldsOfKinds(bare.options.map((it) => fieldsOf(it as z.ZodType)))
  if (!(bare instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(bare.shape).flatMap(([name, field]): [string, z.ZodType][] =>
    INSIDE.includes(name) ? fieldsOf(field).map(([inner, it]) => [`${name}.${inner}`, it]) : [[name, field]],
  )
}

/** Fields of only some kinds are optional. */
function fieldsOfKinds(kinds: [string, z.ZodType][][]): [string, z.ZodType][] {
  const everywhere = (name: string) => kinds.every((fields) => fields.some(([it]) => it === name))
  const all = new Map(kinds.toReversed().flat())
  return [...all].map(([name, field]) => [name, everywhere(name) ? field : field.optional()])
}

/** The option kinds that fit a field. */
function kindsOf(field: z.ZodType): Kind[] {
  const bare = unwrapped(field)
  if (bare instanceof z.ZodNumber) return ['number']
  if (bare instanceof z.ZodBoolean) return ['flag']
  if (bare instanceof z.ZodArray) {
    const item = unwrapped(bare.element as z.ZodType)
    if (item instanceof z.ZodNumber) return ['numbers']
    return item instanceof z.ZodObject ? ['prices', 'json'] : ['list']
  }
  if (bare instanceof z.ZodRecord) return ['json', 'pairs', 'secrets']
  if (bare instanceof z.ZodObject) return ['json', 'hours']
  // A union of number literals.
  if (bare instanceof z.ZodUnion && bare.options.every((it) => it instanceof z.ZodLiteral)) return ['number']
  if (bare instanceof z.ZodUnion) return ['json', 'text']
  // In a query: true or false as text.
  return bare instanceof z.ZodCodec ? ['flag'] : ['text', 'file', 'pem']
}

/** The input type without wrappers. */
function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (schema instanceof z.ZodCodec) return schema
  // In a query: one value or several.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return unwrapped(schema.out as z.ZodType)
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType)
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema
}
