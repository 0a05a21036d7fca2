// Pairs of objects-api, ralph, readthedocs.org, openwisp-controller and SEED.

import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  authenticated,
  boolean,
  Conflict,
  choice,
  computed,
  type Database,
  date,
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
  NotFound,
  nested,
  number,
  object,
  objectView,
  type Permission,
  pageNumber,
  readOnly,
  related,
  text,
  uuid,
  uuidKey,
  ValidationError,
  via,
  view,
  writeOnly,
} from 'resource-api'
import { caller as callerValue, created, reference, table, tables, updated, value, where } from 'resource-api/tables'
import { caller, type Loose, modelPermission, now, testPairs } from './support.ts'

// objects-api ObjectTypeViewSet
const objectTypeTable = table('object_types', {
  columns: {
    id: key(),
    uuid: uuid({
      unique: 'An objecttype with this uuid already exists.',
      fixed: true,
      default: () => randomUUID(),
      messages: { fixed: "This field can't be changed" },
    }),
    name: text({ max: 100 }),
    name_plural: text({ max: 100 }),
    description: text({ max: 1000, blank: true, default: '' }),
    data_classification: choice(['open', 'intern', 'confidential', 'strictly_confidential'], { default: 'open' }),
    maintainer_organization: text({ max: 200, blank: true, default: '' }),
    maintainer_department: text({ max: 200, blank: true, default: '' }),
    contact_person: text({ max: 200, blank: true, default: '' }),
    contact_email: text({ max: 200, blank: true, default: '' }),
    source: text({ max: 200, blank: true, default: '' }),
    update_frequency: choice(['real_time', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'unknown'], {
      default: 'unknown',
    }),
    provider_organization: text({ max: 200, blank: true, default: '' }),
    documentation_url: text({ max: 200, blank: true, default: '' }),
    labels: json({ default: {} }),
    created_at: date(),
    modified_at: date(),
    allow_geometry: boolean({ default: true }),
  },
})
const versionTable = table('object_type_versions', {
  columns: { id: key(), object_type: reference('object_types'), version: integer() },
})

// ralph CloudProviderViewSet
const providerTable = table('cloud_providers', {
  columns: {
    id: key(),
    name: text({ max: 255, unique: 'This field must be unique.' }),
    cloud_sync_enabled: boolean({ default: false }),
    cloud_sync_driver: text({ nullable: true, blank: true }),
  },
})
const providerParts = ['cloud_flavors', 'cloud_hosts', 'cloud_projects'].map(name =>
  table(name, { columns: { id: key(), provider: reference('cloud_providers', { onDelete: 'cascade' }) } }),
)

// readthedocs.org VersionViewSet
const projectTable = table('projects', {
  columns: {
    id: key(),
    name: text(),
    slug: text({ unique: 'taken' }),
    description: text({ default: '', blank: true }),
    language: text(),
    programming_language: text(),
    repo: text(),
    repo_type: text(),
    default_version: text(),
    default_branch: text({ nullable: true }),
    documentation_type: text(),
    custom_prefix: text({ nullable: true }),
    private: boolean({ default: false }),
    analytics_code: text({ nullable: true }),
  },
})
const projectUsers = table('project_users', {
  key: ['project', 'user'],
  columns: { project: reference('projects'), user: reference('users') },
})
const userTable = table('users', { columns: { id: key(), username: text() } })
const rtdVersionTable = table('versions', {
  columns: {
    id: key(),
    project: reference('projects'),
    slug: text(),
    identifier: text(),
    verbose_name: text(),
    privacy_level: choice(['public', 'private'], { default: 'public' }),
    active: boolean({ default: false }),
    built: boolean({ default: false }),
    type: choice(['branch', 'tag', 'unknown'], { default: 'unknown' }),
    has_pdf: boolean({ default: false }),
    has_epub: boolean({ default: false }),
    has_htmlzip: boolean({ default: false }),
    documentation_type: text({ default: 'sphinx' }),
    build_data: json({ nullable: true }),
    machine: boolean({ default: false }),
    git_identifier: text({ nullable: true }),
  },
})

