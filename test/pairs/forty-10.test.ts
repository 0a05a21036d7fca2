// A pair of galaxy_ng, with what it inherits of pulp_ansible and pulpcore.

import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  boolean,
  computed,
  dateTime,
  type ExceptionHandler,
  exceptionHandler,
  filter,
  type Identity,
  integer,
  JsonText,
  json,
  key,
  list,
  nested,
  number,
  type Permission,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  textKey,
  uuid,
  uuidKey,
  ValidationError,
} from 'resource-api'
import { type Paginator, parseCount } from 'resource-api/extend'
import { reference, table, tables } from 'resource-api/tables'
import { ignored, roleTables } from './pulp.ts'
import { caller, type Loose, now, type Step, testPairs } from './support.ts'

const content = {
  id: key(),
  pulp_created: dateTime(),
  pulp_last_updated: dateTime(),
  timestamp_of_interest: dateTime(),
}
const urls = { documentation: text(), homepage: text(), issues: text(), repository: text() }
const repositoryTable = table('ansible_repositories', {
  key: uuidKey(),
  columns: { id: key(), name: text(), private: boolean({ default: false }) },
})
const versionTable = table('repository_versions', {
  key: uuidKey(),
  columns: {
    id: key(),
    repository: reference('ansible_repositories'),
    number: integer(),
    complete: boolean({ default: true }),
  },
})
const membershipTable = table('repository_content', {
  columns: {
    id: key(),
    content: uuid({ column: 'content_id' }),
    repository: reference('ansible_repositories'),
    version_added: reference('repository_versions'),
    version_removed: reference('repository_versions', { nullable: true }),
  },
})
const distributionTable = table('distributions', {
  key: uuidKey(),
  columns: {
    id: key(),
    base_path: text({ unique: 'taken' }),
    repository: reference('ansible_repositories', { nullable: true }),
    repository_version: reference('repository_versions', { nullable: true }),
  },
})
const contentTable = table('collection_versions', {
  key: uuidKey(),
  columns: {
    ...content,
    ...urls,
    pulp_type: text(),
    upstream_id: uuid({ nullable: true }),
    collection_id: uuid(),
    namespace: text(),
    name: text(),
    version: text(),
    version_major: integer(),
    version_minor: integer(),
    version_patch: integer(),
    version_prerelease: text({ blank: true }),
    // A text that sorts as semantic versions, and one that sorts as the collation of the column of pulp_ansible.
    precedence: text(),
    version_key: text(),
    requires_ansible: text({ nullable: true }),
    description: text({ blank: true }),
    sha256: text(),
    ...Object.fromEntries(
      ['pulp_labels', 'authors', 'license', 'tags', 'contents', 'dependencies', 'docs_blob', 'manifest', 'files'].map(
        name => [name, json()],
      ),
    ),
  } as Loose,
})
const signatureTable = table('collection_signatures', {
  key: uuidKey(),
  columns: {
    id: key(),
    signed_collection: reference('collection_versions'),
    data: text(),
    pubkey_fingerprint: text(),
    signing_service: text({ nullable: true }),
  },
})
const deprecationTable = table('collection_deprecations', {
  key: uuidKey(),
  columns: { id: key(), namespace: text(), name: text() },
})
const namespaceTable = table('namespaces', {
  columns: {
    id: key(),
    name: text({ unique: 'taken' }),
    ...{ company: text({ blank: true }), email: text({ blank: true }), avatar_url: text({ blank: true }) },
    ...{ description: text({ blank: true }), resources: text({ blank: true }) },
    metadata: uuid({ nullable: true, column: 'metadata_id' }),
    avatar_sha256: text({ nullable: true }),
  },
})
const linkTable = table('namespace_links', {
  columns: { id: key(), namespace: reference('namespaces'), name: text(), url: text() },
})
const schema = tables({
  owner: 'pairs',
  tables: [
    ...roleTables,
    repositoryTable,
    versionTable,
    membershipTable,
    distributionTable,
    contentTable,
    signatureTable,
    deprecationTable,
    namespaceTable,
    linkTable,
  ],
})

// `RepositoryVersion.content`; `AnsibleDistributionMixin`; and the collection versions of each distribution.
const latest =
  'select v.id from repository_versions v where v.complete and v.repository_id = r.id order by v.number desc limit 1'
const href = '/api/galaxy/pulp/api/v3/repositories/ansible/ansible/'
const views = [
  `create view version_content as select distinct v.id as version_id, m.content_id from repository_versions v
    join repository_content m on m.repository_id = v.repository_id
    join repository_versions a on a.id = m.version_added_id
    left join repository_versions o on o.id = m.version_removed_id
    where a.number <= v.number and (o.number is null or o.number > v.number)`,
  `create view version_names as
    select v.id as version_id, '${href}' || cast(v.repository_id as text) || '/versions/' || cast(v.number as text) || '/' as name
      from repository_versions v
    union all select v.id, 'prn:core.repositoryversion:' || cast(v.id as text) from repository_versions v
    union all select (${latest}), '${href}' || cast(r.id as text) || '/' from ansible_repositories r
    union all select (${latest}), 'prn:ansible.ansiblerepository:' || cast(r.id as text) from ansible_repositories r`,
  `create view distribution_content as select d.id as distribution_id, d.repository_id, c.content_id from distributions d
    left join ansible_repositories r on r.id = d.repository_id
    join version_content c on c.version_id = coalesce(d.repository_version_id, (${latest}))`,
  `create view distribution_versions as select cast(d.distribution_id as text) || ':' || cast(v.id as text) as row_id,
      d.distribution_id, d.repository_id, v.*,
      case when exists (select 1 from collection_signatures s
        join distribution_content x on x.content_id = s.id and x.distribution_id = d.distribution_id
        where s.signed_collection_id = v.id) then 'signed' else 'unsigned' end as sign_state,
      exists (select 1 from collection_deprecations e
        join distribution_content x on x.content_id = e.id and x.distribution_id = d.distribution_id
        where e.namespace = v.namespace and e.name = v.name) as deprecated,
      not exists (select 1 from collection_versions o
        join distribution_content x on x.content_id = o.id and x.distribution_id = d.distribution_id
        where o.collection_id = v.collection_id
          and (o.precedence > v.precedence or (o.precedence = v.precedence and o.id < v.id))) as is_highest
    from distribution_content d join collection_versions v on v.id = d.content_id`,
]

