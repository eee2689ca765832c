// Describes a database schema as text in a stable order, for schema.sql.
import type { Db } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'

export async function describeSchema(db: Db): Promise<string> {
  const rows = await db.query<{ line: string }>(sql`
    select line from (
      select 1 as kind, c.relname as name, a.attnum::int as place,
        'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || case when a.attnotnull then ' not null' else '' end
          || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
      from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relkind in ('r', 'v') and c.relnamespace = 'public'::regnamespace
      union all
      select 0, c.relname, 0,
        case c.relkind when 'v' then 'view ' || c.relname || ' as ' || pg_get_viewdef(c.oid)
          else case c.relpersistence when 'u' then 'unlogged ' else '' end || 'table ' || c.relname
            || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') end
      from pg_class c where c.relkind in ('r', 'v') and c.relnamespace = 'public'::regnamespace
      union all
      select 2, t.relname, 0, 'constraint ' || t.relname || '.' || n.conname || ' ' || pg_get_constraintdef(n.oid)
      from pg_constraint n join pg_class t on t.oid = n.conrelid
      where n.connamespace = 'public'::regnamespace and n.contype <> 'n'
      union all
      select 3, tablename, 0, 'index ' || indexdef from pg_indexes where schemaname = 'public'
      union all
      select 4, t.relname, 0, pg_get_triggerdef(g.oid) from pg_trigger g join pg_class t on t.oid = g.tgrelid
      where not g.tgisinternal and t.relnamespace = 'public'::regnamespace
      union all
      select 5, p.proname, 0, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'public'::regnamespace
      union all
      select -1, t.typname, 0,
        'domain ' || t.typname || ' ' || format_type(t.typbasetype, t.typtypmod) || ' ' || pg_get_constraintdef(n.oid)
      from pg_type t join pg_constraint n on n.contypid = t.oid
      where t.typnamespace = 'public'::regnamespace
    ) described
    order by case when kind = 5 then 1 when kind = -1 then -1 else 0 end, name collate "C", kind, place, line collate "C"`)
  return `${rows.map((row) => row.line).join('\n')}\n`
}
