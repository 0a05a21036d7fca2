// Pairs of linkedevents, opencve and open-forms.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  boolean,
  computed,
  type Database,
  dateTime,
  type ExceptionHandler,
  exceptionHandler,
  filter,
  forTypes,
  hyperlinkedIdentity,
  type Identity,
  integer,
  isSafe,
  json,
  key,
  list,
  type Permission,
  PermissionDenied,
  pageNumber,
  readOnly,
  related,
  slug,
  text,
  textKey,
  uuid,
  ValidationError,
  via,
  zodField,
} from 'resource-api'
import { created, owner, reference, table, tables, through, updated } from 'resource-api/tables'
import { z } from 'zod'
import { caller, type Loose, now, numbered, testPairs } from './support.ts'

const languages = ['fi', 'sv', 'en'] as const
const organizationTable = table('organizations', {
  key: textKey({ column: 'id' }),
  columns: { id: key(), name: text() },
})
const userTable = table('users', { columns: { id: key(), username: text() } })
const priceGroupTable = table('price_groups', {
  columns: {
    id: key(),
    publisher: reference('organizations', { nullable: true }),
    description_fi: text({ nullable: true }),
    description_sv: text({ nullable: true }),
    description_en: text({ nullable: true }),
    is_free: boolean({ default: false }),
    created_by: owner('users', { relatedName: 'created_groups' } as Loose),
    last_modified_by: reference('users', { nullable: true, relatedName: 'modified_groups' }),
    created_time: created(),
    last_modified_time: updated(),
  },
})
const usedTable = table('registration_price_groups', { columns: { id: key(), price_group: reference('price_groups') } })
const weaknessTable = table('weaknesses', { columns: { id: key(), cwe_id: text({ max: 16, unique: 'taken' }) } })
const cveTable = table('cves', {
  columns: {
    id: key(),
    created_at: created(),
    updated_at: updated(),
    cve_id: text({ max: 20, unique: 'taken' }),
    title: text({ nullable: true }),
    description: text({ nullable: true }),
  },
  many: { weaknesses: through('cve_weaknesses') },
})
const cveWeaknesses = table('cve_weaknesses', {
  key: ['cve', 'weakness'],
  columns: { cve: reference('cves'), weakness: reference('weaknesses') },
})
const formTable = table('forms', { columns: { id: key(), uuid: uuid({ unique: 'taken' }) } })
const definitionTable = table('form_definitions', {
  columns: {
    id: key(),
    uuid: uuid({ unique: 'taken' }),
    slug: text({ nullable: true }),
    name_nl: text(),
    name_en: text({ nullable: true }),
    internal_name: text({ blank: true, default: '' }),
    configuration: json(),
    login_required: boolean({ default: false }),
    is_reusable: boolean({ default: false }),
  },
})
const stepTable = table('form_steps', {
  columns: {
    id: key(),
    uuid: uuid({ unique: 'taken' }),
    form: reference('forms', { onDelete: 'cascade' }),
    form_definition: reference('form_definitions'),
    slug: text({ nullable: true }),
    order: integer(),
    is_applicable: boolean({ default: true }),
    previous_text_nl: text({ nullable: true }),
    previous_text_en: text({ nullable: true }),
    save_text_nl: text({ nullable: true }),
    save_text_en: text({ nullable: true }),
    next_text_nl: text({ nullable: true }),
    next_text_en: text({ nullable: true }),
  },
  unique: [
    ['form', 'form_definition'],
    ['form', 'slug'],
  ],
})
// The row of the settings.
const settingTable = table('global_settings', {
  columns: {
    id: key(),
    previous_text_nl: text(),
    previous_text_en: text(),
    save_text_nl: text(),
    save_text_en: text(),
    next_text_nl: text(),
    next_text_en: text(),
  },
})
const schema = tables({
  owner: 'pairs',
  tables: [
    ...[organizationTable, userTable, priceGroupTable, usedTable, weaknessTable, cveTable, cveWeaknesses],
    ...[formTable, definitionTable, stepTable, settingTable],
  ],
})
type Member = Identity & {
  isSuperuser?: boolean
  organization?: string
  adminOf?: readonly string[]
  scopes?: readonly string[]
  perms?: readonly string[]
}
const { resource } = forTypes<Member, typeof schema>()