// galaxy_ng CollectionViewSet. A version with two signatures is in a list once, and an unknown distribution is 404: the original lists the
// version twice, and responds 500.
const parse = (given: Loose) => (typeof given === 'string' ? JSON.parse(given) : given)
const kyselyOf = (context: Loose) => context.view.connection().kysely

/** The permissions of the roles that a caller has for all objects, or for this one. */
async function listPermissions(kysely: Loose, user: Loose, type: string, id: unknown): Promise<ReadonlySet<string>> {
  if (!user.isAuthenticated) return new Set()
  const isMeant = sql`(object_id is null or (content_type = ${type} and object_id = ${String(id)}))`
  const { rows } = await sql`select permission from role_permissions where role_id in (
    select role_id from user_roles where user_id = ${user.id} and ${isMeant}
    union all select role_id from group_roles where ${isMeant} and group_id in (
      select group_id from group_members where user_id = ${user.id}))`.execute(kysely)
  return new Set(rows.map(({ permission }: Loose) => permission))
}
const may = async (kysely: Loose, user: Loose, permission: string, type: string, id: unknown) =>
  user.isSuperuser === true || (await listPermissions(kysely, user, type, id)).has(permission)

/** `CollectionAccessPolicy`. */
const seesRepository = (isOpen: boolean): Permission => ({
  async allows({ user, method, request, view }: Loose) {
    if (method !== 'GET' && method !== 'HEAD') return false
    if (!(user.isAuthenticated || isOpen)) return false
    const { kysely } = view.connection()
    const repository = await kysely
      .selectFrom('distributions')
      .innerJoin('ansible_repositories', 'ansible_repositories.id', 'repository_id')
      .select(['ansible_repositories.id', 'private'])
      .where('base_path', '=', request.params.repo_key)
      .executeTakeFirst()
    if (!repository?.private) return true
    return may(kysely, user, 'ansible.view_ansiblerepository', 'ansible.ansiblerepository', repository.id)
  },
})

/** `json.dumps(…, sort_keys=True)` of Python. */
const dumps = (value: Loose): string => {
  if (typeof value === 'string')
    return JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  if (value === null) return 'null'
  const members = Object.keys(value).sort()
  return `{${members.map(name => `${dumps(name)}: ${dumps(value[name])}`).join(', ')}}`
}
const rolesOf = (owner: 'user' | 'group', column: string) =>
  computed({
    columns: ['id'],
    async values(rows: Loose, context: Loose) {
      const found = await kyselyOf(context)
        .selectFrom(`${owner}_roles`)
        .innerJoin('roles', 'roles.id', 'role_id')
        .innerJoin(`${owner}s`, `${owner}s.id`, `${owner}_id`)
        .select([`${owner}s.id as id`, `${owner}s.${column} as name`, 'roles.name as role', 'object_id'])
        .where('content_type', '=', 'galaxy.namespace')
        .orderBy(`${owner}_roles.id`)
        .execute()
      return rows.map(({ id: own }: Loose) => {
        const shown = new Map<number, Loose>()
        for (const { id, name, role, object_id } of found) {
          if (object_id !== String(own)) continue
          const one = shown.get(id) ?? { id, name, object_roles: [] }
          one.object_roles.push(role)
          shown.set(id, one)
        }
        return [...shown.values()]
      })
    },
  } as Loose)
const ofNamespace = ['add', 'change', 'delete', 'upload_to', 'view'].map(each => `galaxy.${each}_namespace`)
const summary = ['name', 'company', 'email', 'description', 'resources', 'avatar_sha256'] as const
/** `NamespaceSummarySerializer`. */
const namespaces = resource('namespaces', {
  table: 'namespaces',
  key: textKey({ column: 'name' }),
  actions: [],
  fields: {
    pulp_href: computed({
      columns: ['id'],
      value: ({ id }) => `/api/galaxy/pulp/api/v3/pulp_ansible/namespaces/${id}/`,
    }),
    id: readOnly(integer()),
    name: key(),
    ...{ company: text(), email: text(), description: text() },
    avatar_url: computed({
      columns: ['avatar_url', 'metadata_id', 'avatar_sha256'],
      value: ({ avatar_url, metadata_id, avatar_sha256 }) =>
        avatar_sha256
          ? `https://galaxy.example/api/galaxy/pulp/api/v3/content/ansible/namespaces/${metadata_id}/avatar/`
          : avatar_url,
    }),
    groups: rolesOf('group', 'name'),
    users: rolesOf('user', 'username'),
    related_fields: computed({
      columns: ['id'],
      async values(rows: Loose, context: Loose) {
        const { user, request } = context
        if (![request.query.include_related].flat().includes('my_permissions')) return rows.map(() => ({}))
        return Promise.all(
          rows.map(async ({ id }: Loose) => {
            const held = await listPermissions(kyselyOf(context), user, 'galaxy.namespace', id)
            return { my_permissions: ofNamespace.filter(each => user.isSuperuser || held.has(each)) }
          }),
        )
      },
    } as Loose),
    metadata_sha256: computed({
      columns: ['id', ...summary],
      async values(rows: Loose, context: Loose) {
        const all = await kyselyOf(context).selectFrom('namespace_links').selectAll().orderBy('id').execute()
        return rows.map((row: Loose) => {
          const own = all.filter((link: Loose) => link.namespace_id === row.id)
          const links = Object.fromEntries(own.map(({ name, url }: Loose) => [name, url]))
          const metadata = { ...Object.fromEntries(summary.map(name => [name, row[name]])), links }
          return createHash('sha256').update(dumps(metadata)).digest('hex')
        })
      },
    } as Loose),
    avatar_sha256: text({ nullable: true }),
  },
} as Loose)

