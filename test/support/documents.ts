// A resource with files in a folder that each test may look into, on both databases.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite } from 'node:test'
import { sql } from 'kysely'
import {
  type ApiOptions,
  authenticatedOrReadOnly,
  file,
  folder,
  image,
  type Migrations,
  type OwnedMigrations,
  ownerOrReadOnly,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { type TestApi, testApi } from 'resource-api/testing'

export const documentMigrations: Migrations = {
  async '0001_documents'(kysely, { key, text: textType, json }) {
    await kysely.schema
      .createTable('documents')
      .addColumn('id', key)
      .addColumn('title', textType, column => column.notNull())
      .addColumn('owner_id', 'integer')
      .addColumn('report', json)
      .addColumn('photo', json)
      .addColumn('export', json)
      .execute()
  },
}

export const person = (id: number) => ({ isAuthenticated: true, id, username: `user ${id}`, isStaff: false }) as const
export const [ann, bob] = [person(1), person(2)]

/** The bytes of files of each type. */
export const samples = {
  pdf: Buffer.from('%PDF-1.7\nhello'),
  /** One pixel. */
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

export interface Documents {
  readonly api: TestApi
  /** The folder of the files. */
  readonly path: string
  /** Resolves to the names of all stored files. */
  listFiles(): Promise<readonly string[]>
}

/** Declares the resource with its files in `path`. */
export const declareDocuments = (path: string, options: { readonly afterSave?: () => void } = {}) =>
  resource('documents', {
    table: 'documents',
    permissions: [
      authenticatedOrReadOnly,
      ownerOrReadOnly('owner_id'),
      rowFilter(({ row, caller }) => sql`(${row.title} <> 'secret' or ${row.owner_id} = ${caller.id})`),
    ],
    fields: {
      title: text({ max: 40 }),
      report: file({ store: folder(path), types: ['application/pdf', 'text/*'], maxSize: 1_000_000, nullable: true }),
      photo: image({ store: folder(path), maxWidth: 100, maxHeight: 100, nullable: true }),
      export: file({ store: folder(path), access: 'signed', signedFor: 60, nullable: true }),
    },
    hookColumns: ['owner_id'],
    beforeSave: ({ action, user }) =>
      action === 'create' ? { owner_id: user.isAuthenticated ? Number(user.id) : null } : {},
    afterSave: () => options.afterSave?.(),
  })

/** Creates a form of these fields; a list of a content and a name is a file. */
export function createForm(
  fields: Readonly<Record<string, string | readonly [content: Uint8Array | string, name: string, type?: string]>>,
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([value[0] as string], { type: value[2] ?? 'application/octet-stream' }), value[1])
  }
  return form
}

/** Defines the tests once per database. */
export function onEachDocuments(
  declare: (path: string) => ApiOptions,
  define: (documents: () => Documents) => void,
  owners: readonly OwnedMigrations[] = [],
): void {
  for (const database of ['sqlite', 'postgres'] as const)
    suite(database, () => {
      let documents: Documents
      let path: string
      before(async () => {
        path = await mkdtemp(join(tmpdir(), 'files-'))
        const api = await testApi(
          { ...declare(path), migrations: [{ owner: 'documents', steps: documentMigrations }, ...owners] },
          { database, clock: '2026-01-01T00:00:00Z', fastify: { logger: { level: 'silent' } } },
        )
        documents = {
          api,
          path,
          async listFiles() {
            const entries = await readdir(path, { recursive: true, withFileTypes: true })
            return entries.filter(entry => entry.isFile()).map(entry => entry.name)
          },
        }
      })
      after(async () => {
        await documents?.api.close()
        await rm(path, { recursive: true })
      })
      define(() => documents)
    })
}
