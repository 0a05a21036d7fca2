// Checks what views declare about their requests and responses. A mistake is an error at start that names the fix.

import { isField } from '../../fields/check-is-field.ts'
import type { DeclaredFields } from '../../fields/declared-fields.ts'
import type { Field } from '../../fields/field.ts'
import { isSchema } from '../../fields/schema-fields/zod-field.ts'
import { hasColumn } from '../../fields/storage.ts'
import { checkSchema, isListSchema, isStandardSchema } from '../schemas/schema.ts'
import type { ViewOptions } from '../view.ts'
import type { MethodSchemas } from './declared-view.ts'

/** The declaration of a view whose handlers have been checked. */
interface CheckedView extends MethodSchemas {
  readonly parameters?: DeclaredFields
  readonly handlers: Readonly<Record<string, object>>
}

/** Whether requests with this method have no body. */
export const isBodiless = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

/** Whether a method has the body of its view. A DELETE has only its own, because most clients send none. */
export const inheritsBody = (method: string): boolean => !isBodiless(method) && method !== 'DELETE'

/** Throws for the first wrong schema of a view. `where` begins the message. */
export function checkDeclaredView(where: string, view: CheckedView): void {
  checkSchemas(where, view)
  for (const [method, handler] of Object.entries(view.handlers))
    if (typeof handler !== 'function') checkSchemas(`${where}: ${method}`, handler)
  if (view.body !== undefined && !Object.keys(view.handlers).some(inheritsBody))
    throw new Error(`${where}: body: no method of the view has a body: add POST, PUT or PATCH, or declare a "query"`)
  for (const [name, field] of listFields(view.parameters))
    if (!field.required)
      throw new Error(
        `${where}: parameters: field "${name}": the path always contains it: remove "required", "nullable" and "default"`,
      )
}

function checkSchemas(where: string, schemas: MethodSchemas & Pick<CheckedView, 'parameters'>): void {
  checkErrors(where, schemas.errors)
  for (const option of ['parameters', 'query', 'body', 'response'] as const) {
    const schema = schemas[option]
    if (schema === undefined || (option === 'response' && schema === 'representation')) continue
    if (option !== 'query' && option !== 'parameters' && isListSchema(schema)) {
      checkList(`${where}: ${option}`, schema)
      continue
    }
    const checked = checkSchema(schema as DeclaredFields, `${where}: ${option}`)
    if (isStandardSchema(checked)) continue
    for (const [name, { visibleRows }] of listFields(checked))
      if (visibleRows !== undefined)
        throw new Error(
          `${where}: ${option}: field "${name}": visible: a condition is for the fields of a resource: write a function`,
        )
    if (option === 'response') continue
    for (const [name, field] of listFields(checked)) checkInput(`${where}: ${option}: field "${name}"`, field)
  }
}

function checkErrors(where: string, errors: MethodSchemas['errors'] = {}): void {
  for (const [status, schema] of Object.entries(errors)) {
    if (!/^[45]\d\d$/.test(status))
      throw new Error(
        `${where}: errors: ${JSON.stringify(status)} is not the status of an error: write one from 400 to 599`,
      )
    if (!isField(schema) && schema !== 'document') checkSchema(schema as DeclaredFields, `${where}: errors: ${status}`)
  }
}

const listFields = (fields: DeclaredFields = {}): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(fields).flatMap(([name, field]) => (isSchema(field) ? [] : [[name, field]]))

// The options of a field that say whether a body contains it, and where it is stored.
function checkList(where: string, field: Field): void {
  const { required, nullable, readOnly, writeOnly, visible } = field
  if (!required || nullable || readOnly || writeOnly || visible || !hasColumn(field))
    throw new Error(
      `${where}: the list is the whole ${where.endsWith('body') ? 'body' : 'response'}: give list() only "of", "min", "max", "empty", "validators", "normalize" and "messages"`,
    )
}

function checkInput(where: string, { readOnly, unique, fixed, completion }: Field): void {
  if (completion?.forKey !== undefined)
    throw new Error(`${where} is the key of a resource: declare a field of the type of the key, such as integer()`)
  if (readOnly)
    throw new Error(`${where} is read-only, so no request contains it: remove it, or declare one that can be written`)
  if (unique !== undefined)
    throw new Error(`${where}: "unique" is for the fields of a resource: remove it, and check the value in the handler`)
  if (fixed) throw new Error(`${where}: "fixed" is for the fields of a resource: remove it`)
}

/** Throws if a plain view declares a relation: only the views of a resource know the objects of its API. */
export function checkNoRelations(where: string, { parameters, handlers, ...schemas }: CheckedView): void {
  for (const { query, body } of [schemas, ...Object.values(handlers)] as MethodSchemas[])
    for (const [option, schema] of Object.entries({ parameters, query, body })) {
      const isFields = schema !== undefined && !isStandardSchema(schema) && !isListSchema(schema)
      const fields = isFields ? (schema as DeclaredFields) : {}
      for (const [name, { relation, targetName }] of listFields(fields))
        if (relation !== undefined || targetName !== undefined)
          throw new Error(
            `${where}: ${option}: field "${name}" is a relation, and only views of a resource check that its objects exist: declare a listView() or objectView(), or take the key, such as integer()`,
          )
    }
}

/** Throws if a declared query has the parameter that selects a renderer: no handler would get it. */
export function checkQueryNames(
  routes: readonly { readonly view: Pick<ViewOptions, 'name' | 'descriptions'> }[],
  formatParam: string | null,
  reserved: readonly string[],
): void {
  for (const { view } of routes)
    for (const [method, { query = {} }] of Object.entries(view.descriptions ?? {}))
      for (const name of reserved) {
        if (!Object.hasOwn(query, name)) continue
        const [use, option] =
          name === formatParam ? ['renderer', 'formatParam'] : ['version of the API', 'name of versioning']
        throw new Error(
          `createApi(): view "${view.name}": ${method}: query: the parameter "${name}" selects the ${use}: rename it, or set the option "${option}"`,
        )
      }
}