const rows = { table: 'distribution_versions', key: textKey({ column: 'row_id' }) }
const inRow = { id: readOnly(uuid()), name: text(), version: text() }
/** Whether the repository of the distribution has, or once had, a signature. */
const isSigned = computed(
  text(),
  ({
    row,
  }) => sql`case when exists (select 1 from collection_signatures s join repository_content c on c.content_id = s.id
    where s.signed_collection_id = ${row.id} and c.repository_id = ${row.repository_id}) then 'signed' else 'unsigned' end`,
)
const metadata = resource('collection-metadata', {
  ...rows,
  actions: [],
  fields: {
    ...{ dependencies: json(), contents: json() },
    ...{ documentation: text(), homepage: text(), issues: text(), repository: text(), description: text() },
    ...{ authors: json(), license: json(), tags: json() },
    signatures: computed({
      columns: ['id', 'repository_id'],
      async values(given: Loose, context: Loose) {
        const found = await kyselyOf(context)
          .selectFrom('collection_signatures as s')
          .innerJoin('repository_content as c', 'c.content_id', 's.id')
          .select(['signed_collection_id', 'repository_id', 'data', 'pubkey_fingerprint', 'signing_service'])
          .where('signed_collection_id', 'in', [...new Set(given.map(({ id }: Loose) => id))])
          .orderBy('c.id')
          .execute()
        return given.map(({ id, repository_id }: Loose) =>
          found
            .filter((each: Loose) => each.signed_collection_id === id && each.repository_id === repository_id)
            .map(({ data, pubkey_fingerprint, signing_service }: Loose) => ({
              ...{ signature: data, pubkey_fingerprint, signing_service },
            })),
        )
      },
    } as Loose),
  },
} as Loose)
const shownVersion = {
  ...inRow,
  namespace: text(),
  requires_ansible: text({ nullable: true }),
  created_at: dateTime({ column: 'pulp_created' }),
  metadata: nested({ of: metadata, column: 'row_id' } as Loose),
  contents: computed({
    columns: ['contents'],
    value: ({ contents }) =>
      parse(contents).map(({ name, content_type, description }: Loose) => ({ name, content_type, description })),
  }),
  sign_state: isSigned,
}
const latestVersions = resource('latest-versions', { ...rows, actions: [], fields: shownVersion } as Loose)
const fullVersions = resource('full-versions', {
  ...rows,
  actions: [],
  fields: { ...shownVersion, docs_blob: json() },
} as Loose)
const distributions = resource('repo', {
  table: distributionTable,
  actions: [],
  lookup: 'base_path',
  fields: distributionTable.pick('id', 'base_path'),
} as Loose)
const shared = {
  ...inRow,
  namespace: related(namespaces, {
    column: 'namespace',
    shows: [
      ...['pulp_href', 'id', 'name', 'company', 'email', 'avatar_url', 'description', 'groups', 'users'],
      ...['related_fields', 'metadata_sha256', 'avatar_sha256'],
    ],
  } as Loose),
  download_count: computed({ columns: [], value: () => 0 }),
  sign_state: text(),
  distribution: related(distributions, { column: 'distribution_id' } as Loose),
}
const below = { path: '', nestedUnder: [{ parent: distributions, field: 'distribution', only: true }] }

// The filters of pulpcore.
const each = (dialect: Loose, array: Loose) =>
  dialect.name === 'postgres'
    ? sql`(select value from json_array_elements_text(cast(${array} as json)) as t (value))`
    : sql`(select value from json_each(${array}))`
const toArray = (split: (given: string) => readonly unknown[]) =>
  text({ normalize: given => JSON.stringify(split(given)) })
const extractKey = (only: boolean) => (given: string) => {
  if (given.startsWith('prn:')) {
    const parts = given.split(':')
    if (parts.length !== 3) throw new ValidationError(`PRN not valid: ${given}`)
    return parts[2]!
  }
  if (only) throw new ValidationError(`Not a valid PRN: ${given}, must start with 'prn:'`)
  const id = new URL(given, 'http://x').pathname.replace(/\/+$/, '').split('/').at(-1)!
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) throw new ValidationError(`URI not valid: ${given}`)
  return id.toLowerCase()
}
const byKey = (only: boolean) =>
  filter(
    list({ of: text({ normalize: extractKey(only) }) }),
    ({ row, value }) => sql`cast(${row.id} as text) in ${value}`,
  )
const toName = (given: string) => (given.startsWith('prn:') ? given : new URL(given, 'http://x').pathname)
const named = sql`select version_id from version_names where name =`
const byVersion = (content: (version: Loose) => Loose) =>
  filter(text({ normalize: toName }), ({ row, value }) => sql`${row.id} in (${content(sql`(${named} ${value})`)})`)
