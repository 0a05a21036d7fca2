// The bodies of a resource as Standard Schemas (https://standardschema.dev), for forms and for other libraries. They check
// what needs neither the database nor a caller; a request is checked completely.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from '../../describe/json-schema.ts'
import { isDetail } from '../../errors/error-tree.ts'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import type { BodyMethod, Fields } from '../../fields/field.ts'
import { readEnglish } from '../../messages/english.ts'
import { describeTakenObject } from '../../view/describe/field-schema.ts'
import { translateTexts } from '../../view/describe/translate-texts.ts'
import { readBody } from '../../view/schemas/read-body.ts'
import type { CreateBody, PatchBody, TypedResource, UpdateBody } from './representation.ts'

/** The bodies of a resource: of POST, PUT and PATCH. */
export interface Bodies<R extends TypedResource> {
  readonly create: CreateBody<R>
  readonly replace: UpdateBody<R>
  readonly update: PatchBody<R>
}

/** A Standard Schema that also offers its JSON Schema. */
export interface BodySchema<Body> {
  readonly '~standard': StandardSchemaV1.Props<Body> & StandardJSONSchemaV1.Props<Body>
}

/** The part of a resource that its bodies follow from. */
interface DescribedResource {
  readonly fields: Fields
  readonly perAction: {
    readonly create?: { readonly takes?: readonly string[] }
    readonly update?: { readonly takes?: readonly string[] }
  }
}

const methods = { create: 'POST', replace: 'PUT', update: 'PATCH' } as const satisfies Record<string, BodyMethod>

/**
 * A body of a resource as a Standard Schema. It checks the values of fields asynchronously, with their validators, and returns
 * the body as the service reads it: trimmed, normalized, without unknown members and without defaults. Not checked: whether
 * related objects exist, uniqueness, permissions, and the resource's own `normalize` and `validate`. In the place of a file,
 * it accepts a `Blob`.
 *
 * @example
 * const form = new FormApi({ defaultValues, validators: { onSubmitAsync: bodySchema(orders, 'create') } })
 */
export function bodySchema<R extends TypedResource, const Kind extends keyof Bodies<R>>(
  resource: R & DescribedResource,
  kind: Kind,
): BodySchema<Bodies<R>[Kind]> {
  const method = methods[kind]
  if (method === undefined)
    throw new Error(`bodySchema(): there is no body "${kind}": choose ${Object.keys(methods).join(', ')}`)
  const names = resource.perAction[method === 'POST' ? 'create' : 'update']?.takes
  const fields = names === undefined ? resource.fields : pickFields(resource.fields, names)
  const describe = ({ target }: StandardJSONSchemaV1.Options) => describeBody(fields, method, target)
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1,
      vendor: 'resource-api',
      validate: (value: unknown) => validate(fields, method, value),
      jsonSchema: { input: describe, output: describe },
    }),
  }) as BodySchema<Bodies<R>[Kind]>
}

const pickFields = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map(name => [name, fields[name]!]))

async function validate(fields: Fields, method: BodyMethod, value: unknown): Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return { value: await readBody(fields, value, method) }
  } catch (error) {
    if (error instanceof ValidationError) return { issues: listIssues(error.errors, [], value) }
    throw error
  }
}

/** The errors with the paths of their values. */
function listIssues(
  errors: ErrorTree<ErrorDetail>,
  path: readonly (string | number)[],
  value: unknown,
): readonly StandardSchemaV1.Issue[] {
  if (isDetail(errors)) return [{ message: errors.message, path }]
  if (Array.isArray(errors))
    return errors.flatMap((error: ErrorTree<ErrorDetail>, index) =>
      isDetail(error) ? listIssues(error, path, value) : listIssues(error, [...path, index], readMember(value, index)),
    )
  return Object.entries(errors as Readonly<Record<string, ErrorTree<ErrorDetail>>>).flatMap(([name, error]) => {
    const member = Array.isArray(value) ? Number(name) : name
    return listIssues(error, [...path, member], readMember(value, member))
  })
}

const readMember = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const dialects: Readonly<Record<string, string>> = {
  'draft-2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
}

function describeBody(fields: Fields, method: BodyMethod, target: string): Record<string, unknown> {
  const $schema = dialects[target]
  if ($schema === undefined)
    throw new Error(
      `bodySchema(): JSON Schema of "${target}" is not supported: choose ${Object.keys(dialects).join(' or ')}`,
    )
  const $defs: Record<string, JsonSchema> = {}
  const refer = (name: string, create: () => JsonSchema): JsonSchema => {
    if (!Object.hasOwn($defs, name)) {
      // A definition may refer to itself.
      $defs[name] = {}
      $defs[name] = create()
    }
    return { $ref: `#/$defs/${name}` }
  }
  const schema = describeTakenObject(fields, { method, media: 'form' }, { refer })
  return translateTexts({ $schema, ...schema, ...(Object.keys($defs).length > 0 && { $defs }) }, readEnglish)
}
