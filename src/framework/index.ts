// The public API of the package: import from 'resource-api'.

export { type ApiOptions, createApi } from './api.ts'
export { type Credentials, readCredentials } from './authentication/authorization-header.ts'
export { type BasicOptions, basicScheme } from './authentication/basic.ts'
export { type Cookie, formatCookie, readCookie } from './authentication/cookies.ts'
export { type Csrf, type CsrfOptions, createCsrf, csrfField, type IssuedToken } from './authentication/csrf.ts'
export { type Accounts, defaultSchemes } from './authentication/default-schemes.ts'
export { anonymous, type Caller, type Identity } from './authentication/identity.ts'
export { type Identify, type RemoteUserOptions, remoteUserScheme } from './authentication/remote-user.ts'
export { type RemoteUserHeaderOptions, remoteUserHeader } from './authentication/remote-user-header.ts'
export {
  type Attempt,
  type FailureOptions,
  failure,
  type Scheme,
  skip,
  success,
} from './authentication/scheme.ts'
export { type SessionOptions, sessionScheme } from './authentication/session.ts'
export { type TokenOptions, tokenScheme } from './authentication/token.ts'
export { type BrowsableOptions, browsable, type PageContent } from './browsable/browsable.ts'
export type { BrowsablePage, PageLink } from './browsable/layout.ts'
export type { HandlerContext, Refusal, RequestContext, ViewInfo } from './context.ts'
export {
  type Connection,
  ConstraintViolation,
  compile,
  type Database,
  type PoolState,
  parameter,
  type Statement,
} from './database/database.ts'
export type { ColumnTypes, Dialect, Sql } from './database/dialect.ts'
export { type MigrationStep, type Migrations, migrate } from './database/migrate.ts'
export { type OpenOptions, openDatabase } from './database/open.ts'
export { openPostgres, type PostgresOptions } from './database/postgres.ts'
export { openReplicated, type ReplicatedOptions } from './database/replicas.ts'
export { openSqlite, type SqliteOptions } from './database/sqlite.ts'
export {
  type ExceptionContext,
  type ExceptionHandler,
  errorBody,
  exceptionHandler,
  genericBadRequest,
  genericServerError,
  serverError,
} from './errors/exception-handler.ts'
export * from './errors/exceptions.ts'
export { fastifyOptions } from './fastify-options.ts'
export { boolean } from './fields/boolean.ts'
export { choice } from './fields/choice.ts'
export { type ComputedOptions, type ComputedSqlOptions, computed } from './fields/computed.ts'
export { date } from './fields/date.ts'
export { dateTime } from './fields/date-time.ts'
export { type DecimalOptions, decimal } from './fields/decimal.ts'
export { type DurationOptions, duration } from './fields/duration.ts'
export { email } from './fields/email.ts'
export {
  type Field,
  type FieldOptions,
  type FieldValidator,
  type JoinTable,
  readOnly,
  writeOnly,
} from './fields/field.ts'
export { hyperlinkedIdentity } from './fields/hyperlinked-identity.ts'
export { hyperlinkedRelated } from './fields/hyperlinked-related.ts'
export { type IntegerOptions, integer } from './fields/integer.ts'
export { json } from './fields/json.ts'
export { key } from './fields/key.ts'
export { type ListOptions, list } from './fields/list.ts'
export { type MultipleChoiceOptions, multipleChoice } from './fields/multiple-choice.ts'
export { type NestedOptions, nested } from './fields/nested.ts'
export { type NumberOptions, number } from './fields/number.ts'
export { type ObjectOptions, object } from './fields/object.ts'
export { primaryKeyRelated } from './fields/primary-key-related.ts'
export { defaultValues, readFields } from './fields/read-fields.ts'
export type { ToManyOptions, ToOneOptions } from './fields/related.ts'
export { slug } from './fields/slug.ts'
export { type TextOptions, text, via } from './fields/text.ts'
export { time } from './fields/time.ts'
export { url } from './fields/url.ts'
export { type UuidOptions, uuid } from './fields/uuid.ts'
export { zodField } from './fields/zod-field.ts'
export type { MaybePromise } from './maybe-promise.ts'
export { type CursorOptions, cursor } from './pagination/cursor.ts'
export { type LimitOffsetOptions, limitOffset } from './pagination/limit-offset.ts'
export { linkHeader } from './pagination/link-header.ts'
export { type PageNumberOptions, pageNumber } from './pagination/page-number.ts'
export {
  type CountedPlan,
  createPageLink,
  type Direction,
  envelope,
  type KeysetPlan,
  type Page,
  type PagePlan,
  type PageRequest,
  type Paginator,
  type Position,
  type PositionedItem,
  parseCount,
  type UncountedPlan,
} from './pagination/paginator.ts'
export { formParser } from './parsers/form.ts'
export { jsonParser } from './parsers/json.ts'
export { multipartParser } from './parsers/multipart.ts'
export { type MultipartStreamOptions, multipartStream } from './parsers/multipart-stream.ts'
export type { Parser } from './parsers/parser.ts'
export type { FieldPart, FilePart, Part, RequestBody } from './parsers/request-body.ts'
export {
  allowAny,
  authenticated,
  authenticatedOrReadOnly,
  ownerOrReadOnly,
  staff,
} from './permissions/built-in-permissions.ts'
export { and, isSafe, not, or, type Permission } from './permissions/permission.ts'
export type { FilteredRow, RowFilter } from './permissions/row-filter.ts'
export { htmlDocumentRenderer } from './renderers/html-document.ts'
export { jsonRenderer } from './renderers/json.ts'
export type { RenderContext, RenderedBody, Renderer } from './renderers/renderer.ts'
export { resource } from './resources/define-resource.ts'
export type {
  ActionOptions,
  NestedUnder,
  Resource,
  ResourceOptions,
  ValidateContext,
  WriteContext,
} from './resources/resource.ts'
export {
  type ListContext,
  type ListView,
  listView,
  type ObjectContext,
  type ObjectView,
  objectView,
} from './resources/views.ts'
export {
  type ApiResponse,
  Document,
  type HeaderLayers,
  JsonStream,
  JsonText,
  joinLayers,
  type ResponseBody,
} from './response.ts'
export { clientAddress } from './throttling/client-address.ts'
export { type DatabaseStoreOptions, databaseStore, throttleMigrations } from './throttling/database-store.ts'
export { type MemoryStoreOptions, memoryStore } from './throttling/memory-store.ts'
export type { Quota } from './throttling/rate-limit-fields.ts'
export type { KeyedRate, RateStore, RateWindow, TakeResult } from './throttling/rate-store.ts'
export {
  anonThrottle,
  type RateThrottleOptions,
  type ScopedThrottleOptions,
  scopedThrottle,
  userThrottle,
} from './throttling/rate-throttles.ts'
export type { NamedRate, RateRequest, Throttle, ThrottleResult, Verdict } from './throttling/throttle.ts'
export type { Handler, MethodOptions, ViewOptions } from './view.ts'