const ofVersion = {
  repository_version: byVersion(version => sql`select content_id from version_content where version_id in ${version}`),
  repository_version_added: byVersion(
    version => sql`select content_id from repository_content where version_added_id in ${version}`,
  ),
  repository_version_removed: byVersion(
    version => sql`select content_id from repository_content where version_removed_id in ${version}`,
  ),
}
/** `NamedModelViewSet.get_resource`. */
const knowsVersions: Permission = {
  async allows({ request, view }: Loose) {
    if (request.query.pulp_label_select === '')
      throw new ValidationError({ pulp_label_select: "Invalid search term: ''." })
    for (const name of Object.keys(ofVersion)) {
      const given = request.query[name]
      if (typeof given !== 'string') continue
      const refuse = (message: string) => {
        throw new ValidationError({ [name]: message })
      }
      if (given === '') refuse('No value supplied for repository version filter')
      const model = given.startsWith('prn:')
        ? /^prn:(?:core\.(repositoryversion)|ansible\.(ansiblerepository)):[0-9a-f-]{36}$/.exec(given)
        : new RegExp(`^${href}[0-9a-f-]{36}/(?:(versions)/\\d+/)?$`).exec(toName(given))
      if (model === null) refuse(`${given.startsWith('prn:') ? 'PRN' : 'URI'} not valid: ${given}`)
      const { rows: found } = await sql`${named} ${toName(given)}`.execute(view.connection().kysely)
      const isVersion = given.startsWith('prn:') ? model![1] : model![1] === 'versions'
      if (found.length === 0)
        refuse(`URI ${given} not found for ${isVersion ? 'repositoryversion' : 'ansiblerepository'}.`)
    }
    return true
  },
}
/** `LabelFilter`. */
const parseLabels = (given: string) =>
  given.split(/(?<!\\),/).map(term => {
    const [, name, operator = '', value = ''] = /^(!?[\w .-]+)(=|!=|~)?(.*)/.exec(term) ?? []
    if (name === undefined) throw new ValidationError(`Invalid search term: '${term}'.`)
    const isNot = name.startsWith('!')
    if (isNot && operator !== '') throw new ValidationError(`Cannot use an operator with '${name}'.`)
    return [isNot ? '!' : operator, isNot ? name.slice(1) : name, value.replaceAll('\\,', ',')]
  })
const labels = filter(toArray(parseLabels), ({ row, value, dialect }) => {
  const isPostgres = dialect.name === 'postgres'
  const item = (index: number) =>
    isPostgres
      ? sql`(cast(l.value as json) ->> ${sql.lit(index)})`
      : sql`json_extract(l.value, ${sql.lit(`$[${index}]`)})`
  const [operator, name, wanted] = [item(0), item(1), item(2)]
  const stored = isPostgres
    ? sql`(cast(${row.pulp_labels} as json) ->> ${name})`
    : sql`(select s.value from json_each(${row.pulp_labels}) s where s.key = ${name})`
  const find = isPostgres ? sql`strpos` : sql`instr`
  return sql`not exists (select 1 from ${each(dialect, value)} as l where not case ${operator}
    when '=' then coalesce(${stored} = ${wanted}, ${sql.lit(1)} = 0)
    when '!=' then coalesce(${stored} <> ${wanted}, ${sql.lit(1)} = 0)
    when '~' then coalesce(${find}(lower(${stored}), lower(${wanted})) > 0, ${sql.lit(1)} = 0)
    when '!' then ${stored} is null else ${stored} is not null end)`
})
/** `CollectionVersion.search_vector`; SQLite has no such type. */
const vector = (row: Loose) => {
  const part = (weight: string, value: Loose) => sql`setweight(to_tsvector(coalesce(${value}, '')), ${sql.lit(weight)})`
  const tags = sql`(select string_agg(t, ' ') from json_array_elements_text(${row.tags}) as t)`
  const contents = sql`(select string_agg(t ->> 'name', ' ') from json_array_elements(${row.contents}) as t)`
  return sql`(${part('A', row.namespace)} || ${part('A', row.name)} || ${part('B', tags)} || ${part('C', contents)} || ${part('D', row.description)})`
}
const searched = (row: Loose) =>
  sql`lower(${row.namespace} || ' ' || ${row.name} || ' ' || ${row.tags} || ' ' || (select coalesce(group_concat(json_extract(value, '$.name'), ' '), '') from json_each(${row.contents})) || ' ' || ${row.description})`
const words = filter(text(), ({ row, value, dialect }) =>
  dialect.name === 'postgres'
    ? sql`${vector(row)} @@ plainto_tsquery(cast(${value} as text))`
    : sql`instr(${searched(row)}, lower(${value})) > 0`,
)
const deprecated = filter(
  text(),
  ({ row, value }) =>
    sql`case lower(${value}) when 'true' then ${row.deprecated} when 'false' then not ${row.deprecated} else ${row.id} is not null end`,
)
// `?ordering=` takes each field of the model.
const orderBy = (express: (row: Loose, dialect: Loose) => Loose) =>
  computed(text(), ({ row, dialect }) => express(row, dialect))
const ordered = (names: readonly string[], express: (value: Loose, dialect: Loose) => Loose = value => value) =>
  Object.fromEntries(names.map(name => [name, orderBy((row, dialect) => express(row[name], dialect))]))
const orders = {
  ...ordered(['pulp_created', 'pulp_last_updated', 'timestamp_of_interest', 'pulp_type', 'upstream_id']),
  ...ordered(['version_major', 'version_minor', 'version_patch', 'version_prerelease', 'requires_ansible', 'sha256']),
  ...ordered(['description', 'documentation', 'homepage', 'issues', 'repository']),
  ...ordered(['pulp_labels', 'contents', 'dependencies', 'docs_blob', 'manifest', 'files'], (value, { name }) =>
    name === 'postgres' ? sql`cast(${value} as jsonb)` : value,
  ),
  ...ordered(['authors', 'license', 'tags'], (value, dialect) =>
    dialect.name === 'postgres'
      ? sql`array${each(dialect, value)}`
      : sql`(select coalesce(group_concat(value, char(1)), '') from json_each(${value}))`,
  ),
  search_vector: orderBy((row, { name }) => (name === 'postgres' ? vector(row) : searched(row))),
  pulp_id: orderBy(row => row.id),
  pk: orderBy(row => row.id),
}
const orderingFields = [...Object.keys(orders), 'namespace', 'name', 'version']

