// Pairs of IntelOwl and Flagsmith.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  choice,
  computed,
  type Database,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  list,
  object,
  objectView,
  type Permission,
  PermissionDenied,
  related,
  text,
  ValidationError,
  view,
} from 'resource-api'
import { reference, table, tables, updated } from 'resource-api/tables'
import { caller, type Loose, now, numbered, testPairs } from './support.ts'

// IntelOwl
const moduleTable = table('python_modules', { columns: { id: key(), module: text({ unique: 'taken' }) } })
const parameterTable = table('parameters', {
  columns: {
    id: key(),
    python_module: reference('python_modules'),
    name: text(),
    type: text(),
    description: text({ default: '', blank: true }),
    required: boolean(),
    is_secret: boolean(),
    value: json({ nullable: true }),
  },
})
const analyzerTable = table('analyzers', {
  columns: {
    id: key(),
    name: text({ max: 100, unique: 'analyzer config with this name already exists.' }),
    description: text(),
    disabled: boolean({ default: false }),
    health_check_status: boolean({ default: true }),
    routing_key: text({ default: 'default' }),
    soft_time_limit: integer({ default: 60 }),
    type: choice(['file', 'observable']),
    docker_based: boolean({ default: false }),
    maximum_tlp: choice(['CLEAR', 'GREEN', 'AMBER', 'RED'], { default: 'RED' }),
    python_module: reference('python_modules'),
    observable_supported: list({ of: text(), default: [] }),
  },
})
const orgConfigTable = table('org_configs', {
  columns: {
    id: key(),
    analyzer: reference('analyzers', { onDelete: 'cascade' }),
    organization: integer(),
    disabled: boolean(),
  },
})

// Flagsmith
const environmentTable = table('environments', {
  columns: { id: key(), key: text(), updated_at: updated(), hide_sensitive_data: boolean({ default: false }) },
})
const featureTable = table('features', {
  columns: {
    id: key(),
    environment: reference('environments'),
    name: text(),
    type: text(),
    value: json({ nullable: true }),
    enabled: boolean(),
    is_server_key_only: boolean(),
  },
})
const identityTable = table('identities', {
  columns: { id: key(), environment: reference('environments'), identifier: text() },
  unique: [['environment', 'identifier']],
})
const traitTable = table('traits', {
  columns: { id: key(), identity: reference('identities'), trait_key: text(), trait_value: json({ nullable: true }) },
  unique: [['identity', 'trait_key']],
})

const schema = tables({
  owner: 'pairs',
  tables: [
    moduleTable,
    parameterTable,
    analyzerTable,
    orgConfigTable,
    environmentTable,
    featureTable,
    identityTable,
    traitTable,
  ],
})
type Member = Identity & {
  organization?: number
  isAdmin?: boolean
  isSuperuser?: boolean
  environment?: number
  isServer?: boolean
}
const { resource } = forTypes<Member, typeof schema>()

