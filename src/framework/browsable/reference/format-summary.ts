// The name of an operation. A generated one is in the caller's language; a declared one stays as it is.

import type { PageKey } from '../../messages/page-messages.ts'
import { formatFunctionName } from '../../openapi/names.ts'
import type { Operation } from '../../openapi/openapi-types.ts'
import type { Words } from '../words.ts'

const verbs: Readonly<Record<string, PageKey>> = {
  List: 'reference.list',
  Create: 'reference.create',
  Retrieve: 'reference.retrieve',
  Replace: 'reference.replace',
  Update: 'reference.update',
  Delete: 'reference.delete',
  Download: 'reference.download',
}

/** The name of an operation: `List users`, or `Users auflisten`. */
export function formatSummary({ summary, operationId }: Operation, words: Words): string {
  const [, verb = '', name = ''] = /^([A-Z][a-z]+) (.+)$/.exec(summary) ?? []
  if (!Object.hasOwn(verbs, verb) || !isGenerated(operationId, verb, name)) return summary
  const text = words(verbs[verb]!, { name })
  return text.charAt(0).toUpperCase() + text.slice(1)
}

// The names of the API and of the parents, or a number, may surround the name.
const isGenerated = (operationId: string, verb: string, name: string): boolean =>
  operationId.toLowerCase().includes(formatFunctionName(verb, name).toLowerCase())