/** `LimitOffsetPagination` of pulp_ansible. */
const galaxyPages: Paginator = {
  parameters: { limit: { type: 'integer', min_value: 1 }, offset: { type: 'integer', min_value: 0 } },
  plan(request: Loose) {
    const limit = Math.min(parseCount(request.query.get('limit')) || 10, 100)
    const offset = parseCount(request.query.get('offset')) ?? 0
    return {
      kind: 'counted',
      offset,
      limit,
      createPage(items, count) {
        const link = (to: number | undefined) => {
          const query = new URLSearchParams(request.query)
          query.set('limit', String(limit))
          if (to === undefined) query.delete('offset')
          else query.set('offset', String(to))
          query.sort()
          return `${new URL(request.url, 'http://x').pathname}?${query}`
        }
        const links = {
          first: link(0),
          previous: offset <= 0 ? null : link(offset > limit ? offset - limit : undefined),
          next: offset + limit >= count ? null : link(offset + limit),
          last: link(Math.max(count - limit, 0)),
        }
        const head = JSON.stringify({ meta: { count }, links })
        return { body: new JsonText(`${head.slice(0, -1)},"data":[${items.join(',')}]}`) }
      },
    }
  },
}

/** `galaxy_ng.app.api.exceptions.exception_handler`. */
const galaxyErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  const status = String(response.status)
  const { message: title } = error.constructor as Loose
  if (!(error instanceof ValidationError)) {
    const detail = error.message === title ? {} : { detail: error.message }
    return {
      ...response,
      body: {
        errors: [{ status, code: (error as Loose).code ?? (error.constructor as Loose).code, title, ...detail }],
      },
    }
  }
  const unkeyed = [...Object.keys(ofVersion), 'pulp_label_select', 'pulp_href__in', 'prn__in']
  const format = (name: string, { message, code }: Loose) => {
    if (code === 'unknown_parameter')
      return [null, `Invalid Filter: '${name}'`, { source: { parameter: 'errors' } }] as const
    if (name === 'ordering') {
      const asked = String((context.request.query as Loose).ordering).split(',')
      const wrong = asked.find(one => !orderingFields.includes(one.replace(/^-/, '')))
      const invalid = `Select a valid choice. ${wrong} is not one of the available choices.`
      return ['invalid_choice', invalid, { source: { parameter: name } }] as const
    }
    return [code, message, unkeyed.includes(name) ? {} : { source: { parameter: name } }] as const
  }
  const errors = Object.entries(error.errors as Loose).flatMap(([name, found]) =>
    [found].flat(2).map(one => {
      const [code, detail, source] = format(name, one)
      return { status, code, title, detail, ...source }
    }),
  )
  return { ...response, body: { errors } }
}

