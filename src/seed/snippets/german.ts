import type { SnippetMessages } from './messages.ts'

/**
 * The words of the snippets in German.
 *
 * @example
 * const settings = { languages: { de: { ...german, ...germanAccounts, ...germanSnippets } } }
 */
export const germanSnippets: SnippetMessages = Object.freeze({
  'snippets.label.title': 'Titel',
  'snippets.label.code': 'Code',
  'snippets.label.linenos': 'Zeilennummern',
  'snippets.label.language': 'Sprache',
  'snippets.label.style': 'Stil',
  'snippets.label.owner': 'Eigentümer',
  'snippets.label.created': 'Angelegt',
  'snippets.label.username': 'Benutzername',
  'snippets.label.snippets': 'Snippets',
  'snippets.name.snippets.one': 'Snippet',
  'snippets.name.snippets.many': 'Snippets',
  'snippets.name.users.one': 'Benutzer',
  'snippets.name.users.many': 'Benutzer',
  'snippets.about.snippets': 'Code-Snippets mit Syntaxhervorhebung.',
  'snippets.about.users': 'Die Autoren von Snippets.',
  'snippets.highlight': 'Hervorgehoben',
})
