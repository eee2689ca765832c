// Rolling upgrades: the previous release can run beside every migration after it, unless the changelog says to stop it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listReleasedMigrations } from '../../start/previous-release.ts'

const FOLDER = new URL('../../../src/store/database/migrations/', import.meta.url)
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
const released = listReleasedMigrations()
const skip = released === null && 'the history does not contain the previous release'

test('every migration after the previous release ends in _online, or the changelog names the stop it needs', {
  skip,
}, () => {
  const added = files.filter((file) => !released?.includes(file))
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  for (const file of added) {
    const isNamed = new RegExp(`[Ss]top [^.]*\`${RegExp.escape(file)}\``).test(changelog)
    assert.ok(
      file.endsWith('_online.sql') || isNamed,
      `${file}: end its name in _online, or name the stop in CHANGELOG.md`,
    )
  }
})

/** What the previous release cannot work with. Dropped indexes and checks, new defaults and new nulls do no harm. */
const BREAKS: [what: string, pattern: RegExp][] = [
  ['drops something in use', /^drop (?!index)/],
  ['drops a column', /^alter table \w+ drop (?!constraint)/],
  ['renames', /^alter .*\b(rename|set schema)\b/],
  ['changes a type', /^alter (type|table \w+ alter (column )?\w+ (set data )?type)\b/],
  ['rejects null', /^alter .*\bset not null\b/],
  [
    'needs a value in new rows',
    /^alter table \w+ (add (?!constraint)(?!.*\bdefault\b).*\bnot null|alter .*\bdrop default)\b/,
  ],
  ['changes a key', /^alter table \w+ (add .*\bprimary key|drop constraint (if exists )?\w+_p?key)\b/],
  ['rejects rows', /^alter (table \w+ add .*\b(check|references)\b|domain \w+ add\b)/],
  ['rejects duplicates', /^(create unique index|alter table \w+ add .*\bunique)\b/],
]

/** Why the previous release cannot run beside these statements. */
function breaksOf(migration: string): string[] {
  const plain = migration
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/'[^']*'/g, "''")
    .toLowerCase()
  const statements = withoutParentheses(plain)
    .split(';')
    .map((it) => it.trim().replaceAll(/\s+/g, ' '))
  const created = statements.map((it) => /^create (?:unlogged )?table (\w+)/.exec(it)?.[1] ?? '')
  // A constraint that is dropped and added again has got other values, which a reader must judge.
  const replaced = statements.flatMap((it) =>
    Array.from(it.matchAll(/\bdrop constraint (?:if exists )?(\w+)/g), ([, name = '']) => name),
  )
  const isReplaced = (it: string) => replaced.includes(/\badd constraint (\w+)/.exec(it)?.[1] ?? '')
  const isNew = (it: string) => created.includes(/^(?:alter table|create unique index .* on) (\w+)/.exec(it)?.[1] ?? it)
  const changes = statements
    .filter((it) => !isNew(it))
    .flatMap(partsOf)
    .filter((it) => !isReplaced(it))
  return BREAKS.filter(([, pattern]) => changes.some((it) => pattern.test(it))).map(([what]) => what)
}

function withoutParentheses(text: string): string {
  const shorter = text.replaceAll(/\([^()]*\)/g, '')
  return shorter === text ? text : withoutParentheses(shorter)
}

/** A statement for each change of a table. */
function partsOf(statement: string): string[] {
  const [, table, parts] = /^(alter table \w+) (.*)$/.exec(statement.replace(/(if exists|only) /, '')) ?? []
  return table && parts ? parts.split(', ').map((part) => `${table} ${part}`) : [statement]
}

test('a migration that ends in _online has no statement that breaks the previous release', () => {
  const online = files.filter((file) => file.endsWith('_online.sql'))
  assert.ok(online.length > 0)
  const found = online.map((file) => [file, breaksOf(readFileSync(new URL(file, FOLDER), 'utf8'))])
  assert.deepEqual(
    found,
    online.map((file) => [file, []]),
    'rename the file, and name the stop in CHANGELOG.md; or expand now, and contract in the next release',
  )
})

const CASES: [statement: string, breaks: string[]][] = [
  ['alter table message add column note text', []],
  [`alter table message add column note text not null default 'a, b', add kind numeric(10, 2) default 0 not null`, []],
  ['alter table message drop constraint message_check, add constraint message_check check (segments > 0)', []],
  ['alter table message alter column note drop not null, alter column kind set default 1', []],
  ['-- New.\ncreate table later (id uuid primary key, note text not null); alter table later add unique (note)', []],
  ['create table later (id int); create unique index later_id on later (id); alter table later drop id', []],
  ['create index concurrently message_note on message (note); drop index concurrently message_kind', []],
  ['-- drop table message;\nalter domain event_name drop constraint event_name_check', []],
  ['drop table message', ['drops something in use']],
  ['drop type kind', ['drops something in use']],
  ['ALTER TABLE message\n  DROP COLUMN note', ['drops a column']],
  ['alter table message add column kind int, drop if exists note', ['drops a column']],
  ['alter table message rename column note to remark', ['renames']],
  ['alter table message rename to sms', ['renames']],
  ['alter table message alter column note type varchar(20)', ['changes a type']],
  ['alter table message alter note set data type text', ['changes a type']],
  ['alter table message alter column note set not null', ['rejects null']],
  ['alter domain event_name set not null', ['rejects null']],
  ['alter table message alter column note drop default', ['needs a value in new rows']],
  ['alter table message add column kind int default 0, add column note text not null', ['needs a value in new rows']],
  ['alter table message add note numeric(10, 2) not null', ['needs a value in new rows']],
  ['alter table message drop constraint message_pkey, add primary key (id, kind)', ['changes a key']],
  ['alter table message drop constraint if exists message_note_key', ['changes a key']],
  ['alter table message add column note text, add constraint message_note check (note is not null)', ['rejects rows']],
  ['alter table message add column note uuid references note (id)', ['rejects rows']],
  ['alter table message add constraint message_note unique (note)', ['rejects duplicates']],
  ['create unique index concurrently message_note on message (note)', ['rejects duplicates']],
]
for (const [statement, breaks] of CASES) {
  test(`${breaks.join() || 'breaks nothing'}: ${statement}`, () => assert.deepEqual(breaksOf(statement), breaks))
}