/** `distro_content`, and the versions in the latest version of the repository. */
const formatTime = (time: string) =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}${/\.0+Z?$/.test(time) ? '' : `.${/\.(\d{6})/.exec(time)?.[1]}`}+00:00`
const allVersions = computed({
  columns: ['collection_id', 'repository_id'],
  async values(given: Loose, context: Loose) {
    const { rows: found } = await sql`select v.id, v.version, v.pulp_created, v.precedence, v.collection_id, n.name,
        exists (select 1 from collection_signatures s where s.signed_collection_id = v.id) as signed
      from collection_versions v join version_content c on c.content_id = v.id
      join version_names n on n.version_id = c.version_id`.execute(kyselyOf(context))
    return given.map(({ collection_id, repository_id }: Loose) =>
      found
        .filter(
          (one: Loose) =>
            one.collection_id === collection_id && one.name === `prn:ansible.ansiblerepository:${repository_id}`,
        )
        .sort((one: Loose, other: Loose) => (one.precedence < other.precedence ? 1 : -1))
        .map(({ id, version, pulp_created, signed }: Loose) => ({
          ...{ id, version, created: formatTime(pulp_created), sign_state: signed ? 'signed' : 'unsigned' },
        })),
    )
  },
} as Loose)

const createViews = (isOpen: boolean) => {
  const collections = resource('collections', {
    ...rows,
    ...below,
    actions: ['list'],
    strict: true,
    permissions: [seesRepository(isOpen), knowsVersions, rowFilter(({ row }: Loose) => row.is_highest)],
    perAction: {
      list: { shows: ['id', 'namespace', 'name', 'download_count', 'latest_version', 'deprecated', 'sign_state'] },
    },
    fields: {
      ...shared,
      ...orders,
      version: text({ orderedBy: computed(text(), ({ row }: Loose) => row.version_key) }),
      latest_version: nested({ of: latestVersions, column: 'row_id' } as Loose),
      deprecated: boolean(),
    },
    pagination: galaxyPages,
    ordering: ['-pulp_created'],
    orderingFields,
    orderingTies: ['-pulp_created'],
    filters: {
      ...{ namespace: true, name: true, version: true, deprecated, q: words, keywords: words },
      ...ofVersion,
      tags: filter(
        toArray(given => given.split(',')),
        ({ row, value, dialect }) =>
          sql`not exists (select 1 from ${each(dialect, value)} as t where t.value not in ${each(dialect, row.tags)})`,
      ),
      sign_state: filter(
        toArray(given => given.split(',').map(state => state.trim())),
        ({ row, value, dialect }) => sql`${row.sign_state} in ${each(dialect, value)}`,
      ),
      include_related: filter(list({ of: text() }), ({ row, value }) => sql`${row.id} is not null or '' in ${value}`),
      // The content of a distribution has no orphans.
      orphaned_for: filter(number(), ({ value }) => sql`${value} is null`),
      pulp_label_select: labels,
      id: { in: 'pulp_id__in' },
      pulp_href__in: byKey(false),
      prn__in: byKey(true),
      ...{ exclude_fields: ignored, fields: ignored, minimal: ignored, page_size: ignored },
    },
  } as Loose)
  /** `?version=` selects another version than the highest: of the versions of a collection, the request finds one. */
  const asked: Permission = {
    filter: {
      where: ({ column, value }: Loose) =>
        sql`case when cast(${value('version')} as text) = '' then ${column('is_highest')} else ${column('version')} = ${value('version')} end`,
      values: ({ request }: Loose) => ({ version: String(request.query.version ?? '') }),
      determines: ['version'],
    } as Loose,
  }
  const details = resource('collection-details', {
    ...rows,
    ...below,
    actions: ['retrieve'],
    lookup: ['namespace_name', 'name'],
    uniqueTogether: [['distribution', 'namespace_name', 'name', 'version']],
    permissions: [seesRepository(isOpen), asked],
    perAction: {
      retrieve: {
        shows: ['id', 'namespace', 'name', 'download_count', 'latest_version', 'all_versions', 'sign_state'],
      },
    },
    fields: {
      ...shared,
      namespace: readOnly(shared.namespace as Loose),
      namespace_name: text({ column: 'namespace' }),
      latest_version: nested({ of: fullVersions, column: 'row_id' } as Loose),
      all_versions: allVersions,
    },
  } as Loose)
  const resources = [distributions, collections, details, namespaces, metadata, latestVersions, fullVersions]
  return { resources, exceptionHandler: galaxyErrors }
}

const id = (kind: string, number: number) => `0198e1b0-0000-7000-8${kind}-00000000000${number}`
/** A text that sorts as the precedence of the version: `1.10.0` after `1.9.0`, and `2.0.0-rc.1` before `2.0.0`. */
function formatPrecedence(version: string): string {
  const [, numbers = '', pre = ''] = /^([\d.]+)(?:-([^+]*))?/.exec(version) ?? []
  const format = (part: string) => (/^\d+$/.test(part) ? `0${part.padStart(10, '0')}` : `1${part}`)
  return [...numbers.split('.').map(format), pre === '' ? '~' : pre.split('.').map(format).join('!')].join('.')
}
const createVersion = (number: number, collection: number, namespace: string, version: string, more: object = {}) => ({
  id: id('001', number),
  pulp_created: `2026-01-0${number}T00:00:00.000000Z`,
  ...{ pulp_last_updated: now, timestamp_of_interest: now, pulp_type: 'ansible.collection_version', upstream_id: null },
  collection_id: id('002', collection),
  ...{ namespace, name: `c${collection}`, version, precedence: formatPrecedence(version) },
  ...{ version_key: version.replaceAll(/\d+/g, digits => digits.padStart(10, '0')), requires_ansible: '>=2.9' },
  ...{ version_major: Number(version[0]), version_minor: 0, version_patch: 0, version_prerelease: '' },
  ...{ documentation: 'd', homepage: 'h', issues: 'i', repository: 'r', description: 'Running things', sha256: 's' },
  ...{ pulp_labels: {}, authors: ['Ann'], license: ['MIT'], tags: ['net'], dependencies: {}, docs_blob: { a: 1 } },
  ...{ manifest: {}, files: {}, contents: [] },
  ...more,
})
const repositories = [1, 2].map(number => ({ id: id('003', number), name: `r${number}`, private: number === 2 }))
const add = (content_id: string, repository: number, added: number, removed?: number) => ({
  content_id,
  repository_id: id('003', repository),
  version_added_id: id('004', added),
  version_removed_id: removed === undefined ? null : id('004', removed),
})
const ui = '/api/galaxy/_ui/v1/repo'
const open = '/open/_ui/v1/repo'
const names =
  (...found: readonly string[]) =>
  (response: Loose) => {
    const shown = response.json().data.map((one: Loose) => `${one.name} ${one.latest_version.version}`)
    if (JSON.stringify(shown) !== JSON.stringify(found)) throw new Error(`${response.text}: ${JSON.stringify(shown)}`)
  }
const finds = (query: string, ...found: readonly string[]): Step => [
  `ann GET ${ui}/r1/?${query}`,
  null,
  200,
  names(...found),
]
const refuses = (query: string, code: string | null, detail: string, parameter?: string): Step => [
  `ann GET ${ui}/r1/?${query}`,
  null,
  400,
  {
    errors: [{ status: '400', code, title: 'Invalid input.', detail, ...(parameter && { source: { parameter } }) }],
  },
]
const namespaceOf = (more: object) => ({
  pulp_href: '/api/galaxy/pulp/api/v3/pulp_ansible/namespaces/1/',
  ...{ id: 1, name: 'ns', company: 'Co', email: 'e', avatar_url: 'a', description: 'd' },
  groups: [{ id: 1, name: 'g', object_roles: ['galaxy.owner'] }],
  users: [],
  related_fields: {},
  metadata_sha256: createHash('sha256')
    .update(
      '{"avatar_sha256": null, "company": "Co", "description": "d", "email": "e", "links": {"a": "http://a", "b": "http://\\u00e9"}, "name": "ns", "resources": "x"}',
    )
    .digest('hex'),
  avatar_sha256: null,
  ...more,
})
const signature = { signature: 'sig', pubkey_fingerprint: 'f', signing_service: 'svc' }
const versionOf = (number: number, collection: number, version: string, more: Loose = {}) => ({
  ...{ id: id('001', number), namespace: 'ns', name: `c${collection}`, version, requires_ansible: '>=2.9' },
  created_at: `2026-01-0${number}T00:00:00.000000Z`,
  metadata: {
    ...{ dependencies: {}, contents: [], documentation: 'd', homepage: 'h', issues: 'i', repository: 'r' },
    ...{ description: 'Running things', authors: ['Ann'], license: ['MIT'], tags: ['net'], signatures: [] },
    ...more.metadata,
  },
  contents: more.contents ?? [],
  sign_state: more.sign_state ?? 'unsigned',
  ...(more.docs_blob && { docs_blob: more.docs_blob }),
})
const roleContents = [{ name: 'install', content_type: 'role', description: null, extra: 1 }]
const highest = versionOf(3, 1, '1.10.0', {
  metadata: { contents: roleContents, tags: ['net', 'cisco'], signatures: [signature] },
  contents: [{ name: 'install', content_type: 'role', description: null }],
  sign_state: 'signed',
})
testPairs(
  {
    schema,
    statements: views,
    callers: {
      ann: caller(1, 'ann'),
      bob: caller(2, 'bob'),
      sue: caller(3, 'sue', { isSuperuser: true }),
    } satisfies Record<string, Identity>,
    rows: {
      users: [{ username: 'ann' }, { username: 'bob' }, { username: 'sue' }],
      groups: [{ name: 'g' }],
      group_members: [{ group_id: 1, user_id: 1 }],
      roles: [{ name: 'galaxy.owner' }, { name: 'viewer' }],
      role_permissions: [
        { role_id: 1, permission: 'galaxy.change_namespace' },
        { role_id: 1, permission: 'galaxy.upload_to_namespace' },
        { role_id: 2, permission: 'ansible.view_ansiblerepository' },
      ],
      group_roles: [{ group_id: 1, role_id: 1, content_type: 'galaxy.namespace', object_id: '1' }],
      user_roles: [{ user_id: 2, role_id: 2, content_type: 'ansible.ansiblerepository', object_id: id('003', 2) }],
      ansible_repositories: repositories,
      repository_versions: [
        { id: id('004', 1), repository_id: id('003', 1), number: 1, complete: true },
        { id: id('004', 2), repository_id: id('003', 1), number: 2, complete: true },
        { id: id('004', 3), repository_id: id('003', 1), number: 3, complete: false },
        { id: id('004', 4), repository_id: id('003', 2), number: 1, complete: true },
      ],
      distributions: [
        { id: id('005', 1), base_path: 'r1', repository_id: id('003', 1), repository_version_id: null },
        { id: id('005', 2), base_path: 'private', repository_id: id('003', 2), repository_version_id: null },
        { id: id('005', 3), base_path: 'old', repository_id: id('003', 1), repository_version_id: id('004', 1) },
        { id: id('005', 4), base_path: 'empty', repository_id: null, repository_version_id: null },
      ],
      namespaces: [
        { name: 'ns', company: 'Co', email: 'e', avatar_url: 'a', description: 'd', resources: 'x' },
        { name: 'other', company: '', email: '', avatar_url: '', description: '', resources: '' },
      ].map((row, index) => ({
        ...row,
        ...(index === 1
          ? { metadata_id: id('008', 1), avatar_sha256: 'f' }
          : { metadata_id: null, avatar_sha256: null }),
      })),
      namespace_links: [
        { namespace_id: 1, name: 'b', url: 'http://é' },
        { namespace_id: 1, name: 'a', url: 'http://a' },
      ],
      collection_versions: [
        createVersion(1, 1, 'ns', '1.9.0'),
        createVersion(2, 1, 'ns', '1.10.0-rc.1'),
        createVersion(3, 1, 'ns', '1.10.0', {
          ...{
            tags: ['net', 'cisco'],
            contents: roleContents,
            pulp_labels: { env: 'prod', tier: 'a,b' },
            manifest: { a: 2 },
          },
        }),
        createVersion(4, 2, 'ns', '2.0.0', {
          requires_ansible: null,
          description: 'Databases',
          dependencies: { a: '*' },
          manifest: { a: 1 },
        }),
        createVersion(5, 3, 'other', '0.1.0', { pulp_labels: { env: 'test' }, manifest: { a: 3 } }),
        createVersion(6, 1, 'ns', '9.0.0'),
      ],
      collection_signatures: [
        {
          ...{ id: id('006', 1), signed_collection_id: id('001', 3), data: 'sig', pubkey_fingerprint: 'f' },
          signing_service: 'svc',
        },
      ],
      collection_deprecations: [{ id: id('007', 1), namespace: 'ns', name: 'c2' }],
      repository_content: [
        add(id('001', 1), 1, 1),
        add(id('001', 2), 1, 1),
        add(id('001', 3), 1, 2),
        add(id('001', 4), 1, 1),
        add(id('001', 5), 1, 2),
        add(id('001', 6), 1, 1, 2),
        add(id('006', 1), 1, 2),
        add(id('007', 1), 1, 1),
        add(id('001', 1), 2, 4),
      ],
    },
    apis: { '/api/galaxy/_ui/v1': createViews(false), '/open/_ui/v1': createViews(true) },
    pairs: {
      'galaxy_ng CollectionViewSet: lists': [
        [
          `ann GET ${ui}/r1/?limit=1&offset=1&namespace=ns&include_related=x`,
          null,
          200,
          {
            meta: { count: 2 },
            links: {
              first: `${ui}/r1/?include_related=x&limit=1&namespace=ns&offset=0`,
              previous: `${ui}/r1/?include_related=x&limit=1&namespace=ns`,
              next: null,
              last: `${ui}/r1/?include_related=x&limit=1&namespace=ns&offset=1`,
            },
            data: [
              {
                ...{ id: id('001', 3), namespace: namespaceOf({}), name: 'c1', download_count: 0 },
                ...{ latest_version: highest, deprecated: false, sign_state: 'signed' },
              },
            ],
          },
        ],
        finds('', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        [`ann GET ${ui}/old/`, null, 200, names('c1 9.0.0', 'c2 2.0.0')],
        [`ann GET ${ui}/empty/`, null, 200, names()],
        ...(
          [
            ['name=c2', 'c2 2.0.0'],
            ['namespace=nobody'],
            ['version=1.9.0'],
            ['deprecated=true', 'c2 2.0.0'],
            ['deprecated=False', 'c3 0.1.0', 'c1 1.10.0'],
            ['deprecated=x&page_size=1&minimal=1&fields=a&exclude_fields=b', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            ['sign_state=signed', 'c1 1.10.0'],
            ['sign_state=signed,%20unsigned', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            ['tags=cisco,net', 'c1 1.10.0'],
            ['tags=cisco,x'],
            ['q=databases', 'c2 2.0.0'],
            ['keywords=install', 'c1 1.10.0'],
            [`pulp_id__in=${id('001', 4)},${id('001', 5)}`, 'c3 0.1.0', 'c2 2.0.0'],
            [`pulp_href__in=/pulp/api/v3/content/ansible/collection_versions/${id('001', 4)}/`, 'c2 2.0.0'],
            [`prn__in=prn:ansible.collectionversion:${id('001', 5)}`, 'c3 0.1.0'],
            [`repository_version=${href}${id('003', 1)}/versions/1/`, 'c2 2.0.0'],
            [`repository_version=http://x${href}${id('003', 1)}/`, 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            [`repository_version_added=prn:core.repositoryversion:${id('004', 2)}`, 'c3 0.1.0', 'c1 1.10.0'],
            [`repository_version_removed=prn:ansible.ansiblerepository:${id('003', 1)}`],
            ['orphaned_for=5'],
            ['pulp_label_select=env', 'c3 0.1.0', 'c1 1.10.0'],
            ['pulp_label_select=!env', 'c2 2.0.0'],
            ['pulp_label_select=env=prod', 'c1 1.10.0'],
            ['pulp_label_select=env!=prod', 'c3 0.1.0'],
            ['pulp_label_select=env~RO,tier=a\\,b', 'c1 1.10.0'],
            ['ordering=version', 'c3 0.1.0', 'c1 1.10.0', 'c2 2.0.0'],
            ['ordering=-namespace,name', 'c3 0.1.0', 'c1 1.10.0', 'c2 2.0.0'],
            ['ordering=sha256', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            ['ordering=-sha256', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            ['ordering=manifest', 'c2 2.0.0', 'c1 1.10.0', 'c3 0.1.0'],
            ['ordering=-pulp_created', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'],
            ['ordering=pk', 'c1 1.10.0', 'c2 2.0.0', 'c3 0.1.0'],
            ['ordering=tags,pulp_created', 'c2 2.0.0', 'c3 0.1.0', 'c1 1.10.0'],
          ] as const
        ).map(([query, ...found]) => finds(query, ...found)),
        ...orderingFields.map((name): Step => [`ann GET ${ui}/r1/?ordering=-${name}`, null, 200, /"count":3/]),
        finds(
          'name=&q=&keywords=&sign_state=&tags=&deprecated=&namespace=&version=',
          'c3 0.1.0',
          'c2 2.0.0',
          'c1 1.10.0',
        ),
        finds('orphaned_for=', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('ordering=', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('include_related=', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('include_related=a&include_related=b', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('format=json', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('limit=0', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('pulp_id__in=', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        finds('pulp_href__in=&prn__in=', 'c3 0.1.0', 'c2 2.0.0', 'c1 1.10.0'),
        refuses('pulp_label_select=', 'invalid', "Invalid search term: ''."),
        refuses('repository_version=', 'invalid', 'No value supplied for repository version filter'),
        refuses('foo=1', null, "Invalid Filter: 'foo'", 'errors'),
        refuses(
          'ordering=a',
          'invalid_choice',
          'Select a valid choice. a is not one of the available choices.',
          'ordering',
        ),
        refuses('pulp_href__in=a', 'invalid', 'URI not valid: a'),
        refuses('prn__in=a', 'invalid', "Not a valid PRN: a, must start with 'prn:'"),
        refuses('pulp_label_select=!a=b', 'invalid', "Cannot use an operator with '!a'."),
        refuses('repository_version=a', 'invalid', 'URI not valid: a'),
        refuses(
          `repository_version=${href}${id('003', 1)}/versions/9/`,
          'invalid',
          `URI ${href}${id('003', 1)}/versions/9/ not found for repositoryversion.`,
        ),
      ],
      'galaxy_ng CollectionViewSet: objects': [
        [
          `ann GET ${ui}/r1/ns/c1/?include_related=my_permissions&foo=1`,
          null,
          200,
          {
            id: id('001', 3),
            namespace: namespaceOf({
              related_fields: { my_permissions: ['galaxy.change_namespace', 'galaxy.upload_to_namespace'] },
            }),
            ...{ name: 'c1', download_count: 0, latest_version: { ...highest, docs_blob: { a: 1 } } },
            all_versions: [
              [3, '1.10.0', 'signed'],
              [2, '1.10.0-rc.1', 'unsigned'],
              [1, '1.9.0', 'unsigned'],
            ].map(([number, version, sign_state]) => ({
              ...{ id: id('001', number as number), version, created: `2026-01-0${number} 00:00:00+00:00`, sign_state },
            })),
            sign_state: 'signed',
          },
        ],
        [`ann GET ${ui}/r1/ns/c1/?version=1.9.0`, null, 200, /"latest_version":\{"id":"[^"]+0001"/],
        [`ann GET ${ui}/old/ns/c1/`, null, 200, /"version":"9.0.0"/],
        [
          `ann GET ${ui}/r1/ns/c1/?version=9.0.0`,
          null,
          404,
          { errors: [{ status: '404', code: 'not_found', title: 'Not found.' }] },
        ],
        [`ann GET ${ui}/r1/ns/c9/`, null, 404],
        [`ann GET ${ui}/nowhere/`, null, 404],
        [`sue GET ${ui}/r1/other/c3/?include_related=my_permissions`, null, 200, /"galaxy.view_namespace"/],
        [`sue GET ${ui}/r1/other/c3/`, null, 200, /namespaces\/[0-9a-f-]+\/avatar\//],
        [
          `ann GET ${ui}/private/`,
          null,
          403,
          {
            errors: [
              {
                ...{ status: '403', code: 'permission_denied' },
                title: 'You do not have permission to perform this action.',
              },
            ],
          },
        ],
        [`ann GET ${ui}/private/ns/c1/`, null, 403],
        [`bob GET ${ui}/private/ns/c1/`, null, 200],
        [`sue GET ${ui}/private/`, null, 200, names('c1 1.9.0')],
        [`ann POST ${ui}/r1/`, {}, 403],
        [`ann DELETE ${ui}/r1/ns/c1/`, null, 403],
        [
          `nobody GET ${ui}/r1/`,
          null,
          401,
          {
            errors: [
              {
                ...{ status: '401', code: 'not_authenticated' },
                title: 'Authentication credentials were not provided.',
              },
            ],
          },
        ],
        [`nobody GET ${open}/r1/ns/c1/`, null, 200],
        [`nobody GET ${open}/private/`, null, 401],
      ],
    },
  },
  (name, run) => test(name, run),
)
