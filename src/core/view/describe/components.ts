// The components of a document. What several operations use is described once, and a resource may refer to itself.

import type { JsonSchema } from '../../describe/json-schema.ts'
import type { Components, Header, Reference, Response } from '../../describe/openapi-types.ts'
import type { ResourceNames } from '../../errors/exceptions.ts'
import { findFreeName, formatTypeName } from './names.ts'

/** A component of a resource. */
export interface RegisteredResource {
  readonly component: string
  readonly prefix: string
  readonly resource: string
  readonly form: string
}

/** Adds components to a document. */
export interface ComponentRegistry {
  refer(name: string, create: () => JsonSchema): JsonSchema
  /** `prefix`: the path of the resource's API below that of the document. */
  referTo(prefix: string, resource: ResourceNames, form: string, create: () => JsonSchema): JsonSchema
  referToResponse(name: string, create: () => Response): Reference
  referToHeader(name: string, header: Header): Reference
  /** The components of resources. */
  readonly resources: readonly RegisteredResource[]
  readonly components: Pick<Components, 'schemas' | 'responses' | 'headers'>
}

export function createComponents(): ComponentRegistry {
  const schemas: Record<string, JsonSchema> = {}
  const responses: Record<string, Response> = {}
  const headers: Record<string, Header> = {}
  const names = new Map<string, string>()
  const resources = new Map<string, Omit<RegisteredResource, 'component'>>()
  // Many operations refer to the same responses and header fields, whose names differ.
  const references = new Map<string, Reference>()
  const keep = (name: string, kind: keyof Components): Reference => {
    const reference = formatReference(kind, name)
    references.set(name, reference)
    return reference
  }
  const createLater = createQueue()
  const refer = (identity: string, wanted: string, create: () => JsonSchema): JsonSchema => {
    const known = names.get(identity)
    if (known !== undefined) return formatReference('schemas', known)
    const name = findFreeName(wanted, each => Object.hasOwn(schemas, each))
    names.set(identity, name)
    // A component that refers to itself finds this one.
    schemas[name] = {}
    createLater(() => {
      schemas[name] = create()
    })
    return formatReference('schemas', name)
  }
  return {
    refer: (name, create) => refer(name, formatTypeName(name), create),
    referTo(prefix, { name, title }, form, create) {
      const identity = JSON.stringify([prefix, name, form])
      resources.set(identity, { prefix, resource: name, form })
      return refer(identity, formatTypeName(prefix, title, form), create)
    },
    get resources() {
      return [...resources].map(([identity, registered]) => ({ component: names.get(identity)!, ...registered }))
    },
    referToResponse(name, create) {
      const known = references.get(name)
      if (known !== undefined) return known
      responses[name] = create()
      return keep(name, 'responses')
    },
    referToHeader(name, header) {
      headers[name] = header
      return references.get(name) ?? keep(name, 'headers')
    },
    components: { schemas, responses, headers },
  }
}

// A task that begins during another one runs after it: the components of hundreds of resources, each of which refers to the
// next one, would overflow the stack.
function createQueue(): (task: () => void) => void {
  let waiting: (() => void)[] | undefined
  return task => {
    if (waiting !== undefined) {
      waiting.push(task)
      return
    }
    waiting = [task]
    try {
      for (const next of waiting) next()
    } finally {
      waiting = undefined
    }
  }
}

const formatReference = (kind: keyof Components, name: string): { readonly $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
})
