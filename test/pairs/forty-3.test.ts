// Pairs of Plane and Grafana OnCall.

import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  APIException,
  authenticated,
  BadRequest,
  boolean,
  choice,
  computed,
  type Database,
  dateTime,
  type ExceptionHandler,
  email,
  exceptionHandler,
  forTypes,
  type Identity,
  integer,
  isSafe,
  json,
  key,
  list,
  NotFound,
  nested,
  number,
  object,
  type Permission,
  pageNumber,
  readOnly,
  related,
  slug,
  text,
  url,
  uuidKey,
  ValidationError,
} from 'resource-api'
import { defineField } from 'resource-api/extend'
import { caller as callerValue, created, deleted, reference, table, tables, updated } from 'resource-api/tables'
import { caller, type Loose, now, testPairs } from './support.ts'

// Plane
const audit = {
  created_at: created(),
  updated_at: updated(),
  deleted_at: deleted(),
  created_by: integer({ nullable: true }),
  updated_by: integer({ nullable: true }),
}
const external = {
  external_source: text({ max: 255, nullable: true, blank: true }),
  external_id: text({ max: 255, nullable: true, blank: true }),
}
const workspaceTable = table('workspaces', { columns: { id: key(), slug: slug({ unique: 'taken' }) } })
const projectTable = table('projects', {
  columns: { id: key(), workspace: reference('workspaces'), archived_at: dateTime({ nullable: true }) },
})
const projectMemberTable = table('project_members', {
  columns: { id: key(), project: reference('projects'), member: integer(), is_active: boolean(), role: integer() },
})
const issueTable = table('issues', { columns: { id: key(), project: reference('projects') } })
const commentTable = table('issue_comments', {
  key: uuidKey(),
  columns: {
    id: key(),
    issue: reference('issues'),
    actor: integer({ nullable: true }),
    comment_html: text({ default: '<p></p>', blank: true }),
    comment_json: json({ default: {} }),
    attachments: list({ of: url(), default: [] }),
    access: choice(['INTERNAL', 'EXTERNAL'], { default: 'INTERNAL' }),
    edited_at: dateTime({ nullable: true }),
    ...external,
    ...audit,
  },
})
const labelTable = table('labels', {
  key: uuidKey(),
  columns: {
    id: key(),
    project: reference('projects'),
    parent: reference('labels', { nullable: true }),
    name: text({ max: 255 }),
    description: text({ default: '', blank: true }),
    color: text({ max: 255, default: '', blank: true }),
    sort_order: number({ default: 65535 }),
    ...external,
    ...audit,
  },
  unique: [['project', 'name']],
})
const activityTable = table('activities', { columns: { id: key(), type: text(), comment: text() } })

