// A trigger of PostgreSQL that records the changes of rows. It may write its table whatever the rights of the writing role are.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { quote } from '../catalogue.ts'
import type { FollowedTable, RowChangesSql } from '../dialect.ts'

const moment = 'pg_current_xact_id()::text::bigint'

export const postgresRowChanges: RowChangesSql = {
  async follow(kysely, table) {
    const text = formatTrigger(table)
    const wanted = `feed ${hash('sha256', text + recordFunction, 'base64url').slice(0, 8)}`
    const { rows } = await sql<{
      tgname: string
    }>`select tgname from pg_trigger where tgrelid = ${quote(table.name)}::text::regclass and not tgisinternal and tgname like 'feed %'`.execute(
      kysely,
    )
    if (rows.length === 1 && rows[0]!.tgname === wanted) return false
    await sql.raw(recordFunction).execute(kysely)
    for (const { tgname } of rows) await sql`drop trigger ${sql.id(tgname)} on ${sql.id(table.name)}`.execute(kysely)
    await sql.raw(`create trigger ${quote(wanted)} ${text}`).execute(kysely)
    return true
  },
  moment: sql.raw(moment),
  isSettled: sql`moment < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
  origin: sql`'feed_changes'::regclass::oid::bigint`,
  formerRows: ({ name }, ids) =>
    sql`select "former row".* from feed_changes cross join lateral json_populate_record(null::${sql.id(name)}, former) as "former row" where feed_changes.id in (select cast(value as bigint) from json_array_elements_text(cast(${ids} as json)))`,
}

const formatTrigger = ({ name, key }: FollowedTable): string =>
  `after insert or update or delete on ${quote(name)} for each row execute function resource_api_record_change(${literal(key)}, ${literal(name)})`

const recordFunction = `
create or replace function resource_api_record_change() returns trigger
language plpgsql security definer set search_path from current as $function$
declare
  old_key text;
  new_key text;
begin
  if tg_op <> 'INSERT' then old_key := row_to_json(old) -> tg_argv[0]; end if;
  if tg_op <> 'DELETE' then new_key := row_to_json(new) -> tg_argv[0]; end if;
  if old_key is not null then
    insert into feed_changes (table_name, row_key, action, former, moment, created_at)
    values (tg_argv[1], old_key, case when new_key = old_key then 'update' else 'destroy' end, row_to_json(old), ${moment}, clock_timestamp());
  end if;
  if new_key is not null and new_key is distinct from old_key then
    insert into feed_changes (table_name, row_key, action, moment, created_at)
    values (tg_argv[1], new_key, 'create', ${moment}, clock_timestamp());
  end if;
  perform pg_notify('resource_api', 'feed');
  return null;
end
$function$`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