class PriceGroupError extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'price_group'
}
const listMessages: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof PriceGroupError ? { ...response, body: [error.message] } : response
}
const isAdminOf = (user: Identity, organization: unknown) =>
  (user as Member).isSuperuser || ((user as Member).adminOf ?? []).includes(organization as string)
const canAccess: Permission = {
  columns: ['publisher_id'],
  allows: ({ user, method }) =>
    user.isAuthenticated && (method !== 'POST' || isAdminOf(user, (user as Member).organization)),
  allowsObject: ({ user, method }, { publisher_id }) => isSafe(method) || isAdminOf(user, publisher_id),
}
const organizations = resource('organizations', {
  table: organizationTable,
  actions: [],
  fields: organizationTable.pick('id', 'name'),
})
const translations = z.partialRecord(z.enum(languages), z.string().trim().nullable())
const priceGroups = resource('price_group', {
  table: priceGroupTable,
  permissions: [canAccess],
  fields: {
    ...priceGroupTable.pick('id'),
    publisher: related(organizations),
    description: computed({
      columns: languages.map(name => `description_${name}`),
      value: (row: Loose) => {
        const given = languages.filter(name => row[`description_${name}`] !== null)
        return given.length === 0 ? null : Object.fromEntries(given.map(name => [name, row[`description_${name}`]]))
      },
      takes: zodField(translations.optional()),
      // The language of every request is the first one of the settings.
      queriedAs: computed(text(), ({ row }: Loose) => row.description_fi),
    } as Loose),
    ...priceGroupTable.pick('is_free', 'created_time', 'last_modified_time'),
    created_by: text({ source: via('created_by_id', 'users', 'username') }),
    last_modified_by: text({ source: via('last_modified_by_id', 'users', 'username') }),
  },
  hookColumns: [...languages.map(name => `description_${name}` as const), 'last_modified_by_id'],
  async validate({ action, key: own, before, given, connection: { kysely } }: Loose) {
    if (action === 'update' && before.publisher === null)
      throw new PriceGroupError('You may not edit a default price group.')
    const texts = Object.values(given.description ?? {}).filter(Boolean) as string[]
    if ((action === 'create' || given.description !== undefined) && texts.length === 0)
      throw new ValidationError({ description: 'This field is required.' })
    if (texts.some(each => each.length > 255))
      throw new ValidationError({ description: 'Description can be at most 255 characters long.' })
    if (action === 'update' && given.publisher !== undefined && given.publisher !== before.publisher) {
      const used = await kysely
        .selectFrom('registration_price_groups')
        .select('id')
        .where('price_group_id', '=', own)
        .executeTakeFirst()
      if (used)
        throw new PriceGroupError(
          'You may not change the publisher of a price group that has been used in registrations.',
        )
    }
  },
  prepare: ({ given, user }: Loose) => ({
    last_modified_by_id: user.id,
    ...Object.fromEntries(
      Object.entries(given.description ?? {}).map(([name, value]) => [`description_${name}`, value]),
    ),
  }),
  beforeDestroy({ before }: Loose) {
    if (before.publisher === null) throw new PriceGroupError('You may not delete a default price group.')
  },
  ordering: ['description'],
  orderingFields: ['description'],
  filters: {
    publisher: filter(
      list({ of: text() }),
      ({ row, value }: Loose) => sql`coalesce(${row.publisher_id}, 'none') in ${value}`,
    ),
    description: { icontains: 'description' },
    is_free: true,
  },
  pagination: numbered(
    20,
    ({ items, count, next, previous }) =>
      `{"meta":{"count":${count},"next":${next},"previous":${previous}},"data":${items}}`,
    { max: 100 },
  ),
} as Loose)

