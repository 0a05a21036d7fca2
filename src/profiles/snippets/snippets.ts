// The snippet profile (SVC-b2): anyone may read, authenticated callers may create, owners may change and delete.

import {
  allowAny,
  authenticatedOrReadOnly,
  boolean,
  choice,
  Document,
  dateTime,
  htmlDocumentRenderer,
  type Identity,
  key,
  ownerOrReadOnly,
  PermissionDenied,
  primaryKeyRelated,
  type ResourceOptions,
  resource,
  staff,
  text,
  via,
} from 'resource-api'
import { type AdminResource, adminResource, findAccountId } from 'resource-api/accounts'
import type { Paginator } from 'resource-api/extend'
import type { Profile } from 'resource-api/service'
import type { Highlighter } from './highlighting/highlighter.ts'
import { languages } from './highlighting/languages.ts'
import { styles } from './highlighting/styles.ts'
import { snippetMigrations } from './migrations.ts'

export interface SnippetsOptions {
  readonly highlighter: Pick<Highlighter, 'highlight'>
  /** The maximum length of code in characters; default 1,048,576. */
  readonly codeLimit?: number
  /** Default: none. */
  readonly pagination?: Paginator | undefined
}

/** The fields of a snippet, also used to load data files. */
export const snippetFields = ({ codeLimit = 1024 * 1024 }: Pick<SnippetsOptions, 'codeLimit'>) => ({
  id: key(),
  owner: text({ from: via('owner_id', 'users', 'username') }),
  title: text({ max: 100, blank: true, default: '' }),
  code: text({ max: codeLimit, trim: false, whitespaceOnly: false, multiline: true }),
  linenos: boolean({ default: false, label: 'Line numbers' }),
  language: choice(languages.keys(), { default: 'python' }),
  style: choice(styles.keys(), { default: 'friendly' }),
})

type CodeFields = ReturnType<typeof snippetFields>

const createOptions = (
  options: SnippetsOptions,
): ResourceOptions<CodeFields, 'owner_id' | 'created' | 'highlighted'> => ({
  table: 'snippets',
  description: 'Code snippets with syntax highlighting.',
  // Authors change their own snippets often, so these changes are not audited.
  auditEvent: null,
  ordering: ['created'],
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  fields: snippetFields(options),
  hookColumns: ['owner_id', 'created', 'highlighted'],
  prepare: async (snippet, { action, user, now }) => ({
    ...(action === 'create' && { owner_id: findOwner(user), created: now }),
    highlighted: await options.highlighter.highlight(snippet),
  }),
  objectViews: {
    highlight: {
      renderers: [htmlDocumentRenderer],
      columns: ['highlighted'],
      handlers: {
        GET: ({ object }) => ({
          status: 200,
          headers: documentHeaders,
          body: new Document(object.highlighted as string),
        }),
      },
    },
  },
})

// The owner of a snippet is an account, which a caller of a custom scheme may lack.
function findOwner(user: Identity): number {
  const id = findAccountId(user)
  if (id === null) throw new PermissionDenied('Only callers with an account may create snippets.')
  return id
}

/** The highlighted document may not run scripts or load anything; the browsable page shows it in a frame. */
const documentHeaders = Object.freeze({
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
})

const createSnippets = (options: SnippetsOptions) => resource('snippets', createOptions(options))

/** What the administration shows of the snippets: staff may change and delete all of them. */
export function adminSnippets(options: SnippetsOptions): AdminResource {
  const snippets = createSnippets(options)
  return adminResource(snippets, {
    objectName: 'title',
    permissions: [staff],
    actions: ['list', 'retrieve', 'update', 'destroy'],
    ordering: ['-created'],
    searchFields: ['title'],
    filters: ['language', 'linenos'],
    orderingFields: ['created', 'title', 'language'],
    readOnlyFields: { created: dateTime() },
    objectViews: snippets.objectViews ?? {},
  })
}

const createUsers = (snippets: ReturnType<typeof createSnippets>) =>
  resource('users', {
    table: 'users',
    description: 'The authors of snippets.',
    actions: ['list', 'retrieve'],
    permissions: [allowAny],
    fields: {
      id: key(),
      username: text(),
      snippets: primaryKeyRelated({ to: snippets, many: { reverse: 'owner_id' } }),
    },
  })

/** Creates the snippet profile: snippets and their authors. */
export function snippetProfile(options: SnippetsOptions): Profile {
  const snippets = createSnippets(options)
  return {
    name: 'snippets',
    resources: [createUsers(snippets), snippets],
    migrations: snippetMigrations,
    ...(options.pagination && { pagination: options.pagination }),
  }
}