// OnCall
const organizationTable = table('organizations', {
  columns: {
    id: key(),
    public_primary_key: text(),
    org_title: text(),
    acknowledge_remind_timeout: choice(
      [
        [0, 'Never'],
        [1, '1h'],
        [2, '6h'],
      ],
      { default: 0 },
    ),
    unacknowledge_timeout: choice(
      [
        [0, 'Never'],
        [1, '5min'],
        [2, '15min'],
      ],
      { default: 0 },
    ),
  },
})
const teamTable = table('teams', {
  columns: { id: key(), organization: reference('organizations'), public_primary_key: text({ unique: 'taken' }) },
})
const integrationTable = table('integrations', {
  columns: { id: key(), organization: reference('organizations'), public_primary_key: text({ unique: 'taken' }) },
})
const slackTable = table('slack_identities', {
  columns: { id: key(), slack_login: text(), slack_id: text(), avatar: text(), name: text(), display_name: text() },
})
const oncallUserTable = table('oncall_users', {
  columns: {
    id: key(),
    public_primary_key: text(),
    organization: reference('organizations'),
    current_team: reference('teams', { nullable: true }),
    slack_user_identity: reference('slack_identities', { nullable: true }),
    email: email(),
    username: text(),
    name: text(),
    role: integer(),
    avatar_url: text(),
    timezone: text({ nullable: true }),
    working_hours: json({ default: {} }),
    unverified_phone_number: text({ nullable: true, blank: true }),
    verified_phone_number: text({ nullable: true }),
    hide_phone_number: boolean({ default: false }),
    google_calendar_settings: json({ nullable: true }),
    permissions: json({ default: [] }),
  },
})
const triggers = ['escalation', 'alert group created', 'acknowledge', 'resolve'] as const
const triggerType = defineField<string>(
  { default: 'escalation' },
  {
    kind: text().kind,
    parse(input) {
      if (!triggers.includes(input as 'resolve'))
        throw new BadRequest(`trigger_type must one of ${triggers.join(', ')}`)
      return input as string
    },
  },
)
const webhookTable = table('webhooks', {
  columns: {
    id: key(),
    public_primary_key: text({ unique: 'taken' }),
    organization: reference('organizations'),
    name: text({ max: 100 }),
    is_webhook_enabled: boolean({ default: true }),
    team: reference('teams', { nullable: true }),
    username: text({ nullable: true, blank: true }),
    data: text({ nullable: true, blank: true }),
    password: text({ nullable: true, blank: true }),
    authorization_header: text({ nullable: true, blank: true }),
    trigger_template: text({ nullable: true, blank: true }),
    headers: text({ nullable: true, blank: true }),
    url: text({ max: 1000 }),
    forward_all: boolean({ default: true }),
    http_method: text({ default: 'POST' }),
    trigger_type: triggerType,
    deleted_at: deleted(),
  },
  unique: [['organization', 'name']],
})
const webhookIntegrations = table('webhook_integrations', {
  key: ['webhook', 'integration'],
  columns: { webhook: reference('webhooks'), integration: reference('integrations') },
})
const insightTable = table('insight_logs', { columns: { id: key(), event: text(), resource: text() } })
const schema = tables({
  owner: 'pairs',
  tables: [
    ...[workspaceTable, projectTable, projectMemberTable, issueTable, commentTable, labelTable, activityTable],
    ...[
      organizationTable,
      teamTable,
      integrationTable,
      slackTable,
      oncallUserTable,
      webhookTable,
      webhookIntegrations,
      insightTable,
    ],
  ],
})
const { resource, rowFilter } = forTypes<
  Identity & { organization?: number | undefined; team?: string | undefined; rbac?: readonly string[] },
  typeof schema
>()