// IntelOwl AnalyzerConfigViewSet. Plug-ins are functions here; the original loads classes.
const plugins: Readonly<Record<string, { healthCheck?: () => boolean; update?: () => boolean }>> = {
  'a.Checked': { healthCheck: () => true, update: () => true },
  'a.Plain': {},
}
const needsAdmin: Permission = {
  allows: ({ user }) => Boolean((user as Member).organization ? (user as Member).isAdmin : false),
}
const mayChange: Permission = {
  allowsSafe: true,
  columns: [],
  allowsObject: ({ user, method }) =>
    method === 'GET' ||
    Boolean((user as Member).organization ? (user as Member).isAdmin : (user as Member).isSuperuser),
}
const intelOwl = (database: Database) => {
  const run = async (key: unknown, name: 'healthCheck' | 'update', missing: string) => {
    const row = await (database.kysely as Loose)
      .selectFrom('analyzers')
      .innerJoin('python_modules', 'python_modules.id', 'analyzers.python_module_id')
      .select('module')
      .where('analyzers.id', '=', key)
      .executeTakeFirst()
    const work = plugins[row.module]?.[name]
    if (work === undefined) throw new ValidationError({ detail: missing })
    return { status: 200, body: { status: work() } }
  }
  const setDisabled = (disabled: boolean, status: number, word: string) => ({
    permissions: [authenticated, needsAdmin],
    async handle({ key: analyzer_id, object, user }: Loose) {
      await database.transaction(async ({ kysely }: Loose) => {
        const own = kysely
          .selectFrom('org_configs')
          .selectAll()
          .where('analyzer_id', '=', analyzer_id)
          .where('organization', '=', user.organization)
        const config = await own.executeTakeFirst()
        if (Boolean(config?.disabled) === disabled)
          throw new ValidationError({ detail: `Plugin ${object.name} already ${word}` })
        if (config)
          await kysely
            .updateTable('org_configs')
            .set({ disabled: sql.raw(String(disabled)) })
            .where('id', '=', config.id)
            .execute()
        else
          await kysely
            .insertInto('org_configs')
            .values({ analyzer_id, organization: user.organization, disabled: sql.raw(String(disabled)) })
            .execute()
      })
      return { status }
    },
  })
  const modules = resource('python-modules', {
    table: moduleTable,
    actions: [],
    fields: moduleTable.pick('id', 'module'),
  })
  const findParameters = async (names: readonly unknown[]): Promise<readonly Loose[]> =>
    (database.kysely as Loose)
      .selectFrom('parameters')
      .innerJoin('analyzers', 'analyzers.python_module_id', 'parameters.python_module_id')
      .select([
        'analyzers.name as analyzer',
        'parameters.id',
        'parameters.name',
        'parameters.type',
        'parameters.description',
        'required',
        'is_secret',
        'value',
      ])
      .where('analyzers.name', 'in', names)
      .orderBy('parameters.id')
      .execute()
  const describe = ({ id, name, type, description, required, is_secret }: Loose, value: unknown = null) => ({
    ...{ id, name, type, description, required: Boolean(required), value, is_secret: Boolean(is_secret) },
  })
  /** A value of each row from the parameters of its module. */
  const fromParameters = (create: (parameters: readonly Loose[]) => unknown) =>
    computed({
      columns: ['name'],
      values: async rows => {
        const all = await findParameters(rows.map(({ name }) => name))
        return rows.map(({ name }) => create(all.filter(({ analyzer }) => analyzer === name)))
      },
    })
  const byName = (isSecret: boolean) =>
    fromParameters(all =>
      Object.fromEntries(
        all
          .filter(({ is_secret }) => Boolean(is_secret) === isSecret)
          .map(each => {
            const { name, ...rest } = describe(each, each.value)
            return [name, rest]
          }),
      ),
    )
  const verification = fromParameters(all => {
    const missing = all.filter(({ required, value }) => required && value === null).map(({ name }) => name)
    const details = `${missing.join(', ')} secret${missing.length === 1 ? '' : 's'} not set; (${all.length - missing.length} of ${all.length} satisfied)`
    return {
      configured: missing.length === 0,
      details: missing.length === 0 ? 'Ready to use!' : details,
      missing_secrets: missing,
    }
  })
  const shown = [
    'id',
    'name',
    'description',
    'disabled',
    'config',
    'type',
    'docker_based',
    'maximum_tlp',
    'python_module',
    'observable_supported',
  ] as const
  const single = { shows: [...shown, 'parameters'] }
  const changes = { permissions: [authenticated, mayChange] }
  return {
    resources: [
      modules,
      resource('analyzer', {
        table: analyzerTable,
        lookup: 'name',
        permissions: [authenticated],
        perAction: {
          list: { shows: [...shown, 'secrets', 'params', 'verification'] },
          retrieve: single,
          create: single,
          update: { ...changes, ...single },
          destroy: changes,
        } as Loose,
        fields: {
          ...analyzerTable.pick('id', 'name', 'description'),
          disabled: computed(
            boolean(),
            ({ row, caller: who }) =>
              sql`(${row.disabled} or ${row.health_check_status} or exists (select 1 from org_configs where org_configs.analyzer_id = ${row.id} and org_configs.organization = ${(who as Loose).organization} and org_configs.disabled))`,
          ),
          config: computed({
            columns: ['routing_key', 'soft_time_limit'],
            value: ({ routing_key, soft_time_limit }) => ({ queue: routing_key, soft_time_limit }),
          }),
          ...analyzerTable.pick('type', 'docker_based', 'maximum_tlp'),
          python_module: related(modules, { by: 'module' }),
          ...analyzerTable.pick('observable_supported'),
          parameters: fromParameters(all => all.map(each => describe(each))),
          secrets: byName(true),
          params: byName(false),
          verification,
        },
        ordering: ['name'],
        filters: { type: true, observable_supported: ['contains'] },
        pagination: numbered(
          10,
          ({ items, count, pages }) => `{"count":${count},"total_pages":${pages},"results":${items}}`,
        ),
        objectViews: {
          health_check: objectView({
            handlers: { GET: ({ key: own }: Loose) => run(own, 'healthCheck', 'No healthcheck implemented') },
          }),
          pull: objectView({
            handlers: { POST: ({ key: own }: Loose) => run(own, 'update', 'This Plugin has no Update implemented') },
          }),
          organization: objectView({
            columns: ['name'],
            handlers: { POST: setDisabled(true, 201, 'disabled'), DELETE: setDisabled(false, 202, 'enabled') } as Loose,
          }),
        },
      } as Loose),
    ],
  }
}

