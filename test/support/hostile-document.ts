// The document of an API whose names and descriptions disturb generators.

import Fastify from 'fastify'
import {
  createApi,
  findDocument,
  integer,
  json,
  key,
  migrate,
  type OpenApiDocument,
  objectView,
  openDatabase,
  related,
  resource,
  text,
  view,
} from 'resource-api'
import { z } from 'zod'

export const hostileDescription =
  'Ends a comment: */ `code` $(exit) <b>bold</b> </script> **Markdown** | table\n\n# Heading\n"quotes" \\ backslash'

const names = ['constructor', 'then', '$ref', 'toString', '__proto__', 'class', 'a-b', 'ü', '1st']

/** Creates the document. */
export async function createHostileDocument(): Promise<OpenApiDocument> {
  const database = openDatabase('sqlite::memory:')
  await migrate(database, [
    {
      owner: 'hostile',
      steps: {
        async '0001_hostile'({ schema }, columns) {
          let table = schema.createTable('hostile').addColumn('id', columns.key).addColumn('parent', 'integer')
          for (const index of names.keys()) table = table.addColumn(`c${index}`, columns.text)
          await table.addColumn('shape', columns.json).addColumn('rest', columns.json).execute()
        },
      },
    },
  ])
  const fields = Object.fromEntries(
    names.map((name, index) => [name, text({ column: `c${index}`, help: hostileDescription })] as const),
  )
  const shape = z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number().gt(0).lt(1) }),
      z.object({ kind: z.literal('box'), width: z.number(), format: z.ipv4() }),
    ])
    .nullable()
  const handlers = { POST: () => ({ status: 204 }) }
  const hostile = resource('hostile', {
    table: 'hostile',
    title: 'default',
    description: hostileDescription,
    fields: {
      id: key(),
      ...fields,
      shape,
      rest: json({ nullable: true }),
      parent: related('hostile', { column: 'parent', nullable: true }),
    },
    expandableFields: ['parent.parent'],
    objectViews: { delete: objectView({ handlers }), import: objectView({ handlers }) },
  })
  const app = Fastify()
  const views = {
    '/then/': view({
      name: 'then',
      body: { ['__proto__']: integer(), $ref: text() },
      handlers,
    }),
  }
  await app.register(createApi({ database, resources: [hostile], views, openapi: { description: hostileDescription } }))
  await app.ready()
  const document = findDocument(app)
  await app.close()
  await database.close()
  return document
}
