// The snippet profile (SVC-b2): anyone may read, authenticated callers may create, owners may change and delete.

import { accountId } from '../../accounts/user.ts'
import { boolean } from '../../framework/fields/boolean.ts'
import { choice } from '../../framework/fields/choice.ts'
import { dateTime } from '../../framework/fields/date-time.ts'
import { readOnly } from '../../framework/fields/field.ts'
import { key } from '../../framework/fields/key.ts'
import { primaryKeyRelated } from '../../framework/fields/primary-key-related.ts'
import { text, via } from '../../framework/fields/text.ts'
import type { Paginator } from '../../framework/pagination/paginator.ts'
import {
  allowAny,
  authenticatedOrReadOnly,
  ownerOrReadOnly,
  staff,
} from '../../framework/permissions/built-in-permissions.ts'
import { htmlDocumentRenderer } from '../../framework/renderers/html-document.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import type { Resource, ResourceOptions } from '../../framework/resources/resource.ts'
import { Document } from '../../framework/response.ts'
import type { Profile } from '../profile.ts'
import type { Highlighter } from './highlighting/highlighter.ts'
import { languages } from './highlighting/languages.ts'
import { styles } from './highlighting/styles.ts'
import { snippetMigrations } from './migrations.ts'
import { snippetEvent } from './snippet-event.ts'

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
    ...(action === 'create' && { owner_id: accountId(user), created: now }),
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

/** The highlighted document may not run scripts or load anything; the browsable page shows it in a frame. */
const documentHeaders = Object.freeze({
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
})

const createSnippets = (options: SnippetsOptions) => resource('snippets', createOptions(options))

/** Creates the administration's resource of all snippets, which staff may change and delete. */
export const adminSnippets = (options: SnippetsOptions): Resource =>
  resource('snippets', {
    ...createOptions(options),
    objectName: 'title',
    auditEvent: snippetEvent,
    permissions: [staff],
    actions: ['list', 'retrieve', 'update', 'destroy'],
    ordering: ['-created'],
    searchFields: ['title'],
    filters: ['language', 'linenos'],
    orderingFields: ['created', 'title', 'language'],
    fields: { ...snippetFields(options), created: readOnly(dateTime()) },
  })

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
