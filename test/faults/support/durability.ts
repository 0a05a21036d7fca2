// Checks that the connections of a service make commits durable, so that they survive a power failure.

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { OwnPostgres } from './postgres.ts'
import type { Running } from './service.ts'
import { until } from './until.ts'

/** Node arguments for a service on SQLite, so that `checkSqliteDurability` works. */
export const durabilityArgs: readonly string[] = [
  '--import',
  fileURLToPath(new URL('./durability-preload.ts', import.meta.url)),
]

/** One SQLite connection of a service. */
interface SqliteDurability {
  readonly file: string
  /** 0 off, 1 normal, 2 full, 3 extra. */
  readonly synchronous: number
  readonly journalMode: string
  readonly isReadOnly: boolean
}

/** Throws if a connection that writes to the file does not wait for the disk at each commit. */
export async function checkSqliteDurability(service: Running, file: string): Promise<void> {
  const answers = () => [...service.output().matchAll(/^durability (\[.+\])$/gm)]
  const before = answers().length
  service.signal('SIGUSR2')
  const [, json] = await until('the service prints its pragmas', () => answers()[before])
  const found = (JSON.parse(json!) as readonly SqliteDurability[]).filter(connection => connection.file === file)
  assert.ok(
    found.some(({ isReadOnly }) => !isReadOnly),
    'the service has a connection that writes',
  )
  for (const { synchronous, journalMode, isReadOnly } of found) {
    assert.equal(journalMode, 'wal')
    // In WAL mode NORMAL does not flush the log at a commit.
    if (!isReadOnly)
      assert.ok(synchronous >= 2, `pragma synchronous is ${synchronous}: commits do not wait for the disk`)
  }
}

const durableSettings = { synchronous_commit: 'on', fsync: 'on', full_page_writes: 'on' }

/** Makes the server record its settings in each transaction that writes, because they may differ between sessions. */
export async function recordDurability(postgres: OwnPostgres): Promise<void> {
  const values = Object.keys(durableSettings).map(name => `'${name}=' || current_setting('${name}')`)
  await postgres.query(`
    create table durability (setting text primary key);
    create function note_durability() returns trigger language plpgsql as $$
      begin
        insert into durability select unnest(array[${values.join(', ')}]) on conflict do nothing;
        return null;
      end $$;
    create trigger note_durability after insert or update or delete on users execute function note_durability();
    create trigger note_durability after insert or update or delete on snippets execute function note_durability()`)
}

/** Throws if a transaction since `recordDurability` was committed without waiting for the disk. */
export async function checkPostgresDurability(postgres: OwnPostgres): Promise<void> {
  const rows = await postgres.query('select setting from durability order by setting')
  const settings = Object.entries(durableSettings).map(([name, value]) => `${name}=${value}`)
  assert.deepEqual(
    rows.map(({ setting }) => setting),
    settings.toSorted(),
    'the settings of all committed transactions',
  )
}