// opencve WeaknessCveViewSet
class MissingScope extends PermissionDenied {
  static override message = 'The token does not have the required scope for this operation.'
  static override code = 'missing_scope'
}
const opencveErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  const { code } = error.constructor as typeof APIException
  const scope = error instanceof MissingScope ? { required_scope: 'catalog:read' } : {}
  return { ...response, body: { error: { code, message: error.message, ...scope } } }
}
const readsCatalog: Permission<Member> = {
  allows({ user: { isAuthenticated, scopes = [] } }) {
    const isScoped = scopes.length > 0 && !scopes.includes('catalog:read') && !scopes.includes('catalog:write')
    if (isAuthenticated && isScoped) throw new MissingScope()
    return isAuthenticated
  },
}
const toSeconds = (column: 'created_at' | 'updated_at') =>
  computed({
    columns: [column],
    value: (row: Loose) => `${row[column].slice(0, 19)}Z`,
    queriedAs: computed(dateTime(), ({ row }) => row[column]!),
  })
const weaknesses = resource('weaknesses', {
  table: weaknessTable,
  lookup: 'cwe_id',
  actions: [],
  fields: weaknessTable.pick('cwe_id'),
})
const cvesOfWeakness = resource('weakness-cves', {
  table: cveTable,
  path: 'cves',
  actions: ['list'],
  permissions: [readsCatalog],
  fields: {
    created_at: toSeconds('created_at'),
    updated_at: toSeconds('updated_at'),
    ...cveTable.pick('cve_id', 'description', 'title'),
  },
  nestedUnder: [{ parent: weaknesses, through: 'weaknesses', only: true }],
  ordering: ['-updated_at'],
  pagination: pageNumber({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 100 }),
})

// open-forms FormStepViewSet
const formsErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  const isInvalid = error instanceof ValidationError
  const { code, message } = error.constructor as typeof APIException
  const list = (details: Loose, path: readonly string[]): readonly object[] =>
    Array.isArray(details)
      ? details.map(({ code: own, message: reason }) => ({ name: path.join('.'), code: own, reason }))
      : Object.entries(details).flatMap(([name, each]) => list(each, [...path, name]))
  return {
    ...response,
    body: {
      type: `http://localhost/fouten/${error.constructor.name}/`,
      code,
      title: message,
      status: response.status,
      detail: isInvalid ? '' : error.message,
      instance: `urn:uuid:${randomUUID()}`,
      ...(isInvalid && { invalidParams: list(error.fullDetails, []) }),
    },
  }
}
const formsAccess: Permission<Member> = {
  allows({ user: { isAuthenticated, isStaff, perms = [] }, method, view: { id } }) {
    if (isSafe(method) && id === 'steps-detail') return true
    if (!isAuthenticated) return false
    if (isStaff) return perms.includes('change_form')
    return isSafe(method) && perms.includes('view_form')
  },
}
type Words = 'nl' | 'en'
const buttons = ['previous_text', 'save_text', 'next_text'] as const
const buttonColumns = buttons.flatMap(name => [`${name}_nl`, `${name}_en`])
const toWire = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
// The cookie that the language switch sets, or else the header field.
const findWords = ({ request, view }: Loose): Words => {
  const cookie = /(?:^|; )openforms_language=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
  return cookie === 'nl' || cookie === 'en' ? cookie : (view.findLanguage(request) ?? 'nl')
}
const translate = (row: Loose, name: string, words: Words): string => row[`${name}_${words}`] || row[`${name}_nl`] || ''
const buttonText = z.object({ value: z.string().max(50) }).optional()
const literals = z.object({ previousText: buttonText, saveText: buttonText, nextText: buttonText }).optional()
const words = z.string().max(50).default('')
const language = z.object({ previousText: words, saveText: words, nextText: words }).optional()
interface Component {
  readonly key: string
  readonly label?: string
  readonly components?: readonly Component[]
  readonly columns?: readonly { readonly components: readonly Component[] }[]
}
const listComponents = (all: readonly Component[] = [], above: readonly string[] = []): readonly [string, string][] =>
  all.flatMap(({ key: own, label, components, columns = [] }) => {
    const path = [...above, label || own]
    const nested = [...(components ?? []), ...columns.flatMap(column => column.components)]
    return [[own, path.join(' > ')] as [string, string], ...listComponents(nested, path)]
  })
