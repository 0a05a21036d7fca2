// The same users, groups and snippets on PostgreSQL, as far as SQL can generate them.

import pg from 'pg'
import type { Data, Sizes } from './data.ts'
import { openBenchServices } from './service.ts'

/** Fills an empty database, and returns the credentials for requests. */
export async function createPostgresData(url: string, sizes: Sizes): Promise<Pick<Data, 'token' | 'sizes'>> {
  const services = openBenchServices(url)
  try {
    await services.migrate()
    await fill(url, sizes)
    return {
      sizes,
      token: await services.database.transaction(connection => services.accounts.tokens.getOrCreate(1, connection)),
    }
  } finally {
    await services.close()
  }
}

async function fill(url: string, { users, groups, snippets }: Sizes): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements(users, groups, snippets)) await client.query(statement)
  } finally {
    await client.end()
  }
}

const moment = (second: string): string => `timestamptz '2024-01-01T00:00:00Z' + make_interval(secs => ${second})`

function statements(users: number, groups: number, snippets: number): readonly string[] {
  const line = `E'\\tif value == "' || n || E'":\\n\\t\\tprint(1)\\n'`
  return [
    `insert into groups (name) select 'Group ' || n from generate_series(1, ${groups}) n`,
    `insert into users (username, email, is_active, is_staff, is_superuser, date_joined)
     select 'user' || n, 'user' || n || '@example.org', true, false, false, ${moment(`(n * 7919) % ${users / 2}`)}
     from generate_series(1, ${users}) n`,
    `insert into user_groups (user_id, group_id)
     select n, (n + nth * 11) % ${groups} + 1 from generate_series(1, ${users}) n, generate_series(0, 3) nth where nth <= n % 4`,
    `insert into snippets (owner_id, created, title, code, linenos, language, style, highlighted)
     select n % ${users} + 1, ${moment('n')}, 'Snippet ' || n, E'def run():\\n' || repeat(${line}, 5 + n % 16),
       n % 2 = 0, 'python', 'friendly', ''
     from generate_series(1, ${snippets}) n`,
    'analyze',
  ]
}
