// The snippet profile (SVC-b2): anyone reads, authenticated users create, owners change and delete.

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
  /** The longest code in characters; default 1 MiB. */
  readonly codeLimit?: number
  /** Default: none, as specified. */
  readonly pagination?: Paginator | undefined
}

/** The fields of a snippet; data files are read with them too. */
export const codeFields = ({ codeLimit = 1024 * 1024 }: Pick<SnippetsOptions, 'codeLimit'>) => ({
  id: key(),
  owner: text({ from: via('owner_id', 'users', 'username') }),
  title: text({ max: 100, blank: true, default: '' }),
  code: text({ max: codeLimit, trim: false, whitespaceOnly: false, multiline: true }),
  linenos: boolean({ default: false, label: 'Line numbers' }),
  language: choice(languages.keys(), { default: 'python' }),
  style: choice(styles.keys(), { default: 'friendly' }),
})

type CodeFields = ReturnType<typeof codeFields>

const declaration = (
  options: SnippetsOptions,
): ResourceOptions<CodeFields, 'owner_id' | 'created' | 'highlighted'> => ({
  table: 'snippets',
  description: 'Pieces of code, highlighted.',
  // Authors change their own snippets all day long.
  auditEvent: null,
  ordering: ['created'],
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  fields: codeFields(options),
  hookColumns: ['owner_id', 'created', 'highlighted'],
  prepare: async (snippet, { action, user, now }) => ({
    ...(action === 'create' && { owner_id: user.id, created: now }),
    highlighted: await options.highlighter.highlight(snippet),
  }),
  objectViews: {
    highlight: {
      renderers: [htmlDocumentRenderer],
      columns: ['highlighted'],
      handlers: {
        GET: ({ object }) => ({
          status: 200,
          headers: documentFields,
          body: new Document(object.highlighted as string),
        }),
      },
    },
  },
})

/** What a highlighted snippet may do: nothing; and the page of the snippet shows it in a frame. */
const documentFields = Object.freeze({
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
})

const snippets = (options: SnippetsOptions) => resource('snippets', declaration(options))

/** Everyone's snippets, for the staff to change and to delete: a resource of the administration. */
export const administeredSnippets = (options: SnippetsOptions): Resource =>
  resource('snippets', {
    ...declaration(options),
    objectName: 'title',
    auditEvent: snippetEvent,
    permissions: [staff],
    actions: ['list', 'retrieve', 'update', 'destroy'],
    ordering: ['-created'],
    searchFields: ['title'],
    filters: ['language', 'linenos'],
    orderingFields: ['created', 'title', 'language'],
    fields: { ...codeFields(options), created: readOnly(dateTime()) },
  })

const users = (snippetResource: ReturnType<typeof snippets>) =>
  resource('users', {
    table: 'users',
    description: 'The authors of snippets.',
    actions: ['list', 'retrieve'],
    permissions: [allowAny],
    fields: {
      id: key(),
      username: text(),
      snippets: primaryKeyRelated({ to: snippetResource, many: { reverse: 'owner_id' } }),
    },
  })

/** Snippets and their authors. */
export function snippetProfile(options: SnippetsOptions): Profile {
  const snippetResource = snippets(options)
  return {
    name: 'snippets',
    resources: [users(snippetResource), snippetResource],
    migrations: snippetMigrations,
    ...(options.pagination && { pagination: options.pagination }),
  }
}