const slugify = (value: string) =>
  value
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/[-\s]+/g, '-')
const parseStored = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value) as Loose
const openForms = (database: Database) => {
  const findDefinitions = (from: Loose = database) => from.kysely.selectFrom('form_definitions').selectAll()
  const ofDefinition = (find: (definition: Loose, context: Loose) => unknown, options = {}) =>
    computed({
      columns: ['form_definition_id'],
      async values(rows: readonly Loose[], context: Loose) {
        const ids = rows.map(({ form_definition_id: id }) => id)
        const definitions = await findDefinitions().where('id', 'in', ids).execute()
        return ids.map(id =>
          find(
            definitions.find((each: Loose) => each.id === id),
            context,
          ),
        )
      },
      ...options,
    } as Loose)
  const forStaff = { visible: ({ user }: Loose) => user.isStaff }
  const definitions = resource('form-definitions', {
    table: definitionTable,
    lookup: 'uuid',
    actions: ['retrieve'],
    fields: definitionTable.pick('uuid'),
  })
  const forms = resource('forms', { table: formTable, lookup: 'uuid', actions: [], fields: formTable.pick('uuid') })
  const steps = resource('steps', {
    table: stepTable,
    lookup: 'uuid',
    wire: 'camelCase',
    permissions: [formsAccess],
    ordering: ['index'],
    fields: {
      uuid: readOnly(uuid({ unique: 'taken' })),
      index: integer({ column: 'order' }),
      slug: computed({
        columns: ['slug'],
        value: (row: Loose) => row.slug,
        takes: slug({ max: 100, blank: true, nullable: true, required: false } as Loose),
      }),
      configuration: ofDefinition(({ configuration }) => {
        const { display, components } = parseStored(configuration)
        return { ...(display !== undefined && { display }), ...(components !== undefined && { components }) }
      }),
      form_definition: related(definitions, { form: 'url' }),
      name: ofDefinition((definition, context) => translate(definition, 'name', findWords(context))),
      internal_name: text({ source: via('form_definition_id', 'form_definitions', 'internal_name'), ...forStaff }),
      url: hyperlinkedIdentity(),
      ...stepTable.pick('is_applicable'),
      login_required: boolean({ source: via('form_definition_id', 'form_definitions', 'login_required') }),
      is_reusable: boolean({ source: via('form_definition_id', 'form_definitions', 'is_reusable'), ...forStaff }),
      literals: computed({
        columns: buttonColumns,
        async values(rows: readonly Loose[], context: Loose) {
          const settings = await database.kysely.selectFrom('global_settings').selectAll().executeTakeFirst()
          const own = findWords(context)
          return rows.map(row =>
            Object.fromEntries(
              buttons.map(name => [
                toWire(name),
                {
                  resolved: row[`${name}_${own}`] || translate(settings, name, own),
                  value: translate(row, name, own),
                },
              ]),
            ),
          )
        },
        takes: zodField(literals),
      } as Loose),
      translations: computed({
        columns: buttonColumns,
        value: (row: Loose) =>
          Object.fromEntries(
            (['nl', 'en'] as const).map(each => [
              each,
              Object.fromEntries(buttons.map(name => [toWire(name), row[`${name}_${each}`] ?? ''])),
            ]),
          ),
        takes: zodField(z.object({ nl: language, en: language }).optional()),
        ...forStaff,
      } as Loose),
    } as Loose,
    nestedUnder: [{ parent: forms, column: 'form_id', only: true }],
    hookColumns: ['uuid', 'slug', 'form_id', ...buttonColumns] as never,
    async validate({ given, values, action, before, parameters, connection }: Loose) {
      if (given.is_applicable === false && given.index === 0)
        throw new ValidationError({ is_applicable: 'First form step must be applicable.' })
      if (
        given.form_definition === undefined ||
        (action === 'update' && given.form_definition === before.form_definition)
      )
        return
      const form = await connection.kysely
        .selectFrom('forms')
        .select('id')
        .where('uuid', '=', parameters.forms_key)
        .executeTakeFirst()
      const others = connection.kysely
        .selectFrom('form_steps')
        .select('form_definition_id')
        .where('form_id', '=', form.id)
      const own = await findDefinitions(connection).where('id', '=', values.form_definition).executeTakeFirst()
      const found = await findDefinitions(connection)
        .where('id', '!=', own.id)
        .where('id', 'in', others)
        .orderBy('id')
        .execute()
      const list = (definition: Loose) =>
        listComponents(parseStored(definition.configuration).components).map(
          ([each, path]) => [each, `${definition.name_nl} > ${path}`] as const,
        )
      const taken = found.flatMap(list)
      const repeated = list(own).flatMap(([each, path]) => {
        const paths = taken.filter(([other]: Loose) => other === each).map(([, other]: Loose) => other)
        return paths.length === 0 ? [] : [`"${each}" (in ${[path, ...paths].join(', ')})`]
      })
      if (repeated.length > 0)
        throw new ValidationError({
          form_definition: `Detected duplicate keys in configuration: ${repeated.join(', ')}`,
        })
    },
    async prepare(context: Loose) {
      const { given, action, key: own, values, parameters, connection } = context
      const current = findWords(context)
      const texts = {
        ...Object.fromEntries(
          buttons.flatMap(name => {
            const value = given.literals?.[toWire(name)]?.value
            return value === undefined ? [] : [[`${name}_${current}`, value]]
          }),
        ),
        ...Object.fromEntries(
          Object.entries(given.translations ?? {}).flatMap(([each, all]) =>
            buttons.map(name => [`${name}_${each}`, (all as Loose)[toWire(name)]]),
          ),
        ),
      }
      if (action === 'update' && given.slug === undefined) return texts
      const definition = await findDefinitions(connection).where('id', '=', values.form_definition).executeTakeFirst()
      const wanted = slugify(given.slug || definition.slug || definition.name_nl)
      const siblings = await connection.kysely
        .selectFrom('form_steps')
        .innerJoin('forms', 'forms.id', 'form_steps.form_id')
        .select(['form_steps.id as id', 'form_steps.slug as slug'])
        .where('forms.uuid', '=', parameters.forms_key)
        .execute()
      const isTaken = (each: string) => siblings.some((row: Loose) => row.slug === each && row.id !== own)
      let unique = wanted
      for (let count = 2; isTaken(unique); count++) unique = `${wanted}-${count}`
      return { ...texts, slug: unique, ...(action === 'create' && { uuid: randomUUID() }) }
    },
    async afterDestroy({ before, connection: { kysely } }: Loose) {
      await kysely
        .deleteFrom('form_definitions')
        .where('id', '=', before.form_definition)
        .where('is_reusable', '=', database.dialect.name === 'sqlite' ? 0 : false)
        .execute()
    },
  } as Loose)
  return {
    resources: [definitions, forms, steps],
    exceptionHandler: formsErrors,
    trailingSlash: false,
    languages: { nl: {} },
  }
}