// Flagsmith SDKIdentities. A feature has one value here; the original evaluates segments and variants.
const updatedAt = (environment: Loose) => ({
  'x-flagsmith-updated-at': String(Date.parse(environment.updated_at) / 1000),
})
const hasEnvironment: Permission = {
  allows({ user }) {
    if ((user as Member).environment === undefined) throw new PermissionDenied('Missing or invalid Environment Key')
    return true
  },
}
const describeFlag = (environment: Loose, { id, name, type, text: value, enabled }: Loose) => ({
  id: environment.hide_sensitive_data ? null : id,
  feature: { id, name, type },
  feature_state_value: value === null ? null : JSON.parse(value),
  environment: environment.hide_sensitive_data ? null : environment.id,
  identity: null,
  feature_segment: null,
  enabled: Boolean(enabled),
  variant: null,
})
const findState = async ({ kysely }: Loose, user: Member) => {
  const environment = await kysely
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', user.environment)
    .executeTakeFirstOrThrow()
  const features = await kysely
    .selectFrom('features')
    .selectAll()
    .select(sql`cast(value as text)`.as('text'))
    .where('environment_id', '=', user.environment)
    .orderBy('id')
    .execute()
  return { environment, features: features.filter((each: Loose) => user.isServer || !each.is_server_key_only) }
}
const identify = async ({ kysely }: Loose, environment_id: unknown, identifier: string) => {
  await kysely
    .insertInto('identities')
    .values({ environment_id, identifier })
    .onConflict((clash: Loose) => clash.doNothing())
    .execute()
  return kysely
    .selectFrom('identities')
    .select('id')
    .where('environment_id', '=', environment_id)
    .where('identifier', '=', identifier)
    .executeTakeFirstOrThrow()
}
const readTraits = async ({ kysely }: Loose, identity: unknown) => {
  const rows = await kysely
    .selectFrom('traits')
    .selectAll()
    .select(sql`cast(trait_value as text)`.as('text'))
    .where('identity_id', '=', identity)
    .orderBy('id')
    .execute()
  return rows.map(({ id, trait_key, text: json }: Loose) => ({ id, trait_key, trait_value: JSON.parse(json) }))
}
const sdkIdentities = view({
  name: 'SDK identities',
  permissions: [hasEnvironment],
  errors: { 404: object({ fields: { detail: text() } }) },
  handlers: {
    GET: {
      query: {
        identifier: text({ nullable: true }),
        transient: boolean({ default: false }),
        feature: text({ nullable: true }),
      },
      async handle({ query: { identifier, transient, feature }, user, database }: Loose) {
        if (!identifier) return { status: 200, body: { detail: 'Missing identifier' } }
        return database.transaction(async (connection: Loose) => {
          const { environment, features } = await findState(connection, user)
          const headers = updatedAt(environment)
          const identity = transient ? undefined : await identify(connection, environment.id, identifier)
          if (feature !== null) {
            const found = features.find(({ name }: Loose) => name === feature)
            if (found === undefined) return { status: 404, headers, body: { detail: 'Given feature not found' } }
            return { status: 200, headers, body: describeFlag(environment, found) }
          }
          const traits =
            identity === undefined || environment.hide_sensitive_data ? [] : await readTraits(connection, identity.id)
          return {
            status: 200,
            headers,
            body: { identifier, traits, flags: features.map((each: Loose) => describeFlag(environment, each)) },
          }
        })
      },
    },
    POST: {
      body: {
        identifier: text({ nullable: true, blank: true }),
        transient: boolean({ default: false }),
        traits: list({
          of: object({
            fields: {
              trait_key: text(),
              trait_value: json({ nullable: true }),
              transient: boolean({ default: false }),
            },
          }),
          default: [],
        }),
      },
      async handle({ body, user, database }: Loose) {
        const tooLong = body.traits.findIndex(
          ({ trait_value }: Loose) => typeof trait_value === 'string' && trait_value.length > 2000,
        )
        if (tooLong >= 0)
          throw new ValidationError({
            traits: { [tooLong]: { trait_value: ['Value string is too long. Must be less than 2000 character'] } },
          })
        return database.transaction(async (connection: Loose) => {
          const { environment, features } = await findState(connection, user)
          const identifier = body.identifier || `transient_${environment.key}`
          let traits = body.traits.map(({ trait_key, trait_value }: Loose) => ({ id: null, trait_key, trait_value }))
          if (body.identifier && !body.transient) {
            const identity = await identify(connection, environment.id, identifier)
            for (const { trait_key, trait_value, transient } of body.traits) {
              if (transient) continue
              const row = { identity_id: identity.id, trait_key, trait_value: JSON.stringify(trait_value) }
              await connection.kysely
                .insertInto('traits')
                .values(row)
                .onConflict((clash: Loose) =>
                  clash.columns(['identity_id', 'trait_key']).doUpdateSet({ trait_value: row.trait_value }),
                )
                .execute()
            }
            traits = await readTraits(connection, identity.id)
          }
          const flags = features.map((each: Loose) => describeFlag(environment, each))
          return {
            status: 200,
            headers: updatedAt(environment),
            body: { identifier, traits: environment.hide_sensitive_data ? [] : traits, flags },
          }
        })
      },
    },
  },
})

