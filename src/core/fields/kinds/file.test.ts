// The types of files, and declarations that cannot work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { type Flat, type Same, same } from '../../../../test/support/same-types.ts'
import {
  type ApiOptions,
  type CreateBody,
  createApi,
  file,
  folder,
  image,
  jsonParser,
  multipartParser,
  object,
  openDatabase,
  type PatchBody,
  type Representation,
  readOnly,
  resource,
  type ShownFile,
  type StoredFile,
  s3,
  text,
} from '../../../index.ts'
import type { DeclaredFields } from '../declared-fields.ts'

const store = folder('data')

const documents = resource('documents', {
  table: 'documents',
  fields: {
    title: text(),
    report: file({ store }),
    photo: image({ store, nullable: true }),
    export: readOnly(file({ store, nullable: true })),
  },
  validate({ values, given }) {
    same<Same<typeof values.report, StoredFile>>()
    same<Same<typeof values.photo, StoredFile | null>>()
    same<Same<typeof given.report, StoredFile | undefined>>()
  },
})

test('a response shows files, and a body takes them', () => {
  interface Shown {
    readonly title: string
    readonly report: ShownFile
    readonly photo: ShownFile | null
    readonly export: ShownFile | null
  }
  same<Same<Flat<Representation<typeof documents>>, Flat<Shown>>>()
  same<
    Same<
      Flat<CreateBody<typeof documents>>,
      { readonly title: string; readonly report: Blob; readonly photo?: Blob | null }
    >
  >()
  same<
    Same<
      Flat<PatchBody<typeof documents>>,
      { readonly title?: string; readonly report?: Blob; readonly photo?: Blob | null }
    >
  >()
  assert.equal(documents.name, 'documents')
})

test('a wrong declaration names the fix', () => {
  const mistakes = [
    [() => file({} as never), /^file\(\): the option "store" is missing: write store: folder\('data\/files'\)$/],
    [() => file({ store, types: ['pdf'] }), /^file\(\): types: the type "pdf" cannot be recognized: the types are /],
    [() => image({ store, types: ['image/tiff'] }), /^image\(\): types: the type "image\/tiff" cannot be recognized/],
    [() => file({ store, maxSize: 0.5 }), /^file\(\): maxSize must be a whole number greater than 0$/],
    [
      () => file({ store, types: [] }),
      /^file\(\): types is empty, so no file is accepted: list the types, or remove it$/,
    ],
    [() => image({ store, maxWidth: 0 }), /^image\(\): maxWidth must be a whole number greater than 0$/],
    [
      () => file({ store, access: 'sign' as 'signed' }),
      /^file\(\): there is no access "sign": write "permissions" or "signed"$/,
    ],
    [
      () => file({ store, signedFor: 60 }),
      /^file\(\): signedFor is for signed URLs: add access: 'signed', or remove it$/,
    ],
    [() => file(undefined as never), /^file\(\): the option "store" is missing/],
    [() => image(undefined as never), /^image\(\): the option "store" is missing/],
    [
      () => file({ store, types: 'image/*' as never }),
      /^file\(\): types must be a list: write types: \['image\/\*'\]$/,
    ],
    [() => file({ store, types: [1 as never] }), /^file\(\): types: the type "1" cannot be recognized/],
    [() => object({ fields: { scan: file({ store }) } }), /cannot be a file: make it a field of the resource$/],
  ] as const
  for (const [declare, message] of mistakes) assert.throws(declare as () => unknown, { message })
})

test('a folder of files is neither that of the system nor that of the program', () => {
  for (const [path, problem] of [
    [undefined, "folder(): the path is missing: write folder('data/files')"],
    ['', "folder(): the path is missing: write folder('data/files')"],
    [new URL('file:///srv/files'), "folder(): the path is missing: write folder('data/files')"],
    ['a\0b', "folder('a\0b'): the path has a null character"],
    ...['.', '..', '/', process.cwd()].map(
      path =>
        [
          path,
          `folder('${path}'): the folder contains the working directory: name a folder of its own, such as folder('data/files')`,
        ] as const,
    ),
    ['/etc', "folder('/etc'): the folder belongs to the operating system: name a folder of its own"],
    ['/var/', "folder('/var/'): the folder belongs to the operating system: name a folder of its own"],
    ['package.json', "folder('package.json'): the path is a file: name a folder"],
    ['package.json/files', "folder('package.json/files'): the path is a file: name a folder"],
  ] as const)
    assert.throws(() => folder(path as string), { message: problem })
  for (const path of ['data', '..data', '../files', '/var/lib/shop']) folder(path)
})

test('a bucket needs its URL and credentials', () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const endpoint = 'https://s3.example.com/files'
  for (const [options, problem] of [
    [undefined, /^s3\(\): endpoint must be the URL of the bucket: 'https:/],
    [{ endpoint: 'files', credentials }, /^s3\(\): endpoint must be/],
    [{ endpoint: 'ftp://files', credentials }, /^s3\(\): endpoint must be/],
    [{ endpoint }, /^s3\(\): credentials\.accessKeyId is missing: set the variable that it is read from$/],
    [
      { endpoint, credentials: { accessKeyId: 'a', secretAccessKey: undefined } },
      /^s3\(\): credentials\.secretAccessKey is missing/,
    ],
    [{ endpoint, credentials, prefix: 5 }, /^s3\(\): prefix must be a text, such as 'invoices\/'$/],
  ] as const)
    assert.throws(() => s3(options as never), { message: problem })
  s3({ endpoint, credentials })
})

const mount = async (resources: ApiOptions['resources']) => {
  const app = Fastify()
  await app.register(createApi({ database: openDatabase('sqlite::memory:'), ...(resources && { resources }) }))
}

test('signed URLs need a secret, and uploads a parser of forms', async () => {
  const declare = (fields: DeclaredFields, parsers = [multipartParser()]) =>
    resource('documents', { table: 'documents', fields, parsers })
  const signed = declare({ report: file({ store, access: 'signed' }) })
  await assert.rejects(mount([signed]), {
    message: /field "report": access "signed" needs the option "secret" of the API$/,
  })
  const withoutForms = declare({ report: file({ store }) }, [jsonParser()])
  await assert.rejects(mount([withoutForms]), { message: /add multipartParser\(\) to "parsers"$/ })
})

test('a query has no field for files, and a view with files needs a parser of forms', async () => {
  const declare = (schemas: object) =>
    resource('documents', {
      table: 'documents',
      fields: { title: text() },
      objectViews: ({ objectView }) => ({
        scan: objectView({ ...schemas, handlers: { POST: () => ({ status: 204 }) } }),
      }),
    })
  await assert.rejects(async () => mount([declare({ query: { page: file({ store }) } })]), {
    message: /field "page" is a file, which only a body contains$/,
  })
  await assert.rejects(async () => mount([declare({ parsers: [jsonParser()], body: { page: file({ store }) } })]), {
    message: /add multipartParser\(\) to "parsers"$/,
  })
})
