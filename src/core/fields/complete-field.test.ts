// A change of a field that is not complete yet stays: it makes no difference whether a field is first wrapped and then
// completed, or the other way round.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { z } from 'zod'
import {
  boolean,
  choice,
  computed,
  date,
  dateTime,
  decimal,
  duration,
  email,
  file,
  folder,
  hyperlinkedIdentity,
  image,
  integer,
  integerKey,
  json,
  key,
  list,
  multipleChoice,
  nested,
  number,
  object,
  publicId,
  readOnly,
  related,
  resource,
  slug,
  text,
  textKey,
  time,
  url,
  uuid,
  uuidKey,
  via,
  writeOnly,
  zodField,
} from '../../index.ts'
import type { Key } from '../keys/key.ts'
import type { Resource } from '../resource/declare/resource.ts'
import { resolveNames } from '../resource/names/resolve-names.ts'
import type { Field, FieldDefinition } from './field.ts'

const people = resource('people', {
  table: 'people',
  fields: { id: key(), name: text({ unique: 'There is such a person.' }), team_id: integer() },
  objectName: 'name',
  actions: ['list', 'retrieve'],
})

const store = folder('data')
const rows = { table: 'thing_words', own: 'thing_id', other: 'word' }

type Options = Readonly<Record<string, unknown>>
type CreateField = (options: Options) => unknown

/** The types of fields with a column. */
const scalars = {
  ...{ text, email, slug, url, uuid, integer, number, boolean, date, time, dateTime, duration, json },
  decimal: (options: Options) => decimal({ ...options, maxDigits: 9, decimalPlaces: 2 }),
  choice: (options: Options) => choice(['a', 'b'], options as never),
  list: (options: Options) => list({ ...options, of: text() } as never),
  object: (options: Options) => object({ ...options, fields: { a: text() } } as never),
  file: (options: Options) => file({ ...options, store }),
  image: (options: Options) => image({ ...options, store }),
} as unknown as Readonly<Record<string, CreateField>>

const optionsOf = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Options> =>
  fc.record(members, { requiredKeys: [] })

const shared = { nullable: fc.boolean(), label: fc.constant('Thing'), help: fc.constant('Which thing it is') }
const withColumn = { ...shared, column: fc.constant('thing_column') }
const form = fc.constantFrom('key', 'url')
const forms = {
  form,
  takes: form,
  shows: fc.constantFrom('key', 'url', 'text', ['id', 'name']),
  by: fc.constant('name'),
  ignoreRowFilter: fc.boolean(),
}
const joins = [{ table: 'thing_people', own: 'thing_id', other: 'person_id' }, { reverse: 'team_id' }] as const
const target = fc.constantFrom<typeof people | string>(people, 'people')
const join = fc.constantFrom(...joins)

/** Fields of each type, each with the name of its type. */
const fields: fc.Arbitrary<{ readonly type: string; readonly field: unknown }> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...Object.keys(scalars)), optionsOf(withColumn))
    .map(([type, options]) => ({ type, field: scalars[type]!(options) })),
  fc
    .tuple(optionsOf(shared), fc.constantFrom('owner.name', via('owner_id', people, 'name')))
    .map(([options, source]) => ({ type: 'source', field: text({ ...options, source }) })),
  optionsOf({ column: fc.constant('thing_column') }).map(options => ({
    type: 'zod',
    field: zodField(z.string(), options as never),
  })),
  optionsOf(shared).map(options => ({
    type: 'multiple choice',
    field: multipleChoice(['a', 'b'], { ...options, rows } as never),
  })),
  fc.constantFrom(
    { type: 'list in rows', field: list({ of: text(), rows }) as unknown },
    { type: 'url of the object', field: hyperlinkedIdentity() },
    { type: 'computed', field: computed(integer(), () => sql`1`) },
    { type: 'computed from columns', field: computed({ columns: ['id'], value: () => 1 }) },
    { type: 'key', field: key() },
    { type: 'key', field: key({ label: 'Key' }) },
  ),
  fc.record({
    type: fc.constant('related'),
    field: fc
      .tuple(target, optionsOf({ ...withColumn, ...forms }))
      .map(([to, options]) => related(to, options as never)),
  }),
  fc.record({
    type: fc.constant('related to many'),
    field: fc
      .tuple(target, optionsOf({ ...shared, ...forms }), join)
      .map(([to, options, many]) => related(to, { ...options, many } as never)),
  }),
  fc.record({
    type: fc.constant('nested'),
    field: fc
      .tuple(target, fc.constantFrom({}, { fields: ['name'] }), join)
      .map(([of, names, many]) => nested({ of, many, ...names })),
  }),
  fc.record({
    type: fc.constant('nested object'),
    field: fc
      .tuple(target, fc.constantFrom({ column: 'person_id' }, { one: { reverse: 'team_id' } }))
      .map(([of, to]) => nested({ of, ...to } as never)),
  }),
  fc.record({
    type: fc.constant('written together'),
    field: fc
      .tuple(target, fc.constantFrom({ column: 'person_id', nullable: true }, { many: { reverse: 'team_id' } }))
      .map(([of, to]) => nested({ of, ...to, writable: true } as never)),
  }),
)