class Clash extends APIException {
  static override status = 409
  static override message = 'clash'
  static override code = 'clash'
  readonly body: object
  constructor(error: string, id: unknown) {
    super(error)
    this.body = { error, id }
  }
}
const planeErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (error instanceof Clash) return { ...response!, body: error.body }
  return response && error instanceof NotFound
    ? { ...response, body: { error: 'The requested resource does not exist.' } }
    : response
}
const plane = (database: Database) => {
  const isMember = (roles: readonly number[], readsWorkspace = false): Permission => ({
    async allows({ request, user, method }) {
      const { projects_key, workspaces_key } = request.params as Record<string, string>
      const members = (database.kysely as Loose)
        .selectFrom('project_members')
        .innerJoin('projects', 'projects.id', 'project_members.project_id')
        .innerJoin('workspaces', 'workspaces.id', 'projects.workspace_id')
        .select(['role', 'is_active'])
        .where('slug', '=', workspaces_key)
        .where('member', '=', user.id)
        .orderBy('is_active', 'desc')
      const isWide = readsWorkspace && isSafe(method)
      const member = await (isWide
        ? members
        : members.where('project_id', '=', Number(projects_key))
      ).executeTakeFirst()
      return Boolean(member?.is_active) && (isSafe(method) || roles.includes(member.role))
    },
  })
  const workspaces = resource('workspaces', {
    table: workspaceTable,
    actions: [],
    lookup: 'slug',
    fields: workspaceTable.pick('id', 'slug'),
  })
  const projects = resource('projects', {
    table: projectTable,
    actions: [],
    rows: { archived_at: null },
    fields: { ...projectTable.pick('id'), workspace: related(workspaces) },
    nestedUnder: [{ parent: workspaces, field: 'workspace', only: true }],
  })
  const issues = resource('issues', {
    table: issueTable,
    actions: [],
    fields: { ...issueTable.pick('id'), project: related(projects) },
    nestedUnder: [{ parent: projects, field: 'project', only: true }],
  })
  const findClash = async (
    name: 'issue_comments' | 'labels',
    { before, given, key: own, connection: { kysely } }: Loose,
  ) => {
    const id = given.external_id
    const source = given.external_source ?? before.external_source
    if (!id || id === before.external_id) return
    const same = await kysely
      .selectFrom(name)
      .select('id')
      .where('external_id', '=', id)
      .where('external_source', '=', source)
      .where('id', '<>', own)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    const title = name === 'labels' ? 'Label' : 'Work item comment'
    if (same) throw new Clash(`${title} with the same external id and external source already exists`, own)
  }
  const log =
    (type: string) =>
    async ({ key: comment, connection: { kysely } }: Loose) =>
      void (await kysely.insertInto('activities').values({ type, comment }).execute())
  const auditFields = <Fields extends Record<string, Loose>>(fields: Fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, readOnly(field)])) as never as Fields
  const comments = resource('comments', {
    table: commentTable,
    methods: ['GET', 'PATCH', 'DELETE'],
    actions: ['retrieve', 'update', 'destroy'],
    permissions: [isMember([5, 15, 20])],
    fields: {
      ...commentTable.pick(
        'id',
        'comment_html',
        'comment_json',
        'attachments',
        'access',
        'edited_at',
        'external_source',
        'external_id',
      ),
      ...auditFields(commentTable.pick('created_by', 'updated_by', 'actor')),
      ...commentTable.pick('created_at', 'updated_at'),
      issue: related(issues),
      project: integer({ source: 'issue.project' }),
      workspace: integer({ source: 'issue.project.workspace' }),
      is_member: computed({ columns: [], value: () => true }),
    },
    perAction: {
      retrieve: {
        shows: [
          'id',
          'comment_html',
          'attachments',
          'access',
          'edited_at',
          'external_source',
          'external_id',
          'created_by',
          'updated_by',
          'actor',
          'created_at',
          'updated_at',
          'issue',
          'project',
          'workspace',
          'is_member',
        ],
      },
      update: {
        takes: ['comment_json', 'comment_html', 'access', 'external_source', 'external_id'],
        shows: [
          'id',
          'comment_html',
          'attachments',
          'access',
          'edited_at',
          'external_source',
          'external_id',
          'created_by',
          'updated_by',
          'actor',
          'created_at',
          'updated_at',
          'issue',
          'project',
          'workspace',
        ],
      },
    },
    nestedUnder: [{ parent: issues, field: 'issue', only: true }],
    sparseFields: true,
    validate: context => findClash('issue_comments', context),
    afterSave: log('comment.activity.updated'),
    beforeDestroy: log('comment.activity.deleted'),
  })
  const labels = resource('labels', {
    table: labelTable,
    methods: ['GET', 'PATCH', 'DELETE'],
    actions: ['retrieve', 'update', 'destroy'],
    permissions: [
      isMember([15, 20], true),
      rowFilter({ 'project.project_members': { member: callerValue('id'), is_active: true } }),
    ],
    fields: {
      ...labelTable.pick('id', 'name', 'description', 'color', 'sort_order', 'external_source', 'external_id'),
      ...auditFields(labelTable.pick('created_by', 'updated_by')),
      ...labelTable.pick('created_at', 'updated_at'),
      parent: related('labels', { nullable: true }),
      project: related(projects),
      workspace: integer({ source: 'project.workspace' }),
    },
    nestedUnder: [{ parent: projects, field: 'project', only: true }],
    validate: context => findClash('labels', context),
  })
  return { resources: [workspaces, projects, issues, comments, labels], exceptionHandler: planeErrors }
}

