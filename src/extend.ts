// The public door 'resource-api/extend', for authors of fields, parsers, renderers, paginators, schemes, throttles and stores.
// It also has the types that the compiler writes into the declaration files of applications. Applications import only 'resource-api'.

export type { ApiTypes } from './api/api-types.ts'
export type { ColumnTypes } from './core/database/dialect.ts'
export type { JsonSchema } from './core/describe/json-schema.ts'
export { invalid } from './core/errors/invalid.ts'
export { columnReference } from './core/fields/column-reference.ts'
export type { FieldRecords } from './core/fields/declared-fields.ts'
export { defineField, type FieldOf, type FieldOptions, type SourceField } from './core/fields/define-field.ts'
export type {
  Field,
  FieldDefinition,
  FieldLocation,
  ForeignColumn,
  ParseContext,
  SchemaBuilder,
  ValuesOf,
} from './core/fields/field.ts'
export type {
  ChildBody,
  Computed,
  FieldLink,
  Joined,
  KnownOptions,
  NamedReference,
  TraitOf,
  Unlinked,
} from './core/fields/field-types.ts'
export type { IntegerOptions } from './core/fields/kinds/integer.ts'
export type { KeyField } from './core/fields/kinds/key.ts'
export type { NumberOptions } from './core/fields/kinds/number.ts'
export { readFields, readValue } from './core/fields/read-fields.ts'
export type { ToOneOptions } from './core/fields/relations/related.ts'
export type { FieldLike, ZodField } from './core/fields/schema-fields/zod-field.ts'
export type { OnWire } from './core/fields/wire-names.ts'
export type { ViewInfo } from './core/http/context.ts'
export { type ByteRange, type FileStore, MissingFile } from './core/http/files/file-store.ts'
export type { ZodLocale } from './core/http/languages/languages.ts'
export { multipartStream } from './core/http/parsers/multipart-stream.ts'
export type { Parser } from './core/http/parsers/parser.ts'
export { readBytes, readText } from './core/http/parsers/read-body.ts'
export type { Part, RequestBody } from './core/http/parsers/request-body.ts'
export type { RenderContext, RenderedBody, Renderer } from './core/http/renderers/renderer.ts'
export type { ResponseBody } from './core/http/response.ts'
export type { Key, KeyTypes, KeyValue } from './core/keys/key.ts'
export {
  createPageLink,
  envelope,
  type PageMember,
  type PagePlan,
  type PageRequest,
  type Paginator,
  parseCount,
} from './core/pagination/paginator.ts'
export type { Identify } from './core/policy/authentication/remote-user.ts'
export { type Attempt, failure, type Scheme, skip, success } from './core/policy/authentication/scheme.ts'
export type { KeyedRate, RateStore, TakeResult } from './core/policy/throttling/rate-store.ts'
export type { RateRequest, Throttle, ThrottleResult } from './core/policy/throttling/throttle.ts'
export type { FieldPath } from './core/resource/declare/resource-options.ts'
export { listMissingIndexes } from './core/resource/start/missing-indexes.ts'
export type { CheckedInput, ViewTypes } from './core/view/declared/declared-view.ts'
export type { View } from './core/view/view.ts'
export { describeRoute } from './openapi/further-paths.ts'
