// The snippet profile (SVC-b2): code snippets with syntax highlighting, and their authors.

import { pageNumber } from 'resource-api'
import type { MetricsRegistry } from 'resource-api/server'
import { type Profile, profile } from 'resource-api/service'
import { demoAuthors, demoSnippets } from './demo-snippets.ts'
import { createHighlighter, type Highlighter } from './highlighting/highlighter.ts'
import { snippetMessages } from './messages.ts'
import { listLimitProblems, type SnippetSettings, type SnippetsOptions, snippetSettings } from './settings.ts'
import { snippetFixture } from './snippet-fixture.ts'
import { snippetPage } from './snippet-page.ts'
import { snippetTables } from './snippet-table.ts'
import { snippetAdmin, snippetResources } from './snippets.ts'

/** Creates the snippet profile. */
export const snippets = (options: SnippetsOptions = {}): Profile =>
  profile('snippets', {
    title: 'Snippets',
    description: 'Code snippets with syntax highlighting. Anyone can read them, and users can create their own.',
    mount: '/snippet/',
    settings: { schema: snippetSettings, values: options },
    tables: snippetTables,
    idempotencyKeys: true,
    pages: { 'snippets-detail': snippetPage },
    catalogues: [snippetMessages],
    examples: [{ title: 'Post a snippet', path: 'snippets/', body: { code: 'print(1)' } }],
    demo: {
      settings: { pagination: pageNumber({ pageSize: 10 }) },
      data: { users: demoAuthors, snippets: demoSnippets },
    },
    deploymentProblems: listLimitProblems,
    open({ settings }) {
      const { pagination, codeLimit } = settings
      const highlighter = createHighlighter(highlighterOptions(settings))
      const resources = snippetResources({ highlighter, codeLimit })
      return {
        resources,
        // The specification fixes what `OPTIONS` contains.
        describesLists: false,
        suggestsIndexes: false,
        ...(pagination && { pagination }),
        // Room for the longest code, with up to 4 bytes of UTF-8 per character, and for the other fields.
        bodySize: 4 * codeLimit + 64 * 1024,
        admin: { snippets: snippetAdmin(resources[1]) },
        fixtures: { snippets: snippetFixture(resources[1], { highlighter, codeLimit }) },
        metrics: highlightingMetrics(highlighter),
        close: highlighter.close,
      }
    },
  })

const highlighterOptions = (settings: SnippetSettings) => ({
  maxCode: settings.highlightedCode,
  maxLineLength: settings.highlightedLine,
  deadline: settings.highlightingTime,
  maxWait: settings.highlightingWait,
})

const highlightingMetrics =
  ({ stats }: Highlighter) =>
  (registry: MetricsRegistry): void => {
    registry.gauge({
      name: 'highlighting_waiting',
      help: 'Snippets that wait for a highlighting thread',
      collect: () => stats().waiting,
    })
    registry.counter({
      name: 'highlighted_snippets_total',
      help: 'Snippets by outcome: highlighted, plain (too long), late (deadline exceeded) or failed; the last three are shown as plain text',
      labels: ['outcome'],
      collect() {
        const { highlighted, plain, late, failed } = stats()
        return Object.entries({ highlighted, plain, late, failed }).map(([outcome, value]) => ({
          labels: { outcome },
          value,
        }))
      },
    })
  }