const flag = {
  id: 1,
  feature: { id: 1, name: 'dark', type: 'STANDARD' },
  feature_state_value: 'on',
  environment: 1,
  identity: null,
  feature_segment: null,
  enabled: true,
  variant: null,
}
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { organization: 1, isAdmin: true }),
      bob: caller(2, 'bob', { organization: 1 }),
      client: caller(3, 'client', { environment: 1 }),
    },
    rows: {
      python_modules: [{ module: 'a.Checked' }, { module: 'a.Plain' }],
      parameters: [
        {
          python_module_id: 1,
          name: 'key',
          type: 'str',
          description: '',
          required: true,
          is_secret: true,
          value: null,
        },
        {
          python_module_id: 1,
          name: 'depth',
          type: 'int',
          description: 'd',
          required: false,
          is_secret: false,
          value: { a: 3 },
        },
      ],
      analyzers: [
        {
          name: 'Old',
          description: 'o',
          disabled: false,
          health_check_status: false,
          routing_key: 'q',
          soft_time_limit: 5,
          type: 'file',
          docker_based: false,
          maximum_tlp: 'RED',
          python_module_id: 2,
          observable_supported: '[]',
        },
      ],
      environments: [{ key: 'k', updated_at: now, hide_sensitive_data: false }],
      features: [
        { environment_id: 1, name: 'dark', type: 'STANDARD', value: '"on"', enabled: true, is_server_key_only: false },
        { environment_id: 1, name: 'server', type: 'STANDARD', enabled: true, is_server_key_only: true },
      ],
    },
    apis: { '/intelowl': intelOwl, '/flagsmith': { views: { '/identities/': sdkIdentities } } },
    pairs: {
      'IntelOwl AnalyzerConfigViewSet': [
        [
          'ann POST /intelowl/analyzer/',
          {
            name: 'New',
            description: 'n',
            type: 'observable',
            python_module: 'a.Checked',
            observable_supported: ['ip'],
          },
          201,
          {
            id: 2,
            name: 'New',
            description: 'n',
            disabled: true,
            config: { queue: 'default', soft_time_limit: 60 },
            type: 'observable',
            docker_based: false,
            maximum_tlp: 'RED',
            python_module: 'a.Checked',
            observable_supported: ['ip'],
            parameters: [
              { id: 1, name: 'key', type: 'str', description: '', required: true, value: null, is_secret: true },
              { id: 2, name: 'depth', type: 'int', description: 'd', required: false, value: null, is_secret: false },
            ],
          },
        ],
        [
          'ann GET /intelowl/analyzer/?type=observable',
          null,
          200,
          /"secrets":\{"key":\{"id":1,.*"params":\{"depth":.*"verification":\{"configured":false,"details":"key secret not set; \(1 of 2 satisfied\)","missing_secrets":\["key"\]\}/,
        ],
        [
          'ann POST /intelowl/analyzer/',
          { name: 'Old', description: 'n', type: 'file', python_module: 'x' },
          400,
          {
            name: ['analyzer config with this name already exists.'],
            python_module: ['Object with module=x does not exist.'],
          },
        ],
        ['ann GET /intelowl/analyzer/New/health_check/', null, 200, { status: true }],
        ['ann GET /intelowl/analyzer/Old/health_check/', null, 400, { detail: 'No healthcheck implemented' }],
        ['ann POST /intelowl/analyzer/Old/pull/', null, 400, { detail: 'This Plugin has no Update implemented' }],
        ['ann POST /intelowl/analyzer/Old/organization/', null, 201],
        ['ann POST /intelowl/analyzer/Old/organization/', null, 400, { detail: 'Plugin Old already disabled' }],
        ['ann GET /intelowl/analyzer/Old/', null, 200, /"disabled":true/],
        ['ann DELETE /intelowl/analyzer/Old/organization/', null, 202],
        ['bob POST /intelowl/analyzer/Old/organization/', null, 403],
        ['bob PATCH /intelowl/analyzer/New/', { description: 'x' }, 403],
        ['ann DELETE /intelowl/analyzer/New/', null, 204],
      ],
      'Flagsmith SDKIdentities': [
        [
          'client POST /flagsmith/identities/',
          { identifier: 'zoe', traits: [{ trait_key: 'age', trait_value: 7 }] },
          200,
          { identifier: 'zoe', traits: [{ id: 1, trait_key: 'age', trait_value: 7 }], flags: [flag] },
        ],
        [
          'client GET /flagsmith/identities/?identifier=zoe',
          null,
          200,
          (response: Loose) => {
            if (response.headers.get('x-flagsmith-updated-at') !== '1767225600' || response.json().traits.length !== 1)
              throw new Error(response.text)
          },
        ],
        ['client GET /flagsmith/identities/?identifier=zoe&feature=dark', null, 200, flag],
        [
          'client GET /flagsmith/identities/?identifier=zoe&feature=x',
          null,
          404,
          { detail: 'Given feature not found' },
        ],
        ['client GET /flagsmith/identities/', null, 200, { detail: 'Missing identifier' }],
        [
          'client POST /flagsmith/identities/',
          { traits: [{}] },
          400,
          { traits: { 0: { trait_key: ['This field is required.'] } } },
        ],
        ['ann GET /flagsmith/identities/?identifier=zoe', null, 403, { detail: 'Missing or invalid Environment Key' }],
      ],
    },
  },
  (name, run) => test(name, run),
)
