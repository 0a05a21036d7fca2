// The entry point 'resource-api', for applications. Authors of fields, schemes, paginators and the like also need
// 'resource-api/extend'.

export { type ApiPlugin, createApi } from './api/api.ts'
export type { AnonymousOption, ApiOptions } from './api/api-options.ts'
export type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api/api-types.ts'
export { type CreateApi, type Declarations, forTypes } from './api/for-types.ts'
export type { MaybePromise } from './core/base/maybe-promise.ts'
export type { StatementObserver } from './core/database/database.ts'
export { type Connection, ConstraintViolation, type Database, type PoolState } from './core/database/database.ts'
export type { ColumnTypes } from './core/database/dialect.ts'
export { createFullTextIndex, dropFullTextIndex, type FullTextIndex } from './core/database/full-text.ts'
export { FailedMigration } from './core/database/migrations/failed-migration.ts'
export {
  compareMigrations,
  inspectMigrations,
  type MigrateOptions,
  type MigrationDifference,
  type MigrationReport,
  type MigrationStep,
  type Migrations,
  migrate,
  type OwnedMigrations,
  type OwnedStepNames,
} from './core/database/migrations/migrate.ts'
export { type OpenOptions, openDatabase } from './core/database/open.ts'
export { openPostgres, type PostgresOptions } from './core/database/postgres/postgres.ts'
export { openReplicated, type ReplicatedOptions } from './core/database/postgres/replicas.ts'
export { openSqlite, type SqliteOptions } from './core/database/sqlite/sqlite.ts'
export { UnusableDatabase } from './core/database/unusable-database.ts'
export type { OpenApiDocument, OperationOptions, Parameter, SecurityScheme } from './core/describe/openapi-types.ts'
export * from './core/errors/exceptions.ts'
export type { FieldMessages } from './core/errors/field-messages.ts'
export { readOnly, writeOnly } from './core/fields/define-field.ts'
export { integerKey } from './core/fields/keys/integer-key.ts'
export { type PublicIdOptions, publicId } from './core/fields/keys/public-id.ts'
export { type TextKeyOptions, textKey } from './core/fields/keys/text-key.ts'
export { type UuidKeyOptions, uuidKey } from './core/fields/keys/uuid-key.ts'
export { boolean } from './core/fields/kinds/boolean.ts'
export { choice } from './core/fields/kinds/choice.ts'
export type { ChoiceGrid } from './core/fields/kinds/choice-grid.ts'
export {
  type ComputedOptions,
  type ComputedPageOptions,
  type ComputedScope,
  type ComputedSqlOptions,
  computed,
  type DefineComputed,
} from './core/fields/kinds/computed.ts'
export { date } from './core/fields/kinds/date.ts'
export { dateTime, formatDateTime } from './core/fields/kinds/date-time.ts'
export { type DecimalOptions, decimal } from './core/fields/kinds/decimal.ts'
export { type DurationOptions, duration } from './core/fields/kinds/duration.ts'
export { email } from './core/fields/kinds/email.ts'
export { type FileField, type FileOptions, file, type ImageOptions, image } from './core/fields/kinds/file.ts'
export { hyperlinkedIdentity } from './core/fields/kinds/hyperlinked-identity.ts'
export { type IntegerOptions, integer } from './core/fields/kinds/integer.ts'
export { json } from './core/fields/kinds/json.ts'
export { type KeyFieldOptions, key } from './core/fields/kinds/key.ts'
export { type ListOptions, list } from './core/fields/kinds/list.ts'
export { type MultipleChoiceOptions, multipleChoice } from './core/fields/kinds/multiple-choice.ts'
export { type NumberOptions, number } from './core/fields/kinds/number.ts'
export { type ObjectOptions, object } from './core/fields/kinds/object.ts'
export { slug } from './core/fields/kinds/slug.ts'
export { type TextOptions, text } from './core/fields/kinds/text.ts'
export { time } from './core/fields/kinds/time.ts'
export { url } from './core/fields/kinds/url.ts'
export { type UuidOptions, uuid } from './core/fields/kinds/uuid.ts'
export { nested } from './core/fields/relations/nested.ts'
export type { NestedOptions } from './core/fields/relations/nested-options.ts'
export { type RelatedForms, related, type ToManyOptions, type ToOneOptions } from './core/fields/relations/related.ts'
export { via } from './core/fields/relations/source.ts'
export { zodField } from './core/fields/schema-fields/zod-field.ts'
export type { CallerReferences, RowReferences } from './core/fields/sql-references.ts'
export type {
  ActionCalls,
  CallContext,
  CalledObject,
  CalledResource,
  CalledValues,
  HandlerContext,
  Refusal,
  RequestContext,
  ViewInfo,
} from './core/http/context.ts'
export type { Envelope, PageNames } from './core/http/envelope/envelope.ts'
export {
  type ExceptionContext,
  type ExceptionHandler,
  errorBody,
  exceptionHandler,
  genericBadRequest,
  genericServerError,
  serverError,
} from './core/http/errors/exception-handler.ts'
export { fastifyOptions } from './core/http/fastify-options.ts'
export type { ByteRange, FileStore } from './core/http/files/file-store.ts'
export { MissingFile } from './core/http/files/file-store.ts'
export { folder } from './core/http/files/folder.ts'
export { type S3Options, s3 } from './core/http/files/s3.ts'
export type { ShownFile, StoredFile } from './core/http/files/stored-file.ts'
export { idempotencyMigrations } from './core/http/idempotency/idempotency-store.ts'
export { type Anonymous, anonymous, type Caller, type Identity, isSameUser } from './core/http/identity.ts'
export type {
  Language,
  LanguageMessages,
  LanguageOptions,
  MessageOverrides,
  ZodLocale,
} from './core/http/languages/languages.ts'
export { formParser } from './core/http/parsers/form.ts'
export { jsonParser } from './core/http/parsers/json.ts'
export { multipartParser } from './core/http/parsers/multipart.ts'
export { htmlDocumentRenderer } from './core/http/renderers/html-document.ts'
export { jsonRenderer } from './core/http/renderers/json.ts'
export { type ApiResponse, Document, JsonStream, JsonText, type ResponseBody } from './core/http/response.ts'
export type { PathParameters } from './core/http/urls/path-parameters.ts'
export type { Key, KeyOptions, KeyTypes, KeyValue } from './core/keys/key.ts'
export {
  defineMessages,
  type MessageCatalogue,
  type MessageValues,
  type Texts,
  type TranslationOf,
} from './core/messages/catalogue.ts'
export type { MessageCode, MessageKey, Messages, MessageText } from './core/messages/english.ts'
export type { ResourceTitles } from './core/messages/title.ts'
export { type CursorOptions, cursor } from './core/pagination/cursor.ts'
export { type LimitOffsetOptions, limitOffset } from './core/pagination/limit-offset.ts'
export { linkHeader } from './core/pagination/link-header.ts'
export { type PageNumberOptions, pageNumber } from './core/pagination/page-number.ts'
export { type BasicOptions, basicScheme } from './core/policy/authentication/basic.ts'
export { type Csrf, type CsrfOptions, createCsrf } from './core/policy/authentication/csrf.ts'
export { type DefaultSchemeOptions, defaultSchemes } from './core/policy/authentication/default-schemes.ts'
export { type Identify, type RemoteUserOptions, remoteUserScheme } from './core/policy/authentication/remote-user.ts'
export { type RemoteUserHeaderOptions, remoteUserHeader } from './core/policy/authentication/remote-user-header.ts'
export { type SessionOptions, sessionScheme } from './core/policy/authentication/session.ts'
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
export type { FilteredRow, RowFilter } from './core/policy/permissions/row-filter.ts'
export {
  type DatabaseStoreOptions,
  databaseStore,
  throttleMigrations,
} from './core/policy/throttling/database-store.ts'
export { fallbackStore } from './core/policy/throttling/fallback-store.ts'
export { type MemoryStoreOptions, memoryStore } from './core/policy/throttling/memory-store.ts'
export {
  anonThrottle,
  type RateThrottleOptions,
  type ScopedThrottleOptions,
  scopedThrottle,
  userThrottle,
} from './core/policy/throttling/rate-throttles.ts'
export { type ContextOptions, createContext, ignorePermissions } from './core/resource/calls/create-context.ts'
export { type Bodies, type BodySchema, bodySchema } from './core/resource/declare/body-schema.ts'
export type { BulkAction, BulkMode, BulkOptions } from './core/resource/declare/bulk-option.ts'
export type { FilterLimits } from './core/resource/declare/filter-limits.ts'
export type {
  CustomFilter,
  FilterDeclaration,
  FilterDeclarations,
  FullTextFilter,
  Lookup,
} from './core/resource/declare/filters.ts'
export type {
  AfterSaveContext,
  DestroyContext,
  HookContext,
  SaveContext,
} from './core/resource/declare/hooks.ts'
export type { ChangedValue, ObjectChange, RecordChanges, RecordedWrite } from './core/resource/declare/object-change.ts'
export type {
  CreateBody,
  PatchBody,
  Query,
  Representation,
  ResourceTypes,
  TypedResource,
  UpdateBody,
} from './core/resource/declare/representation.ts'
export type {
  ActionOptions,
  DeclaredResource,
  DeclaredTypes,
  NestedUnderOptions,
  OrderName,
  Resource,
  ResourceOptions,
} from './core/resource/declare/resource.ts'
export type { RowList } from './core/resource/declare/row-lists.ts'
export type { FindSingleton, SingletonContext } from './core/resource/declare/singleton.ts'
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
export {
  type DefineFilter,
  type FilterScope,
  type FilterSqlOptions,
  filter,
} from './core/resource/query/filters/custom-filter.ts'
export { type FullTextOptions, fullText } from './core/resource/query/filters/full-text-filter.ts'
export { reverse } from './core/resource/routes/reverse.ts'
export { DeclarationError } from './core/resource/start/start-checks.ts'
export { listUnusedFiles, type UnusedFile } from './core/resource/start/unused-files.ts'
export type { BulkItem } from './core/resource/write/bulk/bulk-item.ts'
export type { CheckedInput, DefineView, MethodSchemas, ResponseSchema } from './core/view/declared/declared-view.ts'
export { view } from './core/view/define-view.ts'
export type { DocumentOptions } from './core/view/describe/options.ts'
export type { PageAction, PageActions } from './core/view/page-action.ts'
export type { Schema } from './core/view/schemas/schema.ts'
export type {
  AuditEventOption,
  CommittedCall,
  Handler,
  MethodOptions,
  Observation,
  ViewOptions,
} from './core/view/view.ts'
export { german } from './locales/german.ts'
export { findDocument } from './openapi/server-document.ts'
export { browsable } from './pages/browsable.ts'
export { html } from './pages/html/html.ts'
export type { BrowsableOptions } from './pages/page/browsable-options.ts'