// openwisp-controller VpnListCreateView and DeviceActivateView
const organizationTable = table('organizations', { key: uuidKey(), columns: { id: key(), name: text(), slug: text() } })
const managerTable = table('organization_managers', {
  columns: { id: key(), organization: reference('organizations'), user: integer() },
})
const caTable = table('cas', {
  key: uuidKey(),
  columns: { id: key(), organization: reference('organizations', { nullable: true }), name: text() },
})
const certTable = table('certs', {
  key: uuidKey(),
  columns: { id: key(), organization: reference('organizations', { nullable: true }), ca: reference('cas') },
})
const vpnTable = table('vpns', {
  key: uuidKey(),
  columns: {
    id: key(),
    name: text({ max: 64 }),
    host: text({ max: 64 }),
    organization: reference('organizations', { nullable: true }),
    key: text({ max: 64, default: () => randomUUID().replaceAll('-', '') }),
    ca: reference('cas', { nullable: true }),
    cert: reference('certs', { nullable: true }),
    backend: choice(['openvpn', 'wireguard', 'zerotier']),
    notes: text({ default: '', blank: true }),
    dh: text({ default: '', blank: true }),
    config: json({ default: {} }),
    subnet: uuid({ nullable: true }),
    created: created(),
    modified: updated(),
  },
})
const deviceTable = table('devices', {
  key: uuidKey(),
  columns: {
    id: key(),
    name: text(),
    organization: reference('organizations'),
    group: uuid({ nullable: true }),
    mac_address: text(),
    key: text(),
    last_ip: text({ nullable: true }),
    management_ip: text({ nullable: true }),
    is_deactivated: boolean({ default: false }),
    model: text({ default: '', blank: true }),
    os: text({ default: '', blank: true }),
    system: text({ default: '', blank: true }),
    notes: text({ default: '', blank: true }),
    created: created(),
    modified: updated(),
  },
})
const configTable = table('configs', {
  key: uuidKey(),
  columns: {
    id: key(),
    device: reference('devices', { unique: true }),
    status: text(),
    error_reason: text({ default: '', blank: true }),
    backend: text(),
    templates: json({ default: [] }),
    context: json({ default: {} }),
    config: json({ default: {} }),
  },
})

// SEED PropertyMeasureViewSet
const propertyTable = table('properties', { columns: { id: key(), organization: integer() } })
const scenarioTable = table('scenarios', { columns: { id: key(), property: reference('properties') } })
const measureKindTable = table('measures', {
  columns: { id: key(), category: text(), name: text(), category_display_name: text(), display_name: text() },
})
const costs = [
  'cost_mv',
  'cost_total_first',
  'cost_installation',
  'cost_material',
  'cost_capital_replacement',
  'cost_residual_value',
  'useful_life',
] as const
const enumValues = {
  category_affected: ['Air Distribution', 'Heating System', 'Other'],
  application_scale: ['Individual system', 'Multiple systems', 'Entire facility'],
  implementation_status: ['Proposed', 'Evaluated', 'Implemented', 'Discarded'],
} as const
const enums = {
  category_affected: choice(enumValues.category_affected),
  application_scale: choice(enumValues.application_scale),
  implementation_status: choice(enumValues.implementation_status),
}
const measureTable = table('property_measures', {
  columns: {
    id: key(),
    scenario: reference('scenarios'),
    measure: reference('measures'),
    ...enums,
    recommended: boolean({ default: true }),
    description: text({ nullable: true, blank: true }),
    ...(Object.fromEntries(costs.map(name => [name, number({ nullable: true })])) as Record<
      (typeof costs)[number],
      ReturnType<typeof number<{ nullable: true }>>
    >),
  },
})

const schema = tables({
  owner: 'pairs',
  tables: [
    ...[
      objectTypeTable,
      versionTable,
      providerTable,
      ...providerParts,
      userTable,
      projectTable,
      projectUsers,
      rtdVersionTable,
    ],
    ...[propertyTable, scenarioTable, measureKindTable, measureTable],
    ...[organizationTable, managerTable, caTable, certTable, vpnTable, deviceTable, configTable],
  ],
})
type Member = Identity & { perms?: readonly string[]; isSuperuser?: boolean; buildProject?: number }
const { resource, rowFilter } = forTypes<Member, typeof schema>()

