// Slips that Node runs, because it does not check types: a function that is not called, a text in place of a field or a function, an
// option that is missing. Each is an error at start that says what to write, and no raw error of JavaScript.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  anonThrottle,
  choice,
  computed,
  createApi,
  filter,
  key,
  list,
  memoryStore,
  nested,
  object,
  objectView,
  readOnly,
  related,
  resource,
  scopedThrottle,
  text,
  userThrottle,
  uuidKey,
  writeOnly,
} from 'resource-api'
import { created, reference, table } from 'resource-api/tables'
import { z } from 'zod'

const declare = (options: object) => resource('notes', { table: 'notes', fields: { id: key() }, ...options } as never)
const refuses = (create: () => unknown, message: string) => assert.throws(create, { message })
const wrong = (value: unknown) => value as never

suite('a value that is no field', () => {
  for (const [value, problem] of [
    [text, 'is a function: call it, as in text()'],
    [key, 'is a function: call it, as in key()'],
    [related, 'is a function: call it, as in related()'],
    [computed, 'is a function: call it, as in text()'],
    [() => text(), 'is a function: call it, as in text()'],
    ['text', 'is "text": write a field, such as text(), or a schema of Zod 4'],
    [undefined, 'is undefined: write a field, such as text(), or a schema of Zod 4'],
    [null, 'is null: write a field, such as text(), or a schema of Zod 4'],
    [1, 'is 1: write a field, such as text(), or a schema of Zod 4'],
    [[text()], 'is a list: write a field, such as text(), or a schema of Zod 4'],
    [{ type: 'string' }, 'is an object: write a field, such as text(), or a schema of Zod 4'],
  ] as const)
    test(`${typeof value === 'function' ? 'a function' : JSON.stringify(value)}: ${problem}`, () => {
      refuses(() => declare({ fields: { id: key(), title: value } }), `resource "notes": field "title" ${problem}`)
      refuses(() => object({ fields: { title: wrong(value) } }), `object(): field "title" ${problem}`)
      refuses(() => list({ of: wrong(value) }), `list(): "of" ${problem}`)
      refuses(() => readOnly(wrong(value)), `readOnly(): the field ${problem}`)
      refuses(() => writeOnly(wrong(value)), `writeOnly(): the field ${problem}`)
      refuses(() => computed(wrong(value), () => sql`1`), `computed(): the field ${problem}`)
      refuses(() => filter(wrong(value), () => sql`true`), `filter(): the field ${problem}`)
    })

  test('the columns of a table', () => {
    const declareTable = (title: unknown) => table('notes', { columns: { id: key(), title: wrong(title) } })
    for (const [value, problem] of [
      [text, 'is a function: call it, as in text()'],
      [created, 'is a function: call it, as in created()'],
      [reference, 'is a function: call it, as in reference()'],
      ['text', 'is "text": write a field, such as text()'],
      [null, 'is null: write a field, such as text()'],
      [undefined, 'is undefined: write a field, such as text()'],
      [{}, 'is an object: write a field, such as text()'],
      [z.string(), 'is an object: write a field, such as text()'],
    ] as const)
      refuses(() => declareTable(value), `table "notes": column "title" ${problem}`)
  })

  test('the fields of a view', () => {
    const views = (title: unknown) => ({
      share: objectView({ body: { title } as never, handlers: { POST: () => ({ status: 204 }) } }),
    })
    refuses(
      () => declare({ objectViews: views(text) }),
      'resource "notes": the view "share": body: field "title" is a function: call it, as in text()',
    )
    refuses(
      () => declare({ objectViews: views('text') }),
      'resource "notes": the view "share": body must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod',
    )
  })

  test('fields that are missing, and a key that is not called', () => {
    const missing =
      'resource "notes": the option "fields" is missing: name its fields, as in fields: { id: key(), title: text() }'
    for (const fields of [undefined, null, 'title', text]) refuses(() => declare({ fields }), missing)
    refuses(() => declare({ key: uuidKey }), 'resource "notes": key is a function: call it, as in uuidKey()')
  })

  test('a call with a slip inside says what is wrong there', () => {
    refuses(
      () => declare({ fields: { id: key(), kind: list({ of: choice as never }) } }),
      'list(): "of" is a function: call it, as in choice()',
    )
    assert.throws(() => nested({ of: text as never, column: 'a' }), /^Error: nested\(\)/)
  })
})

suite('a hook that is no function', () => {
  for (const hook of [
    'normalize',
    'validate',
    'prepare',
    'beforeSave',
    'afterSave',
    'beforeDestroy',
    'afterDestroy',
  ] as const)
    test(hook, () => {
      for (const [value, shown] of [
        ['x', '"x"'],
        [{}, 'an object'],
        [[], 'a list'],
        [null, 'null'],
        [true, 'true'],
      ] as const)
        refuses(
          () => declare({ [hook]: value }),
          `resource "notes": ${hook} is ${shown}: write a function, such as ${hook}(context) { … }`,
        )
      declare({ [hook]: undefined })
      declare({ [hook]: () => undefined })
    })

  test('functions of createApi()', () => {
    for (const option of ['exceptionHandler', 'observe', 'recordChanges', 'serverError', 'clock'])
      refuses(() => createApi({ [option]: 'x' }), `createApi(): ${option} is "x": write a function`)
  })
})

suite('a throttle', () => {
  const store = memoryStore()
  for (const [name, create] of [
    ['anonThrottle', anonThrottle],
    ['userThrottle', userThrottle],
    ['scopedThrottle', (options: object) => scopedThrottle({ scope: 'uploads', ...options } as never)],
  ] as const) {
    test(`${name} without a store`, () => {
      for (const missing of [undefined, null, memoryStore, {}, 'memory'])
        refuses(
          () => create({ rates: '1/day', store: missing } as never),
          `${name}(): the option "store" must be a store that counts the requests: write store: memoryStore(), or databaseStore(database) to share the counts of several processes`,
        )
    })

    test(`${name} with other wrong options`, () => {
      refuses(() => create({ rate: '1/day', store } as never), `${name}(): there is no option "rate": write "rates"`)
      refuses(() => create({ store } as never), `${name}(): the option "rates" is missing: give one, such as 60/minute`)
      refuses(
        () => create({ rates: 60, store } as never),
        '"60" is not a rate: write a number, a slash, and second, minute, hour or day, such as 10/minute or 10/5 minutes',
      )
      create({ rates: '1/day', store } as never)
    })
  }
  test('the options themselves', () => {
    refuses(
      () => userThrottle(undefined as never),
      `userThrottle(): the option "rates" is missing: give one, such as 60/minute`,
    )
  })
})