const uuids = [1, 2, 3, 4, 5].map(digit => `0190a000-0000-7000-8000-00000000000${digit}`)
const formSteps = `/forms-api/forms/${uuids[0]}/steps`
const definitionUrl = (digit: number) => `http://localhost/forms-api/form-definitions/${uuids[digit]}`
const made = new Map<string, string>()
/** A step whose URL contains the UUID that an earlier one made. */
const keep = (name: string) => (response: Loose) => void made.set(name, response.json().uuid)
const invalid =
  (...params: readonly object[]) =>
  (response: Loose) => {
    const { instance, ...body } = response.json()
    assert.match(instance, /^urn:uuid:/)
    assert.deepEqual(body, {
      type: 'http://localhost/fouten/ValidationError/',
      code: 'invalid',
      title: 'Invalid input.',
      status: 400,
      detail: '',
      invalidParams: params,
    })
  }

testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { organization: 'o:1', adminOf: ['o:1'] }),
      bob: caller(2, 'bob', { organization: 'o:1' }),
      sue: caller(3, 'sue', { isSuperuser: true }),
      org: caller(4, 'org', { scopes: ['org:read'] }),
      cat: caller(5, 'cat', { scopes: ['catalog:read'] }),
      dev: caller(6, 'dev', { isStaff: true, perms: ['change_form'] }),
      view: caller(7, 'view', { perms: ['view_form'] }),
    },
    rows: {
      organizations: [{ id: 'o:1', name: 'O' }],
      users: [{ username: 'ann' }, { username: 'bob' }, { username: 'sue' }],
      price_groups: [
        { description_fi: 'Aikuinen', is_free: false, created_by_id: 1, created_time: now, last_modified_time: now },
      ],
      weaknesses: [{ cwe_id: 'CWE-79' }, { cwe_id: 'CWE-89' }],
      cves: [
        { cve_id: 'CVE-1', title: 'one', description: 'd', created_at: now, updated_at: now },
        { cve_id: 'CVE-2', created_at: now, updated_at: '2026-02-01T00:00:00.500000Z' },
        { cve_id: 'CVE-3', created_at: now, updated_at: now },
      ],
      forms: [{ uuid: uuids[0] }, { uuid: uuids[1] }],
      form_definitions: [
        {
          uuid: uuids[2],
          slug: 'stap',
          name_nl: 'Stap',
          name_en: 'Step',
          internal_name: 'intern',
          configuration: { display: 'form', components: [{ key: 'lastName', label: 'Last' }], other: 1 },
          login_required: true,
          is_reusable: true,
        },
        {
          uuid: uuids[3],
          name_nl: 'Tweede stap',
          internal_name: '',
          configuration: { components: [{ key: 'group', components: [{ key: 'lastName', label: 'Again' }] }] },
          login_required: false,
          is_reusable: false,
        },
        {
          uuid: uuids[4],
          slug: 'stap',
          name_nl: 'Derde',
          internal_name: '',
          configuration: { components: [{ key: 'other' }] },
          login_required: false,
          is_reusable: false,
        },
      ],
      global_settings: [
        {
          previous_text_nl: 'Vorige pagina',
          previous_text_en: 'Previous page',
          save_text_nl: 'Tussentijds opslaan',
          save_text_en: 'Save current information',
          next_text_nl: 'Volgende',
          next_text_en: 'Next',
        },
      ],
      cve_weaknesses: [
        { cve_id: 1, weakness_id: 1 },
        { cve_id: 2, weakness_id: 1 },
        { cve_id: 3, weakness_id: 2 },
      ],
    },
    apis: {
      '/v1': {
        resources: [priceGroups, organizations],
        exceptionHandler: listMessages,
        parameters: { ordering: 'sort' },
      },
      '/api/v2': {
        resources: [weaknesses, cvesOfWeakness],
        exceptionHandler: opencveErrors,
        trailingSlash: false,
        root: null,
      },
      '/forms-api': openForms,
    },
    pairs: {
      'linkedevents PriceGroupViewSet': [
        [
          'ann POST /v1/price_group/',
          { publisher: 'o:1', description: { fi: 'Lapsi' } },
          201,
          {
            id: 2,
            publisher: 'o:1',
            description: { fi: 'Lapsi' },
            is_free: false,
            created_time: now,
            last_modified_time: now,
            created_by: 'ann',
            last_modified_by: 'ann',
          },
        ],
        [
          'ann PATCH /v1/price_group/2/',
          { description: { en: 'Child' } },
          200,
          /"description":\{"fi":"Lapsi","en":"Child"\}/,
        ],
        ['ann POST /v1/price_group/', { publisher: 'o:1' }, 400, { description: ['This field is required.'] }],
        ['bob GET /v1/price_group/?publisher=none,o:1&description=LAPS', null, 200, /"meta":\{"count":1,/],
        ['bob GET /v1/price_group/?description=child', null, 200, /"meta":\{"count":0,/],
        ['bob GET /v1/price_group/', null, 200, /"fi":"Aikuinen".*"fi":"Lapsi"/],
        ['bob GET /v1/price_group/?sort=-description', null, 200, /"fi":"Lapsi".*"fi":"Aikuinen"/],
        ['bob GET /v1/price_group/?sort=description', null, 200, /"fi":"Aikuinen".*"fi":"Lapsi"/],
        ['sue PATCH /v1/price_group/1/', { is_free: true }, 400, ['You may not edit a default price group.']],
        ['sue DELETE /v1/price_group/1/', null, 400, ['You may not delete a default price group.']],
        ['bob PATCH /v1/price_group/2/', {}, 403],
        ['bob POST /v1/price_group/', {}, 403],
        ['ann DELETE /v1/price_group/2/', null, 204],
      ],
      'open-forms FormStepViewSet': [
        [
          `dev POST ${formSteps}`,
          {
            index: 0,
            formDefinition: definitionUrl(2),
            literals: { previousText: { value: 'Terug' } },
            translations: { en: { saveText: 'Save it' } },
          },
          201,
          (response: Loose) => {
            keep('first')(response)
            assert.deepEqual(response.json(), {
              uuid: made.get('first'),
              index: 0,
              slug: 'stap',
              configuration: { display: 'form', components: [{ key: 'lastName', label: 'Last' }] },
              formDefinition: definitionUrl(2),
              name: 'Stap',
              internalName: 'intern',
              url: `http://localhost${formSteps}/${made.get('first')}`,
              isApplicable: true,
              loginRequired: true,
              isReusable: true,
              literals: {
                previousText: { resolved: 'Terug', value: 'Terug' },
                saveText: { resolved: 'Tussentijds opslaan', value: '' },
                nextText: { resolved: 'Volgende', value: '' },
              },
              translations: {
                nl: { previousText: 'Terug', saveText: '', nextText: '' },
                en: { previousText: '', saveText: 'Save it', nextText: '' },
              },
            })
          },
        ],
        [
          `dev POST ${formSteps}`,
          { index: 1, formDefinition: definitionUrl(3) },
          400,
          invalid({
            name: 'formDefinition',
            code: 'invalid',
            reason:
              'Detected duplicate keys in configuration: "lastName" (in Tweede stap > group > Again, Stap > Last)',
          }),
        ],
        [`dev POST ${formSteps}`, { index: 1, formDefinition: definitionUrl(4) }, 201, /"slug":"stap-2"/],
        [
          `dev POST ${formSteps}`,
          { slug: 'x' },
          400,
          invalid(
            { name: 'index', code: 'required', reason: 'This field is required.' },
            { name: 'formDefinition', code: 'required', reason: 'This field is required.' },
          ),
        ],
        [
          `dev POST ${formSteps}`,
          { index: 0, isApplicable: false, formDefinition: definitionUrl(3) },
          400,
          invalid({ name: 'isApplicable', code: 'invalid', reason: 'First form step must be applicable.' }),
        ],
        [
          `dev POST ${formSteps}`,
          { index: 2, formDefinition: definitionUrl(0) },
          400,
          invalid({
            name: 'formDefinition',
            code: 'does_not_exist',
            reason: 'Invalid hyperlink - Object does not exist.',
          }),
        ],
        [`dev POST /forms-api/forms/${uuids[2]}/steps`, { index: 0, formDefinition: definitionUrl(2) }, 404],
        [`ann POST ${formSteps}`, {}, 403],
        [`view POST ${formSteps}`, {}, 403],
        [
          `nobody POST ${formSteps}`,
          {},
          401,
          (response: Loose) => assert.equal(response.json().code, 'not_authenticated'),
        ],
        [`dev GET ${formSteps}`, null, 200, /^\[\{"uuid".*"index":0.*"index":1.*\]$/],
        [`view GET ${formSteps}`, null, 200],
        [`ann GET ${formSteps}`, null, 403],
        [`dev GET /forms-api/forms/${uuids[1]}/steps`, null, 200, []],
        [() => `nobody GET ${formSteps}/${made.get('first')}`, null, 200, /"name":"Stap","url"/],
        [
          () => `nobody GET ${formSteps}/${made.get('first')}`,
          null,
          200,
          /"name":"Step","url".*"previousText":\{"resolved":"Previous page","value":"Terug"\},"saveText":\{"resolved":"Save it","value":"Save it"\}/,
          { 'accept-language': 'en-GB' },
        ],
        [
          () => `nobody GET ${formSteps}/${made.get('first')}`,
          null,
          200,
          /"name":"Stap","url"/,
          { 'accept-language': 'en', cookie: 'openforms_language=nl' },
        ],
        [() => `nobody GET /forms-api/forms/${uuids[1]}/steps/${made.get('first')}`, null, 404],
        [
          () => `dev PATCH ${formSteps}/${made.get('first')}`,
          { literals: { nextText: { value: 'Go on' } }, slug: 'My Step' },
          400,
        ],
        [
          () => `dev PATCH ${formSteps}/${made.get('first')}`,
          { literals: { nextText: { value: 'Go on' } }, slug: 'stap-2' },
          200,
          /"slug":"stap-2-2".*"en":\{"previousText":"","saveText":"Save it","nextText":"Go on"\}/,
          { 'accept-language': 'en' },
        ],
        [
          () => `dev PUT ${formSteps}/${made.get('first')}`,
          { index: 3, formDefinition: definitionUrl(2) },
          200,
          /"index":3,"slug":"stap-2-2"/,
        ],
        [() => `view DELETE ${formSteps}/${made.get('first')}`, null, 403],
        [() => `dev DELETE ${formSteps}/${made.get('first')}`, null, 204],
        [() => `dev GET ${formSteps}/${made.get('first')}`, null, 404],
        [`nobody GET /forms-api/form-definitions/${uuids[2]}`, null, 200],
      ],
      'opencve WeaknessCveViewSet': [
        [
          'cat GET /api/v2/weaknesses/CWE-79/cves',
          null,
          200,
          {
            count: 2,
            next: null,
            previous: null,
            results: [
              {
                created_at: '2026-01-01T00:00:00Z',
                updated_at: '2026-02-01T00:00:00Z',
                cve_id: 'CVE-2',
                description: null,
                title: null,
              },
              {
                created_at: '2026-01-01T00:00:00Z',
                updated_at: '2026-01-01T00:00:00Z',
                cve_id: 'CVE-1',
                description: 'd',
                title: 'one',
              },
            ],
          },
        ],
        [
          'ann GET /api/v2/weaknesses/CWE-79/cves?page_size=1&page=2',
          null,
          200,
          /"next":null,"previous":"[^"]*\/api\/v2\/weaknesses\/CWE-79\/cves\?page_size=1","results":\[\{[^}]*"CVE-1"/,
        ],
        ['ann GET /api/v2/weaknesses/CWE-89/cves', null, 200, /"count":1.*"CVE-3"/],
        ['ann GET /api/v2/weaknesses/CWE-1/cves', null, 404, { error: { code: 'not_found', message: 'Not found.' } }],
        [
          'ann GET /api/v2/weaknesses/CWE-79/cves?page=9',
          null,
          404,
          { error: { code: 'not_found', message: 'Invalid page.' } },
        ],
        [
          'org GET /api/v2/weaknesses/CWE-79/cves',
          null,
          403,
          {
            error: {
              code: 'missing_scope',
              message: 'The token does not have the required scope for this operation.',
              required_scope: 'catalog:read',
            },
          },
        ],
        [
          'nobody GET /api/v2/weaknesses/CWE-79/cves',
          null,
          401,
          { error: { code: 'not_authenticated', message: 'Authentication credentials were not provided.' } },
        ],
        ['ann POST /api/v2/weaknesses/CWE-79/cves', {}, 405],
      ],
    },
  },
  (name, run) => test(name, run),
)