const objectTypes = (database: Database) => ({
  resources: [
    resource('objecttypes', {
      table: objectTypeTable,
      lookup: 'uuid',
      wire: 'camelCase',
      permissions: [authenticated],
      fields: {
        url: hyperlinkedIdentity(),
        ...objectTypeTable.pick(
          'uuid',
          'name',
          'name_plural',
          'description',
          'data_classification',
          'maintainer_organization',
          'maintainer_department',
          'contact_person',
          'contact_email',
          'source',
          'update_frequency',
          'provider_organization',
          'documentation_url',
          'labels',
        ),
        created_at: readOnly(date()),
        modified_at: readOnly(date()),
        ...objectTypeTable.pick('allow_geometry'),
        versions: computed({
          columns: ['id', 'uuid'],
          values: async (rows, { baseUrl }) => {
            const ids = rows.map(({ id }) => id as number)
            const all = await (database.kysely as Loose)
              .selectFrom('object_type_versions')
              .selectAll()
              .where('object_type_id', 'in', ids)
              .orderBy('version')
              .execute()
            return rows.map(row =>
              all
                .filter((each: Loose) => each.object_type_id === row.id)
                .map(({ version }: Loose) => `${baseUrl}/objecttypes/${row.uuid}/versions/${version}`),
            )
          },
        }),
      },
      hookColumns: ['created_at', 'modified_at'],
      prepare: ({ action, now: time }) => ({
        modified_at: time.slice(0, 10),
        ...(action === 'create' && { created_at: time.slice(0, 10) }),
      }),
      async beforeDestroy({ key: own, connection: { kysely } }) {
        const version = await kysely
          .selectFrom('object_type_versions')
          .select('id')
          .where('object_type_id', '=', own)
          .executeTakeFirst()
        if (version)
          throw new ValidationError(
            'All related versions should be destroyed before destroying the objecttype',
            'pending-versions',
          )
      },
      ordering: ['-id'],
      filters: { data_classification: true },
      pagination: pageNumber({ pageSize: 100, pageSizeQueryParam: 'pageSize', maxPageSize: 500 }),
    }),
  ],
  trailingSlash: false as const,
})

const textLookups = [
  ...(['exact', 'startswith', 'istartswith', 'endswith', 'iendswith', 'contains', 'icontains'] as const),
  ...(['in', 'isnull', 'regex', 'iregex'] as const),
]
const shownProvider = ['id', 'ui_url', 'name', 'cloud_sync_enabled', 'cloud_sync_driver'] as const
const providers = resource('cloud-providers', {
  table: providerTable,
  permissions: [
    authenticated,
    modelPermission('cloudprovider', { GET: 'view', POST: 'add', PUT: 'change', PATCH: 'change', DELETE: 'delete' }),
  ],
  fields: {
    ...providerTable.pick('id'),
    url: hyperlinkedIdentity(),
    ui_url: computed({ columns: ['id'], value: ({ id }) => `http://localhost/virtual/cloudprovider/${id}/` }),
    ...providerTable.pick('name', 'cloud_sync_enabled', 'cloud_sync_driver'),
  },
  perAction: { create: { shows: shownProvider }, update: { shows: shownProvider } },
  filters: {
    name: textLookups,
    name__ne: filter(text(), ({ row, value }) => sql`${row.name} <> ${value}`),
    cloud_sync_enabled: true,
    cloud_sync_driver: textLookups,
    cloud_sync_driver__ne: filter(text(), ({ row, value }) => sql`${row.cloud_sync_driver} <> ${value}`),
  },
  orderingFields: ['id', 'name', 'cloud_sync_enabled', 'cloud_sync_driver'],
  objectMethods: ({ objectView: define }) =>
    define({
      handlers: {
        DELETE: {
          body: { force: boolean({ default: false }) },
          async handle({ body, key: own, database }) {
            await database.transaction(async ({ kysely }: Loose) => {
              for (const part of ['cloud_flavors', 'cloud_hosts', 'cloud_projects'])
                if (
                  !body.force &&
                  (await kysely.selectFrom(part).select('id').where('provider_id', '=', own).executeTakeFirst())
                )
                  throw new Conflict(
                    'Cloud provider is in use and hence is not deletable. Use {"force": true} to force deletion.',
                  )
              await kysely.deleteFrom('cloud_providers').where('id', '=', own).execute()
            })
            return { status: 204 }
          },
        },
      },
    }),
  pagination: pageNumber({ pageSize: 10 }),
})