const isVisible = () => true
const wrappers = {
  readOnly: (field: Field) => readOnly(field),
  writeOnly: (field: Field) => writeOnly(field),
  'writeOnly without a column': (field: Field) => writeOnly(field, { stored: false }),
  'a copy with a label': (field: Field) => ({ ...field, label: 'Copy' }),
  'a copy that some see': (field: Field) => ({ ...field, visible: isVisible, help: 'Copy' }),
  'a copy with another message': (field: Field) => ({ ...field, messages: { required: 'Give it.' } }),
} as const

const keys: Readonly<Record<string, Key>> = {
  integer: integerKey(),
  uuid: uuidKey(),
  text: textKey(),
  public: publicId('thing'),
}

interface Completion {
  /** The kind of key that the resource has. */
  readonly key: string
  readonly wire: 'camelCase' | { readonly my_thing: string } | undefined
  /** Whether another field of the API names its resource, so that the API copies all resources. */
  readonly hasNames: boolean
}

const completions: fc.Arbitrary<Completion> = fc.record({
  key: fc.constantFrom(...Object.keys(keys)),
  wire: fc.constantFrom<Completion['wire']>('camelCase', { my_thing: 'other' }, undefined),
  hasNames: fc.boolean(),
})

/** The field as an API has it. */
function complete(field: unknown, { key, wire, hasNames }: Completion): Field {
  const things = resource('things', {
    table: 'things',
    key: keys[key]!,
    fields: { my_thing: field as Field, owner: readOnly(related(people)) },
    actions: ['list'],
    ...(wire && { wire }),
  })
  const notes = resource('notes', {
    table: 'notes',
    fields: { thing: hasNames ? related('things') : related(things) },
    actions: ['list'],
  })
  const [resolved] = resolveNames([things, people, notes] as unknown as readonly Resource[])
  return resolved!.fields.my_thing!
}

const wrapperNames = Object.keys(wrappers) as readonly (keyof typeof wrappers)[]

function wrap(field: Field, names: readonly (keyof typeof wrappers)[]): Field {
  let wrapped: Field = field
  for (const name of names) wrapped = wrappers[name](wrapped) as Field
  return wrapped
}

/** The properties of a field that a wrapper may change; those of the related resource are compared by their names. */
function describe(field: FieldDefinition): object {
  const { kind, required, nullable, readOnly, writeOnly, fixed, label, help, messages, visible, wireName } = field
  const { columns, storedRows, childStorage, relation, join, keyColumn } = field
  return {
    ...{ kind, required, nullable, readOnly, writeOnly, fixed, label, help, messages, visible, wireName, keyColumn },
    ...{
      columns: columns('my_thing'),
      storedRows,
      childStorage,
      relation: relation?.target.name,
      join: join?.target.name,
    },
  }
}

const attempt = (run: () => object): object | string => {
  try {
    return run()
  } catch (error) {
    return (error as Error).message
  }
}

const numRuns = 1000

test('a field that is wrapped and then completed is the one that is completed and then wrapped', () => {
  const wrapping = fc.array(fc.constantFrom(...wrapperNames), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fields, wrapping, completions, ({ field }, names, completion) => {
      const first = attempt(() => describe(complete(wrap(field as Field, names), completion)))
      const last = attempt(() => describe(wrap(complete(field, completion), names)))
      if (typeof last === 'string') assert.equal(typeof first, 'string')
      // A key that bodies give needs its column.
      else if (typeof first === 'string') assert.match(first, /field "my_thing" cannot be fixed/)
      else assert.deepEqual(first, last)
    }),
    { numRuns },
  )
})

test('readOnly() and writeOnly() hold for each type of field, however it is completed', () => {
  fc.assert(
    fc.property(fields, completions, ({ type, field }, completion) => {
      // These fields refuse both.
      if (type === 'written together') return
      const [read, written] = [readOnly(field as Field), writeOnly(field as Field)]
      assert.partialDeepStrictEqual(complete(read, completion), { readOnly: true, required: false })
      assert.partialDeepStrictEqual(complete(written, completion), { writeOnly: true })
    }),
    { numRuns },
  )
})
