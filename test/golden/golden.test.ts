// Compares every SQL statement of the profiles and the administration with golden files, so that reviews show changes.
// `UPDATE_GOLDEN=1` rewrites the files.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { adminResource } from '../../src/accounts/admin/admin-resource.ts'
import { administration } from '../../src/accounts/admin/administration.ts'
import { createAuthority } from '../../src/accounts/authority.ts'
import { createGrantedPermissions } from '../../src/accounts/granted-permissions.ts'
import { createPasswordRules } from '../../src/accounts/passwords/password-rules.ts'
import { createSessions } from '../../src/accounts/sessions.ts'
import { createSingleTokens } from '../../src/accounts/tokens/single-tokens.ts'
import { openPostgres } from '../../src/core/database/postgres/postgres.ts'
import { defaultParameterNames } from '../../src/core/http/urls/parameter-names.ts'
import { bindResource } from '../../src/core/resource/bind/bound-resource.ts'
import type { Resource } from '../../src/core/resource/declare/resource.ts'
import { createMountedApi } from '../../src/core/resource/names/mounted-api.ts'
import { createPageCache } from '../../src/core/resource/query/page-cache.ts'
import { createTagCache } from '../../src/core/resource/query/tag-cache.ts'
import { type ApiOptions, allowAny, authenticated, type Database, openSqlite, pageNumber } from '../../src/index.ts'
import { directoryResources } from '../../src/seed/directory/directory.ts'
import { snippetAdmin, snippetResources } from '../../src/seed/snippets/snippets.ts'
import { formatSql } from './format-sql.ts'
import { listParameters, listResourceStatements } from './statements.ts'

const isUpdate = process.env.UPDATE_GOLDEN === '1'
const secret = 'x'.repeat(40)
const highlighter = { highlight: async () => '' }
const codeLimit = 1024 * 1024
const [, snippets] = snippetResources({ highlighter, codeLimit })

const folder = await mkdtemp(join(tmpdir(), 'resource-api-golden-'))

// These databases connect at the first query, and the tests run none.
const databases = {
  sqlite: openSqlite({ path: join(folder, 'golden.db') }),
  postgres: openPostgres({ url: 'postgres://127.0.0.1:1/none' }),
}

after(async () => {
  await Promise.all(Object.values(databases).map(database => database.close()))
  await rm(folder, { recursive: true })
})

const apis: Readonly<Record<string, (database: Database) => ApiOptions>> = {
  directory: database => ({
    resources: directoryResources({
      permissions: [authenticated],
      authority: createAuthority(database, createGrantedPermissions(database)),
    }),
    pagination: pageNumber({ pageSize: 10 }),
  }),
  snippets: () => ({ resources: snippetResources({ highlighter, codeLimit }) }),
  administration: database =>
    administration({
      database,
      grantedPermissions: createGrantedPermissions(database),
      tokens: createSingleTokens({ database, secrets: [secret] }),
      passwordRules: createPasswordRules(),
      tokenKind: 'single',
      sessions: createSessions({ database }),
      resources: [adminResource(snippets, snippetAdmin(snippets))],
    }),
}

for (const [name, describe] of Object.entries(apis)) {
  for (const [dialect, database] of Object.entries(databases)) {
    suite(`${name}, ${dialect}`, async () => {
      const options = describe(database)
      const folder = join(import.meta.dirname, name)
      if (isUpdate) await mkdir(folder, { recursive: true })
      for (const resource of options.resources ?? [])
        test(`the SQL of ${resource.name} equals its golden file`, async () => {
          const path = join(folder, `${resource.name}.${dialect}.sql`)
          const text = await describeResource(resource, options, database)
          if (isUpdate) return writeFile(path, text)
          const golden = await readFile(path, 'utf8')
          assert.equal(text, golden, `${path} differs: if the change is intended, run this test with UPDATE_GOLDEN=1`)
        })
    })
  }
}

test('each resource has its golden files, and there are no others', async () => {
  for (const [name, describe] of Object.entries(apis)) {
    const resources = describe(databases.sqlite).resources ?? []
    const expected = Object.keys(databases).flatMap(dialect => resources.map(({ name }) => `${name}.${dialect}.sql`))
    assert.deepEqual((await readdir(join(import.meta.dirname, name))).sort(), expected.sort())
  }
})

async function describeResource(resource: Resource, options: ApiOptions, database: Database): Promise<string> {
  const { resources = [], permissions = [allowAny], pagination = null } = options
  const bound = bindResource(resource, {
    database,
    permissions: resource.permissions ?? permissions,
    parsers: [],
    paginator: resource.pagination === undefined ? pagination : resource.pagination,
    pageSize: undefined,
    rowsPerRequest: 1,
    secret,
    clock: () => new Date(),
    strict: false,
    unknownFields: 'ignore',
    suggestsIndexes: false,
    reservedParameters: [],
    parameterNames: defaultParameterNames,
    takenSegments: new Set(),
    envelope: undefined,
    put: 'whole',
    pageCache: createPageCache({}),
    tagCache: createTagCache({}),
    idempotency: undefined,
    recordChanges: undefined,
    api: createMountedApi(
      {
        name: '/',
        prefix: '',
        publicUrl: undefined,
        database,
        resources,
        permissions,
        findView: () => undefined,
        urlEnd: '/',
      },
      [],
    ),
    readChildren: () => assert.fail('the statements are compiled, and no body is read'),
    whenResolved: () => undefined,
  })
  const statements = await listResourceStatements(bound)
  return statements
    .map(([name, statement]) => {
      const parameters = listParameters(statement)
      return `-- ${name}\n${parameters.length === 0 ? '' : `-- parameters: ${parameters.join(', ')}\n`}${formatSql(statement.sql)};\n`
    })
    .join('\n')
}
