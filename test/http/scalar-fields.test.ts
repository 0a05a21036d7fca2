// Scalar field types that the library tables do not use: invalid values, accepted values, and round trips.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import fc from 'fast-check'
import {
  cursor,
  date,
  decimal,
  duration,
  key,
  type Migrations,
  number,
  resource,
  slug,
  time,
  url,
  uuid,
} from 'resource-api'
import { fullDetailsHandler, type LibraryApi, onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_samples'(kysely, { key, text, number, decimal, date, time, duration, uuid }) {
    for (const table of ['samples', 'drafts']) {
      await kysely.schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('weight', number)
        .addColumn('price', decimal(6, 2))
        .addColumn('day', date)
        .addColumn('opens', time)
        .addColumn('lasts', duration)
        .addColumn('code', uuid)
        .addColumn('site', text)
        .addColumn('label', text)
        .execute()
    }
    await kysely.schema
      .createTable('amounts')
      .addColumn('id', key)
      .addColumn('whole', decimal(15, 0))
      .addColumn('mixed', decimal(15, 6))
      .addColumn('small', decimal(15, 15))
      .execute()
  },
}

const sampleFields = {
  id: key(),
  weight: number({ min: -1.5, max: 1e6 }),
  price: decimal({ maxDigits: 6, decimalPlaces: 2, min: -100, max: 5000 }),
  day: date(),
  opens: time(),
  lasts: duration({ min: '0', max: '30 00:00:00' }),
  code: uuid({ unique: 'This field must be unique.' }),
  site: url({ max: 60 }),
  label: slug({ min: 2, max: 20 }),
}

const samples = resource('samples', { table: 'samples', fields: sampleFields })

const optional = { nullable: true } as const

const draftFields = {
  id: key(),
  weight: number(optional),
  price: decimal({ maxDigits: 6, decimalPlaces: 2, ...optional }),
  day: date(optional),
  opens: time(optional),
  lasts: duration(optional),
  code: uuid(optional),
  site: url(optional),
  label: slug(optional),
}

const drafts = resource('drafts', { table: 'drafts', fields: draftFields })

const plans = resource('plans', {
  table: 'drafts',
  fields: {
    weight: number({ default: 0 }),
    price: decimal({ maxDigits: 6, decimalPlaces: 2, default: '0.1' }),
    day: date({ default: '2024-02-29' }),
    opens: time({ default: '09:00:00' }),
    lasts: duration({ default: '01:00:00' }),
    code: uuid({ default: '00000000-0000-0000-0000-000000000001' }),
    site: url({ default: '', blank: true }),
    label: slug({ default: 'none' }),
  },
})

const amounts = resource('amounts', {
  table: 'amounts',
  fields: {
    id: key(),
    whole: decimal({ maxDigits: 15, decimalPlaces: 0 }),
    mixed: decimal({ maxDigits: 15, decimalPlaces: 6 }),
    small: decimal({ maxDigits: 15, decimalPlaces: 15 }),
  },
})

const sample = {
  weight: 1.25,
  price: '12.50',
  day: '2024-02-29',
  opens: '09:30:00',
  lasts: '1 02:03:04.500000',
  code: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  site: 'https://example.com/x?y#z',
  label: 'a-b_C1',
}

const names = Object.keys(sample) as (keyof typeof sample)[]

type Refusal = readonly [input: unknown, message: string, code: string]

const notNumber = ['A valid number is required.', 'invalid'] as const
const notDate = ['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.', 'invalid'] as const
const notTime = ['Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].', 'invalid'] as const
const notDuration = [
  'Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].',
  'invalid',
] as const
const overflow = ['The number of days must be between -104249 and 104249.', 'overflow'] as const
const notUuid = ['Must be a valid UUID.', 'invalid'] as const
const notUrl = ['Enter a valid URL.', 'invalid'] as const
const notSlug = ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.', 'invalid'] as const
const notText = ['Not a valid string.', 'invalid'] as const
const blankText = ['This field may not be blank.', 'blank'] as const
const nullCharacters = ['Null characters are not allowed.', 'null_characters_not_allowed'] as const
const notNull = ['This field may not be null.', 'null'] as const
const tooLong = ['String value too large.', 'max_string_length'] as const
const tooManyDigits = ['Ensure that there are no more than 6 digits in total.', 'max_digits'] as const
const tooManyDecimals = ['Ensure that there are no more than 2 decimal places.', 'max_decimal_places'] as const
const tooManyWholeDigits = [
  'Ensure that there are no more than 4 digits before the decimal point.',
  'max_whole_digits',
] as const
const tooLongText = (n: number) => [`Ensure this field has no more than ${n} characters.`, 'max_length'] as const
const tooShortText = (n: number) => [`Ensure this field has at least ${n} characters.`, 'min_length'] as const
const tooHigh = (n: unknown) => [`Ensure this value is less than or equal to ${n}.`, 'max_value'] as const
const tooLow = (n: unknown) => [`Ensure this value is greater than or equal to ${n}.`, 'min_value'] as const