class Gone extends APIException {
  static override status = 410
  static override message =
    'List endpoint have been disabled due to heavy resource usage. Take into account than APIv2 is planned to be deprecated soon. Please use APIv3: https://docs.readthedocs.io/page/api/v3.html'
  static override code = 'disabled'
}
const goneErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof Gone ? { ...response, body: { error: 'disabled', msg: error.message } } : response
}
const hasBuildKey = ({ user }: { user: Identity }) => (user as Member).buildProject !== undefined
const readsOrBuilds: Permission = { allows: ({ user, method }) => isSafe(method) || hasBuildKey({ user }) }
const namesProject: Permission = {
  allows({ request, method }) {
    if (method === 'GET' && !new URL(request.url, 'http://x').searchParams.get('project__slug')?.trim())
      throw new Gone()
    return true
  },
}
const visibleVersions = rowFilter({
  or: [
    { project: callerValue('buildProject') as Loose },
    { privacy_level: 'public' },
    { 'project.project_users': { user: callerValue('id') } },
  ],
} as Loose)
const rtdUsers = resource('users', { table: userTable, actions: [], fields: userTable.pick('id', 'username') })
const rtdProjects = resource('project', {
  table: projectTable,
  actions: [],
  fields: {
    ...projectTable.pick(
      'id',
      'name',
      'slug',
      'description',
      'language',
      'programming_language',
      'repo',
      'repo_type',
      'default_version',
      'default_branch',
      'documentation_type',
    ),
    users: related(rtdUsers, { many: { table: 'project_users', own: 'project_id', other: 'user_id' } }),
    canonical_url: computed({ columns: ['slug'], value: ({ slug }) => `https://${slug}.readthedocs.io/` }),
    ...projectTable.pick('custom_prefix'),
    analytics_code: text({ nullable: true, visible: hasBuildKey }),
  },
})
const rtdVersions = resource('version', {
  table: rtdVersionTable,
  actions: ['list', 'retrieve', 'update'],
  permissions: [readsOrBuilds, visibleVersions],
  perAction: { list: { permissions: [readsOrBuilds, namesProject, visibleVersions] } },
  fields: {
    ...rtdVersionTable.pick('id'),
    project: nested({ of: rtdProjects, column: 'project_id' }),
    ...rtdVersionTable.pick('slug', 'identifier', 'verbose_name', 'privacy_level', 'active', 'built'),
    downloads: computed({
      columns: ['slug', 'has_pdf'],
      value: ({ slug, has_pdf }) => (has_pdf ? { pdf: `//p.readthedocs.io/_/downloads/en/${slug}/pdf/` } : {}),
    }),
    ...rtdVersionTable.pick('type', 'has_pdf', 'has_epub', 'has_htmlzip', 'documentation_type'),
    build_data: writeOnly(json({ nullable: true, visible: hasBuildKey })),
    canonical_url: {
      ...computed({ columns: ['slug'], value: ({ slug }) => `https://p.readthedocs.io/en/${slug}/` }),
      visible: hasBuildKey,
    },
    machine: boolean({ default: false, visible: hasBuildKey }),
    git_identifier: text({ nullable: true, visible: hasBuildKey }),
  },
  filters: { active: true, 'project.slug': true },
  pagination: pageNumber({ pageSize: 100 }),
})

const isManager = (model: string) =>
  modelPermission(model, { GET: 'view', POST: 'add', PUT: 'change', PATCH: 'change', DELETE: 'delete' })
