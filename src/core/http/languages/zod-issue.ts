// Texts of Zod schemas in other languages. Zod makes the text of an issue while it parses, before the language is known,
// so the locale makes it again from the issue.

import { type $ZodErrorMap, type $ZodIssue, config } from 'zod/v4/core'

/** True if Zod's configured locale made the issue's text; false if the schema or the application gave it. */
export function hasDefaultText(issue: $ZodIssue): boolean {
  const { localeError } = config()
  return localeError !== undefined && readText(localeError, issue) === issue.message
}

/** The text that another locale gives an issue; undefined if there is none. */
export const translateIssue = (
  issue: object,
  locale: { readonly localeError: $ZodErrorMap } | undefined,
): string | undefined => locale && readText(locale.localeError, issue as $ZodIssue)

function readText(localeError: $ZodErrorMap, issue: $ZodIssue): string | undefined {
  const text = localeError(issue as Parameters<$ZodErrorMap>[0])
  return typeof text === 'string' ? text : text?.message
}
