// The snippet profile (SVC-b2): anyone may read, authenticated callers may create, owners may change and delete.

import {
  allowAny,
  authenticatedOrReadOnly,
  Document,
  dateTime,
  forTypes,
  htmlDocumentRenderer,
  type Identity,
  key,
  ownerOrReadOnly,
  type Resource,
  related,
  staff,
  text,
} from 'resource-api'
import type { AdminOptions } from '#accounts'
import type { Highlighter } from './highlighting/highlighter.ts'
import { snippetMessages } from './messages.ts'
import { snippetFields } from './snippet-fields.ts'
import { snippetTable, type snippetTables } from './snippet-table.ts'

export interface SnippetResourcesOptions {
  readonly highlighter: Pick<Highlighter, 'highlight'>
  /** The maximum length of code in characters. */
  readonly codeLimit: number
}

// A new snippet names its owner and its time.
const changeEvents = { POST: null, PUT: 'snippet changed', PATCH: 'snippet changed', DELETE: 'snippet changed' }

const { resource } = forTypes<Identity, typeof snippetTables>()

const createSnippets = (options: SnippetResourcesOptions) =>
  resource('snippets', {
    table: snippetTable,
    description: snippetMessages('snippets.about.snippets'),
    pages: {
      names: {
        one: snippetMessages('snippets.name.snippets.one'),
        many: snippetMessages('snippets.name.snippets.many'),
      },
      columns: ['owner', 'language', 'style'],
    },
    auditEvent: changeEvents,
    objectName: 'title',
    ordering: ['created'],
    permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
    fields: snippetFields(options),
    hookColumns: ['highlighted'],
    prepare: async ({ values }) => ({ highlighted: await options.highlighter.highlight(values) }),
    objectViews: {
      highlight: {
        renderers: [htmlDocumentRenderer],
        pageActions: { GET: { label: snippetMessages('snippets.highlight') } },
        openapi: {
          responses: { 200: { description: 'The highlighted code as an HTML document.', content: htmlContent } },
        },
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

const htmlContent = { 'text/html': { schema: { type: 'string' } } }

/** The highlighted document may not run scripts or load anything; the browsable page shows it in a frame. */
const documentHeaders = Object.freeze({
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
})

/** What the administration shows of the snippets: staff may change and delete all of them. */
export const snippetAdmin = (snippets: Resource): AdminOptions => ({
  objectName: 'title',
  pages: { columns: ['owner', 'language', 'created'] },
  permissions: [staff],
  actions: ['list', 'retrieve', 'update', 'destroy'],
  ordering: ['-created'],
  searchFields: ['title'],
  filters: { owner: true, language: true, linenos: true },
  orderingFields: ['created', 'title', 'language'],
  readOnlyFields: { created: dateTime({ label: snippetMessages('snippets.label.created') }) },
  objectViews: snippets.objectViews ?? {},
})

const createUsers = (snippets: ReturnType<typeof createSnippets>) =>
  resource('users', {
    table: 'users',
    description: snippetMessages('snippets.about.users'),
    pages: {
      names: { one: snippetMessages('snippets.name.users.one'), many: snippetMessages('snippets.name.users.many') },
    },
    actions: ['list', 'retrieve'],
    permissions: [allowAny],
    objectName: 'username',
    fields: {
      id: key(),
      username: text({ label: snippetMessages('snippets.label.username'), unique: 'Another user has this name.' }),
      snippets: related(snippets, { many: { reverse: 'owner_id' }, label: snippetMessages('snippets.label.snippets') }),
    },
  })

/** Creates the resources of the profile: the authors, and their snippets. */
export function snippetResources(options: SnippetResourcesOptions): readonly [users: Resource, snippets: Resource] {
  const snippets = createSnippets(options)
  return [createUsers(snippets), snippets]
}
