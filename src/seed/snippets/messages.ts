// The words of the snippets on pages.

import { defineMessages, type TranslationOf } from 'resource-api'

/** The names of the resources, and the labels of their fields. */
export const snippetMessages = defineMessages({
  'snippets.label.title': 'Title',
  'snippets.label.code': 'Code',
  'snippets.label.linenos': 'Line numbers',
  'snippets.label.language': 'Language',
  'snippets.label.style': 'Style',
  'snippets.label.owner': 'Owner',
  'snippets.label.created': 'Created',
  'snippets.label.username': 'Username',
  'snippets.label.snippets': 'Snippets',
  'snippets.name.snippets.one': 'Snippet',
  'snippets.name.snippets.many': 'Snippets',
  'snippets.name.users.one': 'User',
  'snippets.name.users.many': 'Users',
  'snippets.about.snippets': 'Code snippets with syntax highlighting.',
  'snippets.about.users': 'The authors of snippets.',
  'snippets.highlight': 'Highlighted page',
})

/** All words of the snippets in one language. */
export type SnippetMessages = TranslationOf<typeof snippetMessages>
