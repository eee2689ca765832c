// The schema of a database as text, in an order that does not depend on how it was created: test/store/database/schema.sql.
import type { Db } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'

/** A partitioned table is described with the options and statistics of its first partition. Partitions are left out: they depend on the date. */
export async function describeSchema(db: Db): Promise<string> {
  const rows = await db.query<{ line: string }>(sql`
    select line from (
      select 1 as kind, c.relname as name,
        'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || case when a.attnotnull then ' not null' else '' end
          || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
          || case when a.attidentity <> '' then ' identity' else '' end
          || case when a.attstattarget >= 0 then ' statistics ' || a.attstattarget else '' end as line
      from pg_class c
        join pg_attribute a on a.attrelid = coalesce(to_regclass(c.relname || '_first'), c.oid) and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relkind in ('r', 'p', 'v') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      union all
      select 0, c.relname,
        case c.relkind when 'v' then 'view ' || c.relname || ' as ' || pg_get_viewdef(c.oid)
          else case c.relpersistence when 'u' then 'unlogged ' else '' end || 'table ' || c.relname
            || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
            || coalesce(' with (' || array_to_string(coalesce(first.reloptions, c.reloptions), ', ') || ')', '') end
      from pg_class c left join pg_class first on first.oid = to_regclass(c.relname || '_first')
      where c.relkind in ('r', 'p', 'v') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      union all
      select 2, t.relname, 'constraint ' || t.relname || '.' || n.conname || ' ' || pg_get_constraintdef(n.oid)
      from pg_constraint n join pg_class t on t.oid = n.conrelid
      where n.connamespace = 'public'::regnamespace and n.contype <> 'n' and not t.relispartition
      union all
      select 3, tablename, 'index ' || indexdef from pg_indexes
      where schemaname = 'public' and not (select relispartition from pg_class where oid = tablename::regclass)
      union all
      select 4, t.relname, pg_get_triggerdef(g.oid) from pg_trigger g join pg_class t on t.oid = g.tgrelid
      where not g.tgisinternal and not t.relispartition and t.relnamespace = 'public'::regnamespace
      union all
      select 5, p.proname, pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = 'public'::regnamespace
      union all
      select -1, t.typname,
        'domain ' || t.typname || ' ' || format_type(t.typbasetype, t.typtypmod) || ' ' || n.conname || ' ' || pg_get_constraintdef(n.oid)
      from pg_type t join pg_constraint n on n.contypid = t.oid
      where t.typnamespace = 'public'::regnamespace
    ) described
    order by case when kind = 5 then 1 when kind = -1 then -1 else 0 end, name collate "C", kind, line collate "C"`)
  return `${rows.map((row) => row.line).join('\n')}\n`
}