// OnCall
const rbac = (permissions: Readonly<Record<string, string>>): Permission => ({
  allows: ({ user, method }) =>
    permissions[method] === undefined ||
    ((user as { rbac?: readonly string[] }).rbac ?? []).includes(permissions[method]),
})
const logInsight = (name: string) => ({
  async afterSave({ action, connection: { kysely } }: Loose) {
    await kysely
      .insertInto('insight_logs')
      .values({ event: `${action}d`, resource: name })
      .execute()
  },
  async beforeDestroy({ connection: { kysely } }: Loose) {
    await kysely.insertInto('insight_logs').values({ event: 'deleted', resource: name }).execute()
  },
})
const slackSettings = resource('slack_settings', {
  table: organizationTable,
  methods: ['GET', 'PUT'],
  actions: ['retrieve', 'update'],
  singleton: ({ caller }) => (caller as { organization?: number }).organization,
  permissions: [authenticated, rbac({ GET: 'chatops:read', PUT: 'chatops:update-settings' })],
  fields: {
    pk: readOnly(text({ column: 'public_primary_key' })),
    ...organizationTable.pick('acknowledge_remind_timeout', 'unacknowledge_timeout'),
  },
  normalize: values =>
    values.acknowledge_remind_timeout === 0 ? { ...values, unacknowledge_timeout: 0 as const } : values,
  afterSave: logInsight('organization').afterSave,
})
const sameOrganization = rowFilter({ organization: callerValue('organization') as never })
const teams = resource('teams', {
  table: teamTable,
  actions: [],
  fields: { ...teamTable.pick('id', 'public_primary_key') },
  permissions: [sameOrganization],
})
const integrations = resource('integrations', {
  table: integrationTable,
  actions: [],
  fields: integrationTable.pick('id', 'public_primary_key'),
  permissions: [sameOrganization],
})
const organizations = resource('organizations', {
  table: organizationTable,
  actions: [],
  fields: { pk: text({ column: 'public_primary_key' }), name: text({ column: 'org_title' }) },
})
const slackIdentities = resource('slack-identities', {
  table: slackTable,
  actions: [],
  fields: slackTable.pick('slack_login', 'slack_id', 'avatar', 'name', 'display_name'),
})

const day = list({ of: object({ fields: { start: text(), end: text() } }), default: [] })
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const workingHours = object({
  fields: Object.fromEntries(days.map(name => [name, day])) as Record<(typeof days)[number], typeof day>,
  default: Object.fromEntries(days.map(name => [name, []])) as never,
  validators: [
    hours => {
      for (const { start, end } of Object.values(
        hours as Record<string, readonly { start: string; end: string }[]>,
      ).flat()) {
        if (![start, end].every(time => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(time)))
          throw new ValidationError("'start' and 'end' fields must be in '%H:%M:%S' format")
        if (start >= end) throw new ValidationError("'start' must be less than 'end'")
      }
    },
  ],
})
const timezone = text({
  nullable: true,
  validators: [
    name => {
      if (name !== null && !Intl.supportedValuesOf('timeZone').includes(name) && name !== 'UTC')
        throw new ValidationError('Invalid timezone')
    },
  ],
})
const phone = text({
  nullable: true,
  blank: true,
  normalize: value => value,
  validators: [
    value => {
      if (value && !/^\+\d{8,15}$/.test(value))
        throw new ValidationError(
          "Phone number must be entered in the format: '+999999999'. From 8 to 15 digits allowed.",
        )
    },
  ],
})
const currentUser = resource('user', {
  table: oncallUserTable,
  methods: ['GET', 'PUT'],
  actions: ['retrieve', 'update'],
  singleton: ({ caller }) => (caller as { id: number | null }).id,
  put: 'partial',
  permissions: [authenticated],
  fields: {
    pk: readOnly(text({ column: 'public_primary_key' })),
    organization: nested({ of: organizations, column: 'organization_id' }),
    current_team: related(teams, { by: 'public_primary_key', nullable: true }),
    email: readOnly(email()),
    username: readOnly(text()),
    name: readOnly(text()),
    role: readOnly(integer()),
    avatar: readOnly(text({ column: 'avatar_url' })),
    avatar_full: computed({
      columns: ['avatar_url'],
      value: ({ avatar_url }) => `https://grafana.example.org${avatar_url}`,
    }),
    timezone,
    working_hours: workingHours,
    unverified_phone_number: phone,
    verified_phone_number: readOnly(text({ nullable: true })),
    slack_user_identity: nested({ of: slackIdentities, column: 'slack_user_identity_id' }),
    telegram_configuration: computed({ columns: [], value: () => null }),
    messaging_backends: computed({ columns: [], value: () => ({}) }),
    notification_chain_verbal: computed({ columns: [], value: () => ({ default: '', important: '' }) }),
    cloud_connection_status: computed({ columns: [], value: () => null }),
    hide_phone_number: boolean({ default: false }),
    has_google_oauth2_connected: computed({ columns: [], value: () => false }),
    is_currently_oncall: computed({ columns: [], value: () => false }),
    google_calendar_settings: json({ nullable: true }),
    rbac_permissions: computed({
      columns: ['permissions'],
      value: ({ permissions }) => (typeof permissions === 'string' ? JSON.parse(permissions) : permissions),
    }),
    google_oauth2_token_is_missing_scopes: computed({ columns: [], value: () => false }),
  },
})