const refusals = (inputs: readonly unknown[], error: readonly [string, string]): Refusal[] =>
  inputs.map(input => [input, ...error])

const nonTexts = [true, false, [], ['1'], {}, { a: 1 }]
const badTexts = ['', ' ', 'x', '\0', '1\0', '\ud800', '1\udfff', '٣']
const huge = ['9'.repeat(1_000_000), '0'.repeat(1_000_000), `${' '.repeat(1_000_000)}x`, '1-:. '.repeat(200_000)]

const refusedValues: Record<keyof typeof sample, readonly Refusal[]> = {
  weight: [
    ...refusals([...nonTexts, ...badTexts, ...huge], notNumber),
    ...refusals(
      ['NaN', 'nan', 'Infinity', '-inf', '1e400', '-1e400', '1_000', '0x10', '1,5', '.', 'e5', '1e', '--1'],
      notNumber,
    ),
    ...refusals([1_000_000.5, 1e300, '1e300', '1000001'], tooHigh(1_000_000)),
    ...refusals([-1.6, '-1.6', -1e300], tooLow(-1.5)),
    [null, ...notNull],
  ],
  price: [
    ...refusals([...nonTexts, ...badTexts], notNumber),
    ...refusals(['NaN', 'sNaN', 'Infinity', '1_000', '0x10', '1,5', '.', '1e', '--1'], notNumber),
    ...refusals([...huge, '1'.repeat(1001)].slice(0, 2), tooLong),
    ...refusals(
      ['1234567', '12345.67', 1234567, '1e6', '1e999999999', '1e-7', 1e21, 0.1234567, '1.0000000'],
      tooManyDigits,
    ),
    ...refusals(['1.234', 1.234, '1e-3', '1.000', '0.001'], tooManyDecimals),
    ...refusals(['12345', 12345, '12345.6', '1e4'], tooManyWholeDigits),
    ...refusals(['5000.01', 5000.01, '9999.99'], tooHigh(5000)),
    ...refusals(['-100.01', '-1e3'], tooLow(-100)),
    [null, ...notNull],
  ],
  day: [
    ...refusals([...nonTexts, ...badTexts, ...huge, 20_240_101, 0, 1.5], notDate),
    ...refusals(['2024-02-30', '2024-1-1', '20240101', '2024-01-01T00:00', '0000-01-01', '10000-01-01'], notDate),
    [null, ...notNull],
  ],
  opens: [
    ...refusals([...nonTexts, ...badTexts, ...huge, 1200, 0, 1.5], notTime),
    ...refusals(['24:00', '9:00', '09:60', '09:00:60', '09:00Z', '09:00+01:00', '2024-01-01T09:00'], notTime),
    [null, ...notNull],
  ],
  lasts: [
    ...refusals([...nonTexts, ...badTexts, ...huge, 1e-7], notDuration),
    ...refusals(['1:2:3:4', 'P1Y', 'P', 'infinity'], notDuration),
    ...refusals([1e15, '-104250 00:00:00', 'P9999999999D'], overflow),
    ...refusals(['30 00:00:00.000001', 3e6], tooHigh('30 00:00:00')),
    ...refusals([-1, '-0.000001'], tooLow('0')),
    [null, ...notNull],
  ],
  code: [
    ...refusals([...nonTexts, ...badTexts, ...huge, 1, 1.5], notUuid),
    ...refusals([sample.code.slice(1), `{${sample.code}`, `${sample.code}0`, sample.code.replace('f', 'g')], notUuid),
    [null, ...notNull],
  ],
  site: [
    ...refusals(nonTexts, notText),
    ...refusals(['\ud800', 'http://example.com/\udfff'], notText),
    ...refusals(['', ' '], blankText),
    ...refusals(['http://example.com/\0'], nullCharacters),
    ...refusals(['x', 1, 'example.com', 'javascript:alert(1)', 'http://a', 'http://example.com/a b'], notUrl),
    ...refusals([`https://example.com/${'x'.repeat(41)}`, huge[0], huge[1]], tooLongText(60)),
    [null, ...notNull],
  ],
  label: [
    ...refusals([...nonTexts, 'a\ud800'], notText),
    ...refusals(['', ' '], blankText),
    ...refusals(['a\0'], nullCharacters),
    ...refusals(['a b', 'a.b', 'é1', 'a/b', 1.5], notSlug),
    ...refusals(['a', 1], tooShortText(2)),
    ...refusals(['a'.repeat(21), huge[0]], tooLongText(20)),
    [null, ...notNull],
  ],
}

