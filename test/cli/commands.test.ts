// The command line knows all of the management API: every call, and every field of what it takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../src/actions/ports.ts'
import { fieldOf, type Kind, methodOf, pathOf } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { helpOf, helpOfAll, helpOfKind } from '../../src/cli/help.ts'
import { mountedRoutes } from '../harness/mounted-routes.ts'

const routes = await routesOfManagement()

/** Asked by a command that shows more than the answer. */
const OF_DOCTOR = 'GET /doctor'
/** Asked by `listen` and `trigger`. */
const OF_OTHERS = ['POST /clients/{}/listening', 'DELETE /clients/{}/listening/{}', 'POST /clients/{}/trigger']
/** Streams for a screen that is looked at: a terminal has `listen`. */
const LIVE = ['GET /events', 'GET /workspaces/{}/events']

test('there is one command for every call of the management API but those of people who sign in, and no other', () => {
  const others = [OF_DOCTOR, ...OF_OTHERS, ...LIVE]
  for (const other of others) assert.ok(routes.has(other), other)
  const calls = [...routes.keys()].filter((call) => !others.includes(call)).sort()
  assert.ok(calls.length > 40, `only ${calls.length} calls were found`)
  assert.deepEqual(COMMANDS.map(callOf).sort(), calls)
})

for (const command of COMMANDS) {
  test(`'${command.name}' takes every field that its call takes, as it takes it, and no other`, () => {
    const schema = routes.get(callOf(command)) as { body?: z.ZodType; querystring?: z.ZodType } | undefined
    const fields = new Map([...fieldsOf(schema?.body), ...fieldsOf(schema?.querystring)])
    const options = Object.entries(command.options ?? {})
    assert.deepEqual(options.map(([name, option]) => fieldOf(name, option)).sort(), [...fields.keys()].sort())
    for (const [name, option] of options) {
      const field = fields.get(fieldOf(name, option))
      if (!field) continue
      assert.ok(kindsOf(field).includes(option.kind), `--${name} is no ${option.kind}`)
      if (methodOf(command) === 'GET') continue
      const isNeeded = !field.safeParse(undefined).success
      assert.equal(
        option.isNeeded === true || option.isPlaced === true,
        isNeeded && methodOf(command) !== 'PATCH',
        name,
      )
      assert.equal(option.none === 'null', field.safeParse(null).success, `--${name} none`)
    }
  })
}

test('names, options and sentences are written alike', () => {
  assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length)
  for (const { name, tells, options = {} } of COMMANDS) {
    assert.match(name, /^(whoami|[a-z]+(-[a-z]+)? [a-z]+(-[a-z]+)*)$/)
    assert.match(tells, /^[A-Z].*[^.]$/)
    for (const [option, { tells: about }] of Object.entries(options)) {
      assert.match(option, /^[a-z]+(-[a-z]+)*$/)
      assert.ok(about.length > 0)
    }
  }
})

test('help tells of every command, in lines of at most 80 columns', () => {
  const all = helpOfAll()
  const words = new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))
  const texts = [all, ...COMMANDS.map(helpOf), ...Array.from(words, (word) => helpOfKind(word) ?? '')]
  for (const command of COMMANDS) assert.ok(all.includes(`  ${command.name}`), command.name)
  for (const line of texts.join('\n').split('\n')) assert.ok(line.length <= 80, line)
})

function callOf(command: (typeof COMMANDS)[number]): string {
  return `${methodOf(command)} ${pathOf(command).replaceAll(/\{\w+\}/g, '{}')}`
}

async function routesOfManagement(): Promise<Map<string, FastifySchema>> {
  const { routes: mounted } = await mountedRoutes({} as Ports)
  const ofPrograms = mounted.filter(({ permission }) => permission.scope !== 'person')
  return new Map(ofPrograms.map(({ method, path, schema }) => [`${method} ${path.replaceAll(/:\w+/g, '{}')}`, schema]))
}

/** What the command line writes as options of their own stands under both names. */
const INSIDE = ['rate', 'restrictions', 'smpp']

function fieldsOf(schema: z.ZodType | undefined): [string, z.ZodType][] {
  const bare = unwrapped(schema)
  if (bare instanceof z.ZodDiscriminatedUnion) return fieldsOfKinds(bare.options.map((it) => fieldsOf(it as z.ZodType)))
  if (!(bare instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(bare.shape).flatMap(([name, field]): [string, z.ZodType][] =>
    INSIDE.includes(name) ? fieldsOf(field).map(([inner, it]) => [`${name}.${inner}`, it]) : [[name, field]],
  )
}

/** What only some of the kinds of a thing have may be left out. */
function fieldsOfKinds(kinds: [string, z.ZodType][][]): [string, z.ZodType][] {
  const everywhere = (name: string) => kinds.every((fields) => fields.some(([it]) => it === name))
  const all = new Map(kinds.toReversed().flat())
  return [...all].map(([name, field]) => [name, everywhere(name) ? field : field.optional()])
}

/** How such a field may be written. */
function kindsOf(field: z.ZodType): Kind[] {
  const bare = unwrapped(field)
  if (bare instanceof z.ZodNumber) return ['number']
  if (bare instanceof z.ZodBoolean) return ['flag']
  if (bare instanceof z.ZodArray)
    return unwrapped(bare.element as z.ZodType) instanceof z.ZodObject ? ['prices', 'json'] : ['list']
  if (bare instanceof z.ZodRecord) return ['json', 'pairs', 'secrets']
  if (bare instanceof z.ZodObject) return ['json', 'hours']
  // Numbers of which only some are possible.
  if (bare instanceof z.ZodUnion && bare.options.every((it) => it instanceof z.ZodLiteral)) return ['number']
  if (bare instanceof z.ZodUnion) return ['json', 'text']
  // Of the query: true or false in words.
  return bare instanceof z.ZodCodec ? ['flag'] : ['text', 'file', 'pem']
}

/** What it is before it is changed, and with nothing around it. */
function unwrapped(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (schema instanceof z.ZodCodec) return schema
  // Of the query: one value or several are several.
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return unwrapped(schema.out as z.ZodType)
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType)
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema
}