const placeholder = '****************'
/** A secret: a response shows whether there is one, and a body that repeats this keeps it. */
const secret = () => {
  const field = text({ nullable: true, blank: true })
  return { ...field, compute: (shown: unknown) => (shown ? placeholder : shown) }
}
const actions = resource('actions', {
  table: webhookTable,
  lookup: 'id',
  permissions: [authenticated, sameOrganization],
  fields: {
    id: readOnly(text({ column: 'public_primary_key', unique: 'taken' })),
    ...webhookTable.pick('name', 'is_webhook_enabled'),
    team_id: related(teams, {
      by: 'public_primary_key',
      nullable: true,
      column: 'team_id',
      default: (({ user }: Loose) => user.team ?? null) as never,
    }),
    user: text({ nullable: true, blank: true, column: 'username' }),
    ...webhookTable.pick('data'),
    password: secret(),
    authorization_header: secret(),
    ...webhookTable.pick('trigger_template', 'headers', 'url'),
    forward_whole_payload: boolean({ default: true, column: 'forward_all' }),
    http_method: text({
      default: 'POST',
      validators: [
        value => {
          if (!['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(value))
            throw new ValidationError('Must be one of GET, POST, PUT, DELETE, OPTIONS')
        },
      ],
    }),
    ...webhookTable.pick('trigger_type'),
    integration_filter: {
      ...(related(integrations, {
        by: 'public_primary_key',
        many: { table: 'webhook_integrations', own: 'webhook_id', other: 'integration_id' },
        default: [],
        nullable: true,
      } as never) as object),
      compute: (shown: unknown) => (Array.isArray(shown) && shown.length === 0 ? null : shown),
    } as never,
  },
  put: 'partial',
  hookColumns: ['organization_id', 'public_primary_key'],
  prepare: ({ action, user }) =>
    action === 'create'
      ? {
          organization_id: user.organization ?? null,
          public_primary_key: `W${randomBytes(6).toString('hex').toUpperCase()}`,
        }
      : {},
  async validate({ action, key: own, given, values, user, connection: { kysely } }) {
    if (action === 'create' || given.name !== undefined) {
      const same = await kysely
        .selectFrom('webhooks')
        .select('id')
        .where('name', '=', values.name)
        .where('organization_id', '=', user.organization!)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      if (same !== undefined && same.id !== own)
        throw new ValidationError('The fields name, organization must make a unique set.')
    }
  },
  filters: { name: true, team_id: { exact: 'team' } },
  ordering: ['id'],
  pagination: pageNumber({ pageSize: 50 }),
  ...logInsight('webhook'),
})

testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { organization: 1, team: 'T1', rbac: ['chatops:read', 'chatops:update-settings'] }),
      bob: caller(2, 'bob', { organization: 1, rbac: ['chatops:read'] }),
    },
    rows: {
      workspaces: [{ slug: 'w' }],
      projects: [{ workspace_id: 1 }],
      project_members: [
        { project_id: 1, member: 1, is_active: true, role: 20 },
        { project_id: 1, member: 2, is_active: false, role: 20 },
      ],
      issues: [{ project_id: 1 }],
      issue_comments: ['1', '2'].map(digit => ({
        id: `0198e1b0-0000-7000-8000-00000000000${digit}`,
        issue_id: 1,
        actor: 1,
        comment_html: '<p>a</p>',
        comment_json: {},
        attachments: '[]',
        access: 'INTERNAL',
        external_source: 'github',
        external_id: digit,
        created_at: now,
        updated_at: now,
      })),
      labels: ['1', '2'].map(digit => ({
        id: `0198e1b0-0000-7000-8000-00000000000${digit}`,
        project_id: 1,
        name: `l${digit}`,
        description: '',
        color: '#fff',
        sort_order: 1,
        external_source: 'github',
        external_id: digit,
        created_at: now,
        updated_at: now,
      })),
      organizations: [
        { public_primary_key: 'O1', org_title: 'Org', acknowledge_remind_timeout: 1, unacknowledge_timeout: 2 },
      ],
      teams: [{ organization_id: 1, public_primary_key: 'T1' }],
      integrations: [{ organization_id: 1, public_primary_key: 'I1' }],
      oncall_users: [
        {
          public_primary_key: 'U1',
          organization_id: 1,
          email: 'a@x.org',
          username: 'ann',
          name: 'Ann',
          role: 0,
          avatar_url: '/a.png',
          working_hours: Object.fromEntries(days.map(name => [name, []])),
          hide_phone_number: false,
          permissions: [{ action: 'read' }],
        },
      ],
    },
    apis: {
      '/plane': plane,
      '/oncall': {
        resources: [slackSettings, currentUser, actions, teams, integrations, organizations, slackIdentities],
      },
    },
    pairs: {
      'Plane IssueCommentDetailAPIEndpoint': [
        [
          'ann GET /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/',
          null,
          200,
          {
            id: '0198e1b0-0000-7000-8000-000000000001',
            comment_html: '<p>a</p>',
            attachments: [],
            access: 'INTERNAL',
            edited_at: null,
            external_source: 'github',
            external_id: '1',
            created_by: null,
            updated_by: null,
            actor: 1,
            created_at: now,
            updated_at: now,
            issue: 1,
            project: 1,
            workspace: 1,
            is_member: true,
          },
        ],
        [
          'ann PATCH /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/',
          { comment_html: '<p>b</p>', actor: 9 },
          200,
          /"comment_html":"<p>b<\/p>".*"actor":1/,
        ],
        [
          'ann PATCH /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/',
          { external_id: '2' },
          409,
          {
            error: 'Work item comment with the same external id and external source already exists',
            id: '0198e1b0-0000-7000-8000-000000000001',
          },
        ],
        ['ann PUT /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/', {}, 405],
        ['bob GET /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/', null, 403],
        [
          'ann DELETE /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/',
          null,
          204,
        ],
        [
          'ann GET /plane/workspaces/w/projects/1/issues/1/comments/0198e1b0-0000-7000-8000-000000000001/',
          null,
          404,
          { error: 'The requested resource does not exist.' },
        ],
      ],
      'Plane LabelDetailAPIEndpoint': [
        [
          'ann PATCH /plane/workspaces/w/projects/1/labels/0198e1b0-0000-7000-8000-000000000001/',
          { name: 'new', parent: '0198e1b0-0000-7000-8000-000000000002' },
          200,
          {
            id: '0198e1b0-0000-7000-8000-000000000001',
            name: 'new',
            description: '',
            color: '#fff',
            sort_order: 1,
            external_source: 'github',
            external_id: '1',
            created_by: null,
            updated_by: null,
            created_at: now,
            updated_at: now,
            parent: '0198e1b0-0000-7000-8000-000000000002',
            project: 1,
            workspace: 1,
          },
        ],
        [
          'ann PATCH /plane/workspaces/w/projects/1/labels/0198e1b0-0000-7000-8000-000000000001/',
          { external_id: '2', external_source: 'github' },
          409,
          {
            error: 'Label with the same external id and external source already exists',
            id: '0198e1b0-0000-7000-8000-000000000001',
          },
        ],
        ['ann DELETE /plane/workspaces/w/projects/1/labels/0198e1b0-0000-7000-8000-000000000001/', null, 204],
        ['ann DELETE /plane/workspaces/w/projects/1/labels/0198e1b0-0000-7000-8000-000000000001/', null, 404],
      ],
      'OnCall SlackTeamSettingsAPIView': [
        [
          'bob GET /oncall/slack_settings/',
          null,
          200,
          { pk: 'O1', acknowledge_remind_timeout: 1, unacknowledge_timeout: 2 },
        ],
        [
          'ann PUT /oncall/slack_settings/',
          { acknowledge_remind_timeout: 0, unacknowledge_timeout: 1 },
          200,
          { pk: 'O1', acknowledge_remind_timeout: 0, unacknowledge_timeout: 0 },
        ],
        [
          'ann PUT /oncall/slack_settings/',
          { acknowledge_remind_timeout: 9 },
          400,
          { acknowledge_remind_timeout: ['"9" is not a valid choice.'] },
        ],
        ['bob PUT /oncall/slack_settings/', {}, 403],
        ['ann PATCH /oncall/slack_settings/', {}, 405],
      ],
      'OnCall CurrentUserView': [
        [
          'ann GET /oncall/user/',
          null,
          200,
          {
            pk: 'U1',
            organization: { pk: 'O1', name: 'Org' },
            current_team: null,
            email: 'a@x.org',
            username: 'ann',
            name: 'Ann',
            role: 0,
            avatar: '/a.png',
            avatar_full: 'https://grafana.example.org/a.png',
            timezone: null,
            working_hours: Object.fromEntries(days.map(name => [name, []])),
            unverified_phone_number: null,
            verified_phone_number: null,
            slack_user_identity: null,
            telegram_configuration: null,
            messaging_backends: {},
            notification_chain_verbal: { default: '', important: '' },
            cloud_connection_status: null,
            hide_phone_number: false,
            has_google_oauth2_connected: false,
            is_currently_oncall: false,
            google_calendar_settings: null,
            rbac_permissions: [{ action: 'read' }],
            google_oauth2_token_is_missing_scopes: false,
          },
        ],
        [
          'ann PUT /oncall/user/',
          { current_team: 'T1', timezone: 'Europe/Vienna', email: 'x' },
          200,
          /"current_team":"T1","email":"a@x.org".*"timezone":"Europe\/Vienna"/,
        ],
        [
          'ann PUT /oncall/user/',
          { current_team: 'T2', timezone: 'Mars', unverified_phone_number: '12' },
          400,
          {
            current_team: ['Object with public_primary_key=T2 does not exist.'],
            timezone: ['Invalid timezone'],
            unverified_phone_number: [
              "Phone number must be entered in the format: '+999999999'. From 8 to 15 digits allowed.",
            ],
          },
        ],
        [
          'ann PUT /oncall/user/',
          {
            working_hours: {
              ...Object.fromEntries(days.map(name => [name, []])),
              monday: [{ start: '10:00:00', end: '09:00:00' }],
            },
          },
          400,
          /'start' must be less than 'end'/,
        ],
        ['- GET /oncall/user/', null, 401],
        ['ann PATCH /oncall/user/', {}, 405],
      ],
      'OnCall ActionView': [
        [
          'ann POST /oncall/actions/',
          { name: 'a', url: 'https://x/', password: 's', integration_filter: ['I1'] },
          201,
          (response: Loose) => {
            const { id, ...shown } = response.json()
            const expected = {
              name: 'a',
              is_webhook_enabled: true,
              team_id: 'T1',
              user: null,
              data: null,
              password: placeholder,
              authorization_header: null,
              trigger_template: null,
              headers: null,
              url: 'https://x/',
              forward_whole_payload: true,
              http_method: 'POST',
              trigger_type: 'escalation',
              integration_filter: ['I1'],
            }
            if (JSON.stringify(shown) !== JSON.stringify(expected)) throw new Error(JSON.stringify(shown))
          },
        ],
        [
          'ann POST /oncall/actions/',
          { name: 'a', url: 'https://x/' },
          400,
          { non_field_errors: ['The fields name, organization must make a unique set.'] },
        ],
        [
          'ann POST /oncall/actions/',
          { name: 'b', url: 'https://x/', trigger_type: 'x' },
          400,
          { detail: 'trigger_type must one of escalation, alert group created, acknowledge, resolve' },
        ],
        [
          'ann POST /oncall/actions/',
          { name: 'b', url: 'https://x/', trigger_type: 'resolve', team_id: null },
          201,
          /"team_id":null.*"trigger_type":"resolve","integration_filter":null/,
        ],
        ['bob GET /oncall/actions/?name=a&team=T1', null, 200, /"count":1/],
        ['- GET /oncall/actions/', null, 401],
      ],
    },
  },
  (name, run) => test(name, run),
)
