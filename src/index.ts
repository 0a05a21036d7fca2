// The public door 'resource-api', for applications. Authors of fields, schemes, paginators and the like also need
// 'resource-api/extend'.

export { type ApiPlugin, createApi } from './api/api.ts'
export type { ApiOptions } from './api/api-options.ts'
export type { DeclaredApi } from './api/api-types.ts'
export { type CreateApi, type Declarations, forTypes } from './api/for-types.ts'
export { type Connection, ConstraintViolation, type Database } from './core/database/database.ts'
export { createFullTextIndex, dropFullTextIndex } from './core/database/full-text.ts'
export { compareMigrations, inspectMigrations, migrate } from './core/database/migrations/migrate.ts'
export type { MigrationStep, Migrations, OwnedMigrations } from './core/database/migrations/migrations.ts'
export { openDatabase } from './core/database/open.ts'
export { openSqlite } from './core/database/sqlite/sqlite.ts'
export type { OpenApiDocument } from './core/describe/openapi-types.ts'
export {
  APIException,
  AuthenticationFailed,
  BadRequest,
  Conflict,
  IdempotencyKeyReused,
  InsufficientStorage,
  ItemErrors,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  ParseError,
  PayloadTooLarge,
  PermissionDenied,
  PreconditionFailed,
  PreconditionRequired,
  Protected,
  ServiceUnavailable,
  Throttled,
  TooManyRows,
  UnsupportedMediaType,
  ValidationError,
} from './core/errors/exceptions.ts'
export { readOnly, writeOnly } from './core/fields/define-field.ts'
export { integerKey } from './core/fields/keys/integer-key.ts'
export { publicId } from './core/fields/keys/public-id.ts'
export { textKey } from './core/fields/keys/text-key.ts'
export { uuidKey } from './core/fields/keys/uuid-key.ts'
export { boolean } from './core/fields/kinds/boolean.ts'
export { choice } from './core/fields/kinds/choice.ts'
export { type ComputedScope, computed, type DefineComputed } from './core/fields/kinds/computed.ts'
export { date } from './core/fields/kinds/date.ts'
export { dateTime, formatDateTime } from './core/fields/kinds/date-time.ts'
export { decimal } from './core/fields/kinds/decimal.ts'
export { duration } from './core/fields/kinds/duration.ts'
export { email } from './core/fields/kinds/email.ts'
export { type FileField, file, image } from './core/fields/kinds/file.ts'
export { hyperlinkedIdentity } from './core/fields/kinds/hyperlinked-identity.ts'
export { integer } from './core/fields/kinds/integer.ts'
export { json } from './core/fields/kinds/json.ts'
export { key } from './core/fields/kinds/key.ts'
export { list } from './core/fields/kinds/list.ts'
export { multipleChoice } from './core/fields/kinds/multiple-choice.ts'
export { number } from './core/fields/kinds/number.ts'
export { object } from './core/fields/kinds/object.ts'
export { slug } from './core/fields/kinds/slug.ts'
export { type TextOptions, text } from './core/fields/kinds/text.ts'
export { time } from './core/fields/kinds/time.ts'
export { url } from './core/fields/kinds/url.ts'
export { uuid } from './core/fields/kinds/uuid.ts'
export { nested } from './core/fields/relations/nested.ts'
export { oneOf } from './core/fields/relations/one-of.ts'
export { related } from './core/fields/relations/related.ts'
export { via } from './core/fields/relations/source.ts'
export { zodField } from './core/fields/schema-fields/zod-field.ts'
export type { CallContext, CalledObject, HandlerContext, RequestContext } from './core/http/context.ts'
export type { Envelope } from './core/http/envelope/envelope.ts'
export {
  type ExceptionContext,
  type ExceptionHandler,
  exceptionHandler,
  genericBadRequest,
  genericServerError,
  serverError,
} from './core/http/errors/exception-handler.ts'
export { fastifyOptions } from './core/http/fastify-options.ts'
export { folder } from './core/http/files/folder.ts'
export { s3 } from './core/http/files/s3.ts'
export type { ShownFile, StoredFile } from './core/http/files/stored-file.ts'
export { idempotencyMigrations } from './core/http/idempotency/idempotency-store.ts'
export { type Anonymous, anonymous, type Caller, type Identity } from './core/http/identity.ts'
export type { Language, LanguageMessages } from './core/http/languages/languages.ts'
export { formParser } from './core/http/parsers/form.ts'
export { jsonParser } from './core/http/parsers/json.ts'
export { multipartParser } from './core/http/parsers/multipart.ts'
export { htmlDocumentRenderer } from './core/http/renderers/html-document.ts'
export { jsonRenderer } from './core/http/renderers/json.ts'
export { type ApiResponse, Document, JsonStream, JsonText } from './core/http/response.ts'
export {
  defineMessages,
  type ErrorDetail,
  type MessageCatalogue,
  type TranslationOf,
} from './core/messages/catalogue.ts'
export { cursor } from './core/pagination/cursor.ts'
export { limitOffset } from './core/pagination/limit-offset.ts'
export { linkHeader } from './core/pagination/link-header.ts'
export { pageNumber } from './core/pagination/page-number.ts'
export { basicScheme } from './core/policy/authentication/basic.ts'
export { type Csrf, createCsrf } from './core/policy/authentication/csrf.ts'
export { remoteUserScheme } from './core/policy/authentication/remote-user.ts'
export { sessionScheme } from './core/policy/authentication/session.ts'
export { type TokenOptions, tokenScheme } from './core/policy/authentication/token.ts'
export {
  allowAny,
  authenticated,
  authenticatedOrReadOnly,
  type DefineRowFilter,
  ownerOrReadOnly,
  type RowFilterScope,
  rowFilter,
  staff,
} from './core/policy/permissions/built-in-permissions.ts'
export { and, not, or } from './core/policy/permissions/combinators.ts'
export { isSafe, type Permission } from './core/policy/permissions/permission.ts'
export { databaseStore, throttleMigrations } from './core/policy/throttling/database-store.ts'
export { fallbackStore } from './core/policy/throttling/fallback-store.ts'
export { memoryStore } from './core/policy/throttling/memory-store.ts'
export { anonThrottle, scopedThrottle, userThrottle } from './core/policy/throttling/rate-throttles.ts'
export { createContext, ignorePermissions } from './core/resource/calls/create-context.ts'
export { type BodySchema, bodySchema } from './core/resource/declare/body-schema.ts'
export type { BulkMode, BulkOptions } from './core/resource/declare/bulk-option.ts'
export type { DeclaredTypes } from './core/resource/declare/declared-types.ts'
export type { CustomFilter, FilterDeclaration, FullTextFilter } from './core/resource/declare/filters.ts'
export type { AfterSaveContext, DestroyContext, HookContext, SaveContext } from './core/resource/declare/hooks.ts'
export type {
  CreateBody,
  PatchBody,
  Query,
  Representation,
  ResourceTypes,
  UpdateBody,
} from './core/resource/declare/representation.ts'
export type { DeclaredResource, Resource } from './core/resource/declare/resource.ts'
export type { SingletonContext } from './core/resource/declare/singleton.ts'
export {
  type DefineListView,
  type DefineObjectView,
  type ListContext,
  type ListView,
  listView,
  type ObjectContext,
  type ObjectView,
  objectView,
} from './core/resource/declare/views.ts'
export { type DefineResource, resource } from './core/resource/define/define-resource.ts'
export { feedMigrations } from './core/resource/feed/feed-migrations.ts'
export { type DefineFilter, type FilterScope, filter } from './core/resource/query/filters/custom-filter.ts'
export { fullText } from './core/resource/query/filters/full-text-filter.ts'
export { reverse } from './core/resource/routes/reverse.ts'
export { listUnusedFiles } from './core/resource/start/unused-files.ts'
export type { BulkItem } from './core/resource/write/bulk/bulk-item.ts'
export type { DefineView } from './core/view/declared/declared-view.ts'
export { view } from './core/view/define-view.ts'
export type { DocumentOptions } from './core/view/describe/options.ts'
export type { Observation, ViewOptions } from './core/view/view.ts'
// The compiler names types of 'resource-api/extend' in the declaration files of applications, which need not import it.
export type {} from './extend.ts'
export { german } from './locales/german.ts'
export { findDocument } from './openapi/server-document.ts'
export { browsable } from './pages/browsable.ts'
export { html } from './pages/html/html.ts'
export type { BrowsableOptions } from './pages/page/browsable-options.ts'
