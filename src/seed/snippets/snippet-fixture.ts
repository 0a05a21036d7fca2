// The list of snippets in a data file. The owner is a username, and the code is highlighted before the transaction.

import { dateTime, type Resource } from 'resource-api'
import { fixture } from 'resource-api/service'
import { usernameField } from '#accounts'
import { type Fixture, optional } from '#service'
import { snippetFields } from './snippet-fields.ts'
import type { SnippetResourcesOptions } from './snippets.ts'

/** Creates the fixture of snippets. */
export function snippetFixture(resource: Resource, { highlighter, codeLimit }: SnippetResourcesOptions): Fixture {
  const { id: _, ...fields } = snippetFields({ codeLimit })
  return fixture(resource, {
    fields: { ...fields, owner: usernameField, created: optional(dateTime()) },
    columns: async ({ created, ...snippet }, { now }) => ({
      created: created ?? now,
      highlighted: await highlighter.highlight(snippet),
    }),
  })
}