const managed = { 'organization.organization_managers': { user: callerValue('id') } }
const organizations = resource('organizations', {
  table: organizationTable,
  actions: [],
  fields: organizationTable.pick('id', 'name', 'slug'),
  permissions: [
    rowFilter({ or: [callerValue('isSuperuser'), { organization_managers: { user: callerValue('id') } }] } as Loose),
  ],
})
const sharedOrManaged = rowFilter({ or: [callerValue('isSuperuser'), { organization: null }, managed] } as Loose)
const cas = resource('cas', {
  table: caTable,
  actions: [],
  fields: caTable.pick('id', 'name'),
  permissions: [sharedOrManaged],
})
const certs = resource('certs', {
  table: certTable,
  actions: [],
  fields: { ...certTable.pick('id'), ca: related(cas) },
  permissions: [sharedOrManaged],
})
const vpns = resource('vpn', {
  table: vpnTable,
  actions: ['list', 'create'],
  permissions: [authenticated, isManager('vpn'), rowFilter({ or: [callerValue('isSuperuser'), managed] } as Loose)],
  fields: {
    ...vpnTable.pick('id', 'name', 'host'),
    organization: related(organizations, { nullable: true }),
    ...vpnTable.pick('key'),
    ca: related(cas, { nullable: true }),
    cert: related(certs, { nullable: true }),
    ...vpnTable.pick('backend', 'notes', 'dh', 'config', 'created', 'modified'),
  },
  validate({ values }) {
    if (values.backend !== 'wireguard' && values.backend !== 'zerotier' && values.ca === null)
      throw new ValidationError({ ca: 'CA is required with this VPN backend' })
    // Stands for the schema of the backend.
    if (Array.isArray(values.config)) throw new ValidationError({ config: 'Invalid configuration triggered by "#/"' })
  },
  ordering: ['-created'],
  filters: {
    organization: true,
    organization_slug: where({ 'organization.slug': value(text()) }),
    backend: true,
    subnet: where({ subnet: value(uuid()) }),
  },
  pagination: pageNumber({ pageSize: 10, pageSizeQueryParam: 'page_size', maxPageSize: 100 }),
})
const configs = resource('configs', {
  table: configTable,
  actions: [],
  fields: {
    ...configTable.pick('status', 'error_reason', 'backend', 'templates', 'context', 'config'),
    device: related('device'),
  },
})
const devices = resource('device', {
  table: deviceTable,
  actions: [],
  permissions: [authenticated, isManager('device'), rowFilter({ or: [callerValue('isSuperuser'), managed] } as Loose)],
  fields: {
    ...deviceTable.pick('id', 'name'),
    organization: related(organizations),
    ...deviceTable.pick(
      'group',
      'mac_address',
      'key',
      'last_ip',
      'management_ip',
      'is_deactivated',
      'model',
      'os',
      'system',
      'notes',
    ),
    config: nested({
      of: configs,
      one: { reverse: 'device_id' },
      fields: ['status', 'error_reason', 'backend', 'templates', 'context', 'config'],
    }),
    ...deviceTable.pick('created', 'modified'),
  },
  objectViews: {
    activate: objectView({
      columns: ['is_deactivated'],
      handlers: {
        async POST({ key: own, object, database, represent }: Loose) {
          if (!object.is_deactivated) throw new NotFound('No Device matches the given query.')
          await database.transaction(async ({ kysely }: Loose) => {
            await kysely.updateTable('devices').set({ is_deactivated: false }).where('id', '=', own).execute()
            await kysely.updateTable('configs').set({ status: 'modified' }).where('device_id', '=', own).execute()
          })
          return { status: 200, body: await represent(own) }
        },
      },
    }),
  },
})

const measures = resource('property-measures', {
  table: measureTable,
  actions: [],
  fields: {
    ...measureTable.pick('id'),
    category: text({ source: via('measure_id', 'measures', 'category') }),
    name: text({ source: via('measure_id', 'measures', 'name') }),
    measure_id: computed(
      text(),
      ({ row }: Loose) => sql`(select category || '.' || name from measures where measures.id = ${row.measure_id})`,
    ),
    category_display_name: text({ source: via('measure_id', 'measures', 'category_display_name') }),
    display_name: text({ source: via('measure_id', 'measures', 'display_name') }),
    ...measureTable.pick(
      'category_affected',
      'application_scale',
      'recommended',
      'implementation_status',
      'cost_mv',
      'description',
      'cost_total_first',
      'cost_installation',
      'cost_material',
      'cost_capital_replacement',
      'cost_residual_value',
      'useful_life',
    ),
    scenario_id: integer({ column: 'scenario_id' }),
  },
} as Loose)
const failure = (message: string, status: number) => ({ status, body: { status: 'error', message } })
const findMeasures = ({ kysely }: Loose, { property, scenario, key: own }: Loose, user: Identity) => {
  const all = kysely
    .selectFrom('property_measures')
    .innerJoin('scenarios', 'scenarios.id', 'property_measures.scenario_id')
    .innerJoin('properties', 'properties.id', 'scenarios.property_id')
    .select('property_measures.id')
    .where('scenario_id', '=', Number(scenario))
    .where('properties.id', '=', Number(property))
    .where('properties.organization', '=', (user as Loose).organization)
    .orderBy('property_measures.id')
  return (own === undefined ? all : all.where('property_measures.id', '=', Number(own))).execute() as Promise<
    readonly { id: number }[]
  >
}
const isMember: Permission = { allows: ({ user }) => (user as Loose).organization !== undefined }
const measureErrors = { 400: json(), 404: object({ fields: { status: text(), message: text() } }) }
const measureList = view({
  name: 'Property measures',
  permissions: [authenticated, isMember],
  errors: measureErrors,
  handlers: {
    async GET({ database, parameters, user, represent }) {
      const property = await database.kysely
        .selectFrom('properties')
        .select('id')
        .where('id', '=', Number(parameters.property))
        .executeTakeFirst()
      if (property === undefined) return failure('No PropertyView found for given pks', 404)
      const rows = await findMeasures(database, parameters, user)
      return {
        status: 200,
        body: { status: 'success', data: await Promise.all(rows.map(({ id }) => represent(measures, id))) },
      }
    },
  },
})
const measureObject = view({
  name: 'Property measure',
  permissions: [authenticated, isMember],
  errors: measureErrors,
  handlers: {
    async GET({ database, parameters, user, represent }) {
      const [found] = await findMeasures(database, parameters, user)
      return found
        ? { status: 200, body: { status: 'success', data: await represent(measures, found.id) } }
        : failure('No Measure found for given pks', 404)
    },
    async PUT({ database, parameters, user, represent, requestBody }: Loose) {
      const [found] = await findMeasures(database, parameters, user)
      if (found === undefined) return failure('No Property Measure found with given pks', 404)
      const writable = ['description', 'recommended', ...costs, ...Object.keys(enums)]
      for (const [name, given] of Object.entries(requestBody.data)) {
        if (!writable.includes(name)) return failure(`"${name}" is not a valid property measure field`, 400)
        if (Object.hasOwn(enums, name) && !(enumValues as Loose)[name].includes(given))
          return { status: 400, body: { Success: false, Message: `Invalid ${name} value` } }
      }
      await database.transaction(({ kysely }: Loose) =>
        kysely.updateTable('property_measures').set(requestBody.data).where('id', '=', found.id).execute(),
      )
      return { status: 200, body: { status: 'success', data: await represent(measures, found.id) } }
    },
    async DELETE({ database, parameters, user }: Loose) {
      const [found] = await findMeasures(database, parameters, user)
      if (found === undefined) return failure('No Property Measure found with given pks', 404)
      await database.transaction(({ kysely }: Loose) =>
        kysely.deleteFrom('property_measures').where('id', '=', found.id).execute(),
      )
      return { status: 200, body: { status: 'success', message: 'Successfully Deleted Property Measure' } }
    },
  },
})

