// PostgreSQL databases that a service cannot use, and servers that are not PostgreSQL.

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import pg from 'pg'
import { freePort } from '../../support/free-port.ts'
import { type OwnPostgres, startOwnPostgres } from './postgres.ts'
import { createUsers } from './users.ts'

/** A database URL, and the error message of the service. */
export interface BadServer {
  readonly url: string
  readonly expected: RegExp
}

export interface BadServers {
  /** By name. */
  readonly all: Readonly<Record<string, BadServer>>
  /** The rows of every table of every database, as hashes. */
  content(): Promise<readonly unknown[]>
  stop(): Promise<void>
}

const databases = ['latin', 'ascii', 'newer', 'other', 'readonly', 'refused', 'closed']
const password = 'hunter2'

export async function startBadServers(): Promise<BadServers> {
  const postgres = await startOwnPostgres({ password })
  await prepare(postgres)
  const silent = createServer(socket => socket.on('error', () => undefined).resume())
  const web = createHttpServer((_, response) => response.end('hello'))
  const [silentPort, webPort] = [await listen(silent), await listen(web)]
  const at = (port: number) => postgres.url.replace(String(postgres.port), String(port))
  const on = (name: string) => databaseUrl(postgres, name)
  const weak = (url: string) => url.replace(`postgres:${password}`, 'weak:hunter4')
  const all: BadServers['all'] = {
    'a wrong password': {
      url: postgres.url.replace(password, 'hunter3'),
      expected: /refuses the user or the password$/,
    },
    'no password': { url: postgres.url.replace(`:${password}`, ''), expected: /refuses the user or the password$/ },
    'no such PostgreSQL database': { url: on('elsewhere'), expected: /has no such database: / },
    'no server on the port': { url: at(await freePort()), expected: /does not respond \(ECONNREFUSED\): / },
    'no such host': {
      url: postgres.url.replace('127.0.0.1', 'db.invalid'),
      expected: /does not respond \(E[A-Z_]+\): /,
    },
    'a server that never responds': { url: at(silentPort), expected: /connection timeout/ },
    'a web server': { url: at(webPort), expected: /Connection terminated unexpectedly/ },
    'a server without TLS': {
      url: `${postgres.url}?sslmode=verify-full`,
      expected: /does not support SSL/,
    },
    'the encoding LATIN1': { url: on('latin'), expected: /has the encoding LATIN1 .+: create one / },
    'the encoding SQL_ASCII': { url: on('ascii'), expected: /has the encoding SQL_ASCII .+: create one / },
    'the PostgreSQL database of a newer version': {
      url: on('newer'),
      expected: /has applied the step "9999_later" of "accounts", which this program does not have: .+ newer version/,
    },
    'the PostgreSQL database of another program': {
      url: on('other'),
      expected: /already has a table .+ of another program/,
    },
    'a read-only PostgreSQL database': { url: on('readonly'), expected: /read-only transaction/ },
    'a PostgreSQL user who may not create tables': {
      url: weak(postgres.url),
      expected: /permission denied for schema/,
    },
    'a PostgreSQL user who may not connect': { url: weak(on('refused')), expected: /permission denied for database/ },
    'a PostgreSQL database that takes no connections': { url: on('closed'), expected: /not currently accepting/ },
  }
  return {
    all,
    content: () => Promise.all(databases.filter(name => name !== 'closed').map(name => contentOf(on(name)))),
    async stop() {
      await postgres.stop()
      for (const server of [silent, web]) server.close()
    },
  }
}

async function prepare(postgres: OwnPostgres): Promise<void> {
  for (const name of databases) {
    const encoding = { latin: 'LATIN1', ascii: 'SQL_ASCII' }[name] ?? 'UTF8'
    await postgres.query(`create database ${name} encoding '${encoding}' template template0`)
  }
  for (const name of ['newer', 'other']) await createUsers(databaseUrl(postgres, name), { username: 'author' })
  await ask(
    databaseUrl(postgres, 'newer'),
    "insert into resource_api_migrations (name, applied) values ('accounts/9999_later', '2031')",
  )
  await ask(databaseUrl(postgres, 'other'), 'drop table resource_api_migrations')
  await postgres.query('alter database readonly set default_transaction_read_only = on')
  await postgres.query('alter database closed allow_connections false')
  await postgres.query('revoke all on database refused from public')
  await postgres.query("create role weak login password 'hunter4'")
}

const databaseUrl = (postgres: OwnPostgres, name: string): string => postgres.url.replace(/postgres$/, name)

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function contentOf(url: string): Promise<unknown> {
  const tables = await ask(
    url,
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order by 1",
  )
  const rows = ({ name }: Readonly<Record<string, unknown>>) =>
    ask(url, `select '${name}' as name, count(*), md5(string_agg(t::text, ' ' order by t::text)) from ${name} t`)
  return Promise.all(tables.map(rows))
}

async function ask(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