const acceptedValues: Record<keyof typeof sample, readonly (readonly [input: unknown, shown: unknown])[]> = {
  weight: [
    [1, 1],
    ['1', 1],
    [' +1.5e3 ', 1500],
    ['.5', 0.5],
    ['5.', 5],
    [0.1 + 0.2, 0.1 + 0.2],
    ['0.30000000000000004', 0.1 + 0.2],
    [5e-324, 5e-324],
    ['1e-400', 0],
    ['-0', 0],
    [1e6, 1e6],
    [-1.5, -1.5],
    ['1'.padStart(1000, '0'), 1],
  ],
  price: [
    ['0.1', '0.10'],
    [0.1, '0.10'],
    [' 12.5 ', '12.50'],
    ['1e2', '100.00'],
    ['+1.5E+1', '15.00'],
    ['125e-2', '1.25'],
    [5000, '5000.00'],
    ['-100', '-100.00'],
    ['-0.05', '-0.05'],
    ['.5', '0.50'],
    ['0007', '7.00'],
    ['-0', '0.00'],
    [0, '0.00'],
  ],
  day: [
    ['0001-01-01', '0001-01-01'],
    ['0099-12-31', '0099-12-31'],
    [' 2024-02-29 ', '2024-02-29'],
    ['9999-12-31', '9999-12-31'],
  ],
  opens: [
    ['09:30', '09:30:00'],
    ['00:00:00.0', '00:00:00'],
    [' 23:59:59.999999 ', '23:59:59.999999'],
    ['12:00:00.5', '12:00:00.500000'],
    ['12:00:10.0000019', '12:00:10.000001'],
  ],
  lasts: [
    [0, '00:00:00'],
    [90, '00:01:30'],
    ['90', '00:01:30'],
    [1.5, '00:00:01.500000'],
    ['10:00', '00:10:00'],
    ['P4DT1H15M20S', '4 01:15:20'],
    ['30 00:00:00', '30 00:00:00'],
  ],
  code: [
    [`urn:uuid:${sample.code}`, sample.code],
    [`{${sample.code.toUpperCase()}}`, sample.code],
    [sample.code.replaceAll('-', ''), sample.code],
  ],
  site: [
    [' http://localhost:8000 ', 'http://localhost:8000'],
    ['FTP://Example.com/%41', 'FTP://Example.com/%41'],
    ['http://bücher.example', 'http://bücher.example'],
  ],
  label: [
    [' a-b ', 'a-b'],
    [12, '12'],
  ],
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
const fraction = (micros: number) => (micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`)
const clockTime = (seconds: number, micros: number) =>
  `${twoDigits(Math.floor(seconds / 3600))}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}${fraction(micros)}`
const secondsOfDay = fc.integer({ min: 0, max: 86_399 })
const micros = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 }))

/** Generates decimals with up to `maxDigits` digits, of which `decimalPlaces` follow the point, in the API's format. */
const decimals = (maxDigits: number, decimalPlaces: number) => {
  const largest = 10n ** BigInt(maxDigits) - 1n
  return fc.bigInt({ min: -largest, max: largest }).map(units => {
    const text = String(units < 0n ? -units : units).padStart(decimalPlaces + 1, '0')
    const point = text.length - decimalPlaces
    return `${units < 0n ? '-' : ''}${text.slice(0, point)}${decimalPlaces === 0 ? '' : `.${text.slice(point)}`}`
  })
}

/** Generates the values of a draft in the API's format. */
const draft = fc.record(
  Object.fromEntries(
    Object.entries({
      weight: fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
      price: decimals(6, 2),
      day: fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map(day => day.toISOString().slice(0, 10)),
      opens: fc.tuple(secondsOfDay, micros).map(services => clockTime(...services)),
      lasts: fc
        .tuple(fc.integer({ min: -104_249, max: 104_248 }), secondsOfDay, micros)
        .map(([days, ...services]) => `${days === 0 ? '' : `${days} `}${clockTime(...services)}`),
      code: fc.uuid(),
      site: fc.webUrl({ withQueryParameters: true, withFragments: true }),
      label: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/),
    }).map(([name, values]) => [name, fc.option<unknown>(values, { freq: 20 })]),
  ),
)

suite('values', () => {
  onEachDatabase(
    () => ({ resources: [samples, drafts, plans, amounts], exceptionHandler: fullDetailsHandler }),
    api => {
      let path: string
      let library: LibraryApi

      before(async () => {
        library = api()
        const created = await library.client.post('/samples/', { json: sample })
        const { id, ...shown } = created.json()
        assert.deepEqual([created.status, shown], [201, sample])
        path = `/samples/${id}/`
      })

      const nulls = Object.fromEntries(names.map(name => [name, null]))

      for (const name of names) {
        test(`ERR-EXC-r2, ERR-BODY-2, ERR-MSG-p1, ERR-GAP-b1: ${name} refuses invalid values`, async () => {
          const rows = await library.rows('samples')
          for (const [input, message, code] of refusedValues[name]) {
            const response = await library.client.patch(path, { json: { [name]: input } })
            assert.deepEqual(
              [response.status, response.json()],
              [400, { [name]: [{ message, code }] }],
              JSON.stringify(input).slice(0, 100),
            )
          }
          assert.deepEqual(await library.rows('samples'), rows)
        })

        test(`${name} accepts values from JSON and forms, and shows them in the same format after the write and later`, async () => {
          for (const [input, shown] of acceptedValues[name]) {
            for (const body of [{ json: { [name]: input } }, { form: { [name]: String(input) } }]) {
              const response = await library.client.patch(path, body)
              assert.deepEqual([response.status, response.json()[name]], [200, shown], JSON.stringify(input))
              assert.deepEqual((await library.client.get(path)).json()[name], shown)
            }
          }
        })
      }

      test('ERR-MSG-r4: each field is required by default', async () => {
        const missing = [{ message: 'This field is required.', code: 'required' }]
        for (const body of [{ json: {} }, { form: {} }]) {
          const response = await library.client.post('/samples/', body)
          assert.deepEqual(response.json(), Object.fromEntries(names.map(name => [name, missing])))
        }
      })

      test('each nullable field accepts null in JSON and an empty text in a form', async () => {
        const { id, ...shown } = (await library.client.post('/drafts/', { json: {} })).json()
        assert.deepEqual(shown, nulls)
        await library.client.patch(`/drafts/${id}/`, { json: { ...sample, code: null } })
        for (const body of [{ json: nulls }, { form: Object.fromEntries(names.map(name => [name, ''])) }]) {
          const response = await library.client.put(`/drafts/${id}/`, body)
          assert.deepEqual([response.status, response.json()], [200, { id, ...nulls }])
        }
      })

      test('each missing field gets its default', async () => {
        const response = await library.client.post('/plans/', { json: {} })
        assert.deepEqual(response.json(), {
          weight: 0,
          price: '0.10',
          day: '2024-02-29',
          opens: '09:00:00',
          lasts: '01:00:00',
          code: '00000000-0000-0000-0000-000000000001',
          site: '',
          label: 'none',
        })
      })

      test('ERR-GAP-b1: the UUID of another object is not unique, in any notation', async () => {
        const code = `{${(await library.client.get(path)).json().code.toUpperCase()}}`
        const response = await library.client.post('/samples/', { json: { ...sample, code } })
        const error = { message: 'This field must be unique.', code: 'unique' }
        assert.deepEqual([response.status, response.json()], [400, { code: [error] }])
        assert.equal((await library.client.patch(path, { json: { code } })).status, 200)
      })

      test('every value is returned as it was sent', async () => {
        const id = (await library.client.post('/drafts/', { json: {} })).json().id
        await fc.assert(
          fc.asyncProperty(draft, async values => {
            const response = await library.client.put(`/drafts/${id}/`, { json: values })
            assert.deepEqual([response.status, response.json()], [200, { id, ...values }])
            assert.deepEqual((await library.client.get(`/drafts/${id}/`)).json(), { id, ...values })
          }),
          { numRuns: randomCases(150) },
        )
      })

      test('decimals of 15 digits are returned exactly, for any number of decimal places', async () => {
        const values = fc.record(
          { whole: decimals(15, 0), mixed: decimals(15, 6), small: decimals(15, 15) },
          { noNullPrototype: true },
        )
        await fc.assert(
          fc.asyncProperty(values, async sent => {
            const { id, ...shown } = (await library.client.post('/amounts/', { json: sent })).json()
            assert.deepEqual(shown, sent)
            assert.deepEqual((await library.client.get(`/amounts/${id}/`)).json(), { id, ...sent })
          }),
          { numRuns: randomCases(150) },
        )
      })
    },
    { migrations },
  )
})

const secret = 's'.repeat(32)
const directions = ['', '-'] as const
const createOrderedLists = (table: 'samples' | 'drafts', fields: typeof sampleFields | typeof draftFields) =>
  names.flatMap(name =>
    directions.map(direction =>
      resource(`${table}-by${direction}-${name}`, {
        table,
        actions: ['list'],
        fields,
        pagination: cursor({ secret, pageSize: 3, ordering: direction + name }),
      }),
    ),
  )

/** Values in ascending order. */
const ascendingValues: Record<keyof typeof sample, readonly unknown[]> = {
  weight: [-Number.MAX_VALUE, -1e16, -0.1, 0, 5e-324, 0.1, 0.1 + 0.2, 1 / 3, 2 ** 53 + 2, Number.MAX_VALUE],
  price: ['-9999.99', '-10.00', '-0.10', '0.00', '0.01', '0.10', '2.00', '9.99', '10.00', '9999.99'],
  day: ['0001-01-01', '0099-12-31', '1969-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '9999-12-31'],
  opens: ['00:00:00', '00:00:00.000001', '09:00:00', '09:00:00.500000', '09:00:01', '23:59:59.999999'],
  lasts: ['-104249 00:00:00', '-2 23:59:59', '-1 00:00:00', '00:00:00', '00:00:00.000001', '9 00:00:00', '10 00:00:00'],
  code: [...'0129af'].map(digit => `${digit.repeat(8)}-0000-0000-0000-000000000000`),
  site: ['ftp://b.example', 'http://Z.example', 'http://a.example', 'http://z.example', 'http://ö.example'],
  label: ['-', '1', '10', '2', 'A', 'Z', '_', 'a', 'aa', 'b'],
}

/** Unordered rows that contain each value at least twice; rows of drafts also contain null. */
const createRows = (table: 'samples' | 'drafts') => {
  const listValues = (name: keyof typeof sample) =>
    [...ascendingValues[name], ...(table === 'drafts' ? [null] : [])].toReversed()
  const columns = names.map(name => [name, listValues(name)] as const)
  const rowCount = 2 * Math.max(...columns.map(([, values]) => values.length))
  return Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row % values.length]])),
  )
}

suite('ordering', () => {
  onEachDatabase(
    () => ({
      resources: [
        drafts,
        resource('plain', { table: 'samples', fields: draftFields }),
        ...createOrderedLists('samples', sampleFields),
        ...createOrderedLists('drafts', draftFields),
      ],
    }),
    api => {
      before(async () => {
        for (const [list, table] of [
          ['/plain/', 'samples'],
          ['/drafts/', 'drafts'],
        ] as const) {
          for (const json of createRows(table)) {
            const response = await api().client.post(list, { json })
            assert.equal(response.status, 201, response.text)
          }
        }
      })

      /** Follows the links, and returns all items and the path of the last page. */
      async function followLinks(start: string, step: 'next' | 'previous') {
        const items: Record<string, unknown>[] = []
        for (let path = start; ; ) {
          const page = (await api().client.get(path)).json()
          items.push(...(step === 'next' ? page.results : page.results.toReversed()))
          if (page[step] === null) return { items, last: path }
          path = page[step].replace('http://localhost', '')
        }
      }

      for (const name of names) {
        test(`LIM-PAG-r3: a cursor visits all rows ordered by ${name}, forward and backward`, async () => {
          const rank = (value: unknown) => (value === null ? Infinity : ascendingValues[name].indexOf(value))
          for (const table of ['samples', 'drafts'] as const) {
            const expected = createRows(table)
              .map(row => row[name])
              .toSorted((one, other) => (rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other))))
            for (const direction of directions) {
              const forward = await followLinks(`/${table}-by${direction}-${name}/`, 'next')
              const shown = forward.items.map(item => item[name])
              assert.deepEqual(shown, direction === '' ? expected : expected.toReversed())
              assert.equal(new Set(forward.items.map(({ id }) => id)).size, expected.length, 'each row once')
              const backward = await followLinks(forward.last, 'previous')
              assert.deepEqual(backward.items.toReversed(), forward.items)
            }
          }
        })
      }
    },
    { migrations },
  )
})