const ids = {
  organization: '0198e1b0-0000-7000-8000-000000000001',
  other: '0198e1b0-0000-7000-8000-000000000002',
  device: '0198e1b0-0000-7000-8000-000000000003',
}
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', {
        perms: ['cloudprovider', 'vpn', 'device'].flatMap(model =>
          ['view', 'add', 'change', 'delete'].map(each => `${each}_${model}`),
        ),
        isSuperuser: false,
      }),
      bob: caller(2, 'bob', { perms: ['view_cloudprovider', 'add_vpn', 'add_device'], isSuperuser: false }),
      sam: caller(4, 'sam', { organization: 1 }),
      builder: caller(3, 'builder', { buildProject: 1 }),
    },
    rows: {
      properties: [{ organization: 1 }],
      scenarios: [{ property_id: 1 }],
      measures: [{ category: 'boiler', name: 'tune', category_display_name: 'Boiler', display_name: 'Tune it' }],
      property_measures: [
        {
          scenario_id: 1,
          measure_id: 1,
          category_affected: 'Heating System',
          application_scale: 'Entire facility',
          implementation_status: 'Proposed',
          recommended: true,
        },
      ],
      cloud_providers: [{ name: 'aws', cloud_sync_enabled: false }],
      cloud_hosts: [{ provider_id: 1 }],
      users: [{ username: 'ann' }],
      projects: [
        {
          name: 'P',
          slug: 'p',
          description: '',
          language: 'en',
          programming_language: 'py',
          repo: 'r',
          repo_type: 'git',
          default_version: 'latest',
          documentation_type: 'sphinx',
          private: false,
          analytics_code: 'UA',
        },
      ],
      project_users: [{ project_id: 1, user_id: 1 }],
      versions: ['latest', 'secret'].map(slug => ({
        project_id: 1,
        slug,
        identifier: 'i',
        verbose_name: slug,
        privacy_level: slug === 'latest' ? 'public' : 'private',
        active: true,
        built: true,
        type: 'branch',
        has_pdf: true,
        has_epub: false,
        has_htmlzip: false,
        documentation_type: 'sphinx',
        machine: false,
      })),
      organizations: [
        { id: ids.organization, name: 'O', slug: 'o' },
        { id: ids.other, name: 'X', slug: 'x' },
      ],
      organization_managers: [{ organization_id: ids.organization, user: 1 }],
      devices: [
        {
          id: ids.device,
          name: 'd',
          organization_id: ids.organization,
          mac_address: 'aa',
          key: 'k',
          is_deactivated: true,
          model: '',
          os: '',
          system: '',
          notes: '',
          created: now,
          modified: now,
        },
      ],
      configs: [
        {
          id: ids.device,
          device_id: ids.device,
          status: 'deactivated',
          error_reason: '',
          backend: 'openwrt',
          templates: [],
          context: {},
          config: {},
        },
      ],
    },
    apis: {
      '/objects': objectTypes,
      '/ralph': { resources: [providers] },
      '/rtd': { resources: [rtdVersions, rtdProjects, rtdUsers], exceptionHandler: goneErrors },
      '/seed': {
        resources: [measures],
        views: {
          '/properties/:property/scenarios/:scenario/measures/': measureList,
          '/properties/:property/scenarios/:scenario/measures/:key/': measureObject,
        },
      },
      '/wisp': { resources: [vpns, devices, configs, organizations, cas, certs] },
    },
    pairs: {
      'objects-api ObjectTypeViewSet': [
        [
          'ann POST /objects/objecttypes',
          { uuid: ids.device, name: 'Tree', namePlural: 'Trees', dataClassification: 'intern' },
          201,
          {
            url: `http://localhost/objects/objecttypes/${ids.device}`,
            uuid: ids.device,
            name: 'Tree',
            namePlural: 'Trees',
            description: '',
            dataClassification: 'intern',
            maintainerOrganization: '',
            maintainerDepartment: '',
            contactPerson: '',
            contactEmail: '',
            source: '',
            updateFrequency: 'unknown',
            providerOrganization: '',
            documentationUrl: '',
            labels: {},
            createdAt: '2026-01-01',
            modifiedAt: '2026-01-01',
            allowGeometry: true,
            versions: [],
          },
        ],
        [
          `ann PATCH /objects/objecttypes/${ids.device}`,
          { uuid: ids.other },
          400,
          { uuid: ["This field can't be changed"] },
        ],
        ['ann GET /objects/objecttypes?dataClassification=open&pageSize=5', null, 200, /"count":0/],
        ['ann POST /objects/objecttypes', { name: 'x' }, 400, { namePlural: ['This field is required.'] }],
        ['- GET /objects/objecttypes', null, 401],
        [`ann DELETE /objects/objecttypes/${ids.device}`, null, 204],
      ],
      'ralph CloudProviderViewSet': [
        [
          'bob GET /ralph/cloud-providers/?name__startswith=aw',
          null,
          200,
          {
            count: 1,
            next: null,
            previous: null,
            results: [
              {
                id: 1,
                url: 'http://localhost/ralph/cloud-providers/1/',
                ui_url: 'http://localhost/virtual/cloudprovider/1/',
                name: 'aws',
                cloud_sync_enabled: false,
                cloud_sync_driver: null,
              },
            ],
          },
        ],
        ['bob GET /ralph/cloud-providers/?name__regex=^A', null, 200, /"count":0/],
        ['bob GET /ralph/cloud-providers/?name__iregex=^A.s$', null, 200, /"count":1/],
        ['bob GET /ralph/cloud-providers/?name__ne=aws', null, 200, /"count":0/],
        ['bob GET /ralph/cloud-providers/?cloud_sync_driver__regex=.', null, 200, /"count":0/],
        [
          'ann DELETE /ralph/cloud-providers/1/',
          null,
          409,
          { detail: 'Cloud provider is in use and hence is not deletable. Use {"force": true} to force deletion.' },
        ],
        ['bob DELETE /ralph/cloud-providers/1/', { force: true }, 403],
        ['ann DELETE /ralph/cloud-providers/1/', { force: true }, 204],
      ],
      'readthedocs VersionViewSet': [
        ['- GET /rtd/version/', null, 410, /^\{"error":"disabled","msg":"List endpoint have been/],
        ['- GET /rtd/version/?project__slug=p&active=true', null, 200, /"count":1/],
        [
          '- GET /rtd/version/1/',
          null,
          200,
          {
            id: 1,
            project: {
              id: 1,
              name: 'P',
              slug: 'p',
              description: '',
              language: 'en',
              programming_language: 'py',
              repo: 'r',
              repo_type: 'git',
              default_version: 'latest',
              default_branch: null,
              documentation_type: 'sphinx',
              users: [1],
              canonical_url: 'https://p.readthedocs.io/',
              custom_prefix: null,
            },
            slug: 'latest',
            identifier: 'i',
            verbose_name: 'latest',
            privacy_level: 'public',
            active: true,
            built: true,
            downloads: { pdf: '//p.readthedocs.io/_/downloads/en/latest/pdf/' },
            type: 'branch',
            has_pdf: true,
            has_epub: false,
            has_htmlzip: false,
            documentation_type: 'sphinx',
          },
        ],
        ['- GET /rtd/version/2/', null, 404],
        [
          'builder PATCH /rtd/version/2/',
          { built: false, build_data: { a: 1 } },
          200,
          /"analytics_code":"UA".*"built":false.*"canonical_url":"https.*"machine":false,"git_identifier":null/,
        ],
        ['- PATCH /rtd/version/1/', { built: false }, 401],
      ],
      'SEED PropertyMeasureViewSet': [
        [
          'sam GET /seed/properties/1/scenarios/1/measures/',
          null,
          200,
          {
            status: 'success',
            data: [
              {
                id: 1,
                category: 'boiler',
                name: 'tune',
                measure_id: 'boiler.tune',
                category_display_name: 'Boiler',
                display_name: 'Tune it',
                category_affected: 'Heating System',
                application_scale: 'Entire facility',
                recommended: true,
                implementation_status: 'Proposed',
                cost_mv: null,
                description: null,
                cost_total_first: null,
                cost_installation: null,
                cost_material: null,
                cost_capital_replacement: null,
                cost_residual_value: null,
                useful_life: null,
                scenario_id: 1,
              },
            ],
          },
        ],
        [
          'sam GET /seed/properties/9/scenarios/1/measures/',
          null,
          404,
          { status: 'error', message: 'No PropertyView found for given pks' },
        ],
        [
          'sam PUT /seed/properties/1/scenarios/1/measures/1/',
          { cost_mv: 3, implementation_status: 'Evaluated' },
          200,
          /"implementation_status":"Evaluated","cost_mv":3/,
        ],
        [
          'sam PUT /seed/properties/1/scenarios/1/measures/1/',
          { implementation_status: 'x' },
          400,
          { Success: false, Message: 'Invalid implementation_status value' },
        ],
        [
          'sam PUT /seed/properties/1/scenarios/1/measures/1/',
          { x: 1 },
          400,
          { status: 'error', message: '"x" is not a valid property measure field' },
        ],
        ['ann GET /seed/properties/1/scenarios/1/measures/1/', null, 403],
        [
          'sam DELETE /seed/properties/1/scenarios/1/measures/1/',
          null,
          200,
          { status: 'success', message: 'Successfully Deleted Property Measure' },
        ],
        [
          'sam GET /seed/properties/1/scenarios/1/measures/1/',
          null,
          404,
          { status: 'error', message: 'No Measure found for given pks' },
        ],
      ],
      'openwisp VpnListCreateView': [
        [
          'ann POST /wisp/vpn/',
          { name: 'v', host: 'h', organization: ids.organization, backend: 'wireguard', key: 'abc' },
          201,
          (response: Loose) => {
            const { id, ...shown } = response.json()
            const expected = {
              name: 'v',
              host: 'h',
              organization: ids.organization,
              key: 'abc',
              ca: null,
              cert: null,
              backend: 'wireguard',
              notes: '',
              dh: '',
              config: {},
              created: now,
              modified: now,
            }
            if (JSON.stringify(shown) !== JSON.stringify(expected)) throw new Error(JSON.stringify(shown))
          },
        ],
        [
          'ann POST /wisp/vpn/',
          { name: 'v', host: 'h', organization: ids.other, backend: 'openvpn' },
          400,
          { organization: [`Invalid pk "${ids.other}" - object does not exist.`] },
        ],
        [
          'ann POST /wisp/vpn/',
          { name: 'v', host: 'h', backend: 'openvpn' },
          400,
          { ca: ['CA is required with this VPN backend'] },
        ],
        ['ann GET /wisp/vpn/?organization_slug=o&backend=wireguard', null, 200, /"count":1/],
        ['bob GET /wisp/vpn/', null, 403],
      ],
      'openwisp DeviceActivateView': [
        [
          `ann POST /wisp/device/${ids.device}/activate/`,
          null,
          200,
          {
            id: ids.device,
            name: 'd',
            organization: ids.organization,
            group: null,
            mac_address: 'aa',
            key: 'k',
            last_ip: null,
            management_ip: null,
            is_deactivated: false,
            model: '',
            os: '',
            system: '',
            notes: '',
            config: {
              status: 'modified',
              error_reason: '',
              backend: 'openwrt',
              templates: [],
              context: {},
              config: {},
            },
            created: now,
            modified: now,
          },
        ],
        [`ann POST /wisp/device/${ids.device}/activate/`, null, 404, { detail: 'No Device matches the given query.' }],
        [`bob POST /wisp/device/${ids.device}/activate/`, null, 404],
      ],
    },
  },
  (name, run) => test(name, run),
)
