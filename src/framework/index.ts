// The entry point 'resource-api', for applications. Authors of fields, schemes, paginators and the like also need
// 'resource-api/extend'.

export { type ApiPlugin, createApi } from './api.ts'
export type { AnonymousOption, ApiOptions } from './api-options.ts'
export type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api-types.ts'
export { type BasicOptions, basicScheme } from './authentication/basic.ts'
export { type Csrf, type CsrfOptions, createCsrf } from './authentication/csrf.ts'
export { type DefaultSchemeOptions, defaultSchemes } from './authentication/default-schemes.ts'
export { type Anonymous, anonymous, type Caller, type Identity, isSameUser } from './authentication/identity.ts'
export { type Identify, type RemoteUserOptions, remoteUserScheme } from './authentication/remote-user.ts'
export { type RemoteUserHeaderOptions, remoteUserHeader } from './authentication/remote-user-header.ts'
export { type SessionOptions, sessionScheme } from './authentication/session.ts'
export { type TokenOptions, tokenScheme } from './authentication/token.ts'
export { browsable } from './browsable/browsable.ts'
export type { BrowsableOptions } from './browsable/browsable-options.ts'
export { html } from './browsable/html.ts'
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
} from './context.ts'
export type { StatementObserver } from './database/database.ts'
export { type Connection, ConstraintViolation, type Database, type PoolState } from './database/database.ts'
export type { ColumnTypes } from './database/dialect.ts'
export { createFullTextIndex, dropFullTextIndex, type FullTextIndex } from './database/full-text.ts'
export { FailedMigration } from './database/migrations/failed-migration.ts'
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
} from './database/migrations/migrate.ts'
export { type OpenOptions, openDatabase } from './database/open.ts'
export { openPostgres, type PostgresOptions } from './database/postgres.ts'
export { openReplicated, type ReplicatedOptions } from './database/replicas.ts'
export { openSqlite, type SqliteOptions } from './database/sqlite.ts'
export { UnusableDatabase } from './database/unusable-database.ts'
export type { CheckedInput, DefineView, MethodSchemas, ResponseSchema } from './declared-view.ts'
export { view } from './define-view.ts'
export type { Envelope, PageNames } from './envelope/envelope.ts'
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
export type { ChoiceGrid } from './fields/choice-grid.ts'
export {
  type ComputedOptions,
  type ComputedPageOptions,
  type ComputedScope,
  type ComputedSqlOptions,
  computed,
  type DefineComputed,
} from './fields/computed.ts'
export { date } from './fields/date.ts'
export { dateTime, formatDateTime } from './fields/date-time.ts'
export { type DecimalOptions, decimal } from './fields/decimal.ts'
export { readOnly, writeOnly } from './fields/define-field.ts'
export { type DurationOptions, duration } from './fields/duration.ts'
export { email } from './fields/email.ts'
export { type FileField, type FileOptions, file, type ImageOptions, image } from './fields/file.ts'
export { hyperlinkedIdentity } from './fields/hyperlinked-identity.ts'
export { type IntegerOptions, integer } from './fields/integer.ts'
export { json } from './fields/json.ts'
export { type KeyFieldOptions, key } from './fields/key.ts'
export { type ListOptions, list } from './fields/list.ts'
export { type MultipleChoiceOptions, multipleChoice } from './fields/multiple-choice.ts'
export { nested } from './fields/nested.ts'
export type { NestedOptions } from './fields/nested-options.ts'
export { type NumberOptions, number } from './fields/number.ts'
export { type ObjectOptions, object } from './fields/object.ts'
export { type RelatedForms, related, type ToManyOptions, type ToOneOptions } from './fields/related.ts'
export { slug } from './fields/slug.ts'
export { via } from './fields/source.ts'
export { type TextOptions, text } from './fields/text.ts'
export { time } from './fields/time.ts'
export { url } from './fields/url.ts'
export { type UuidOptions, uuid } from './fields/uuid.ts'
export { zodField } from './fields/zod-field.ts'
export type { ByteRange, FileStore } from './files/file-store.ts'
export { MissingFile } from './files/file-store.ts'
export { folder } from './files/folder.ts'
export { type S3Options, s3 } from './files/s3.ts'
export type { ShownFile, StoredFile } from './files/stored-file.ts'
export { type CreateApi, type Declarations, forTypes } from './for-types.ts'
export { idempotencyMigrations } from './idempotency/idempotency-store.ts'
export { integerKey } from './keys/integer-key.ts'
export type { Key, KeyOptions, KeyTypes, KeyValue } from './keys/key.ts'
export { type PublicIdOptions, publicId } from './keys/public-id.ts'
export { type TextKeyOptions, textKey } from './keys/text-key.ts'
export { type UuidKeyOptions, uuidKey } from './keys/uuid-key.ts'
export type { MaybePromise } from './maybe-promise.ts'
export {
  defineMessages,
  type MessageCatalogue,
  type MessageValues,
  type Texts,
  type TranslationOf,
} from './messages/catalogue.ts'
export type { MessageCode, MessageKey, Messages, MessageText } from './messages/english.ts'
export type { FieldMessages } from './messages/field-messages.ts'
export { german } from './messages/german.ts'
export type { Language, LanguageMessages, LanguageOptions, MessageOverrides, ZodLocale } from './messages/languages.ts'
export type { OpenApiDocument, OperationOptions, Parameter, SecurityScheme } from './openapi/openapi-types.ts'
export type { DocumentOptions } from './openapi/options.ts'
export { findDocument } from './openapi/server-document.ts'
export type { PageAction, PageActions } from './page-action.ts'
export { type CursorOptions, cursor } from './pagination/cursor.ts'
export { type LimitOffsetOptions, limitOffset } from './pagination/limit-offset.ts'
export { linkHeader } from './pagination/link-header.ts'
export { type PageNumberOptions, pageNumber } from './pagination/page-number.ts'
export { formParser } from './parsers/form.ts'
export { jsonParser } from './parsers/json.ts'
export { multipartParser } from './parsers/multipart.ts'
export {
  allowAny,
  authenticated,
  authenticatedOrReadOnly,
  type DefineRowFilter,
  ownerOrReadOnly,
  type RowFilterScope,
  rowFilter,
  staff,
} from './permissions/built-in-permissions.ts'
export { and, not, or } from './permissions/combinators.ts'
export { isSafe, type Permission } from './permissions/permission.ts'
export type { FilteredRow, RowFilter } from './permissions/row-filter.ts'
export { htmlDocumentRenderer } from './renderers/html-document.ts'
export { jsonRenderer } from './renderers/json.ts'
export type { BulkItem } from './resources/bulk/bulk-item.ts'
export type { BulkAction, BulkMode, BulkOptions } from './resources/bulk/bulk-option.ts'
export type { ChangedValue, ObjectChange, RecordChanges, RecordedWrite } from './resources/changes/object-change.ts'
export { type ContextOptions, createContext, ignorePermissions } from './resources/create-context.ts'
export { type DefineResource, resource } from './resources/define-resource.ts'
export {
  type CustomFilter,
  type DefineFilter,
  type FilterScope,
  type FilterSqlOptions,
  filter,
} from './resources/filters/custom-filter.ts'
export type { FilterDeclaration, FilterDeclarations } from './resources/filters/declared-filters.ts'
export type { FilterLimits } from './resources/filters/filter-limits.ts'
export { type FullTextFilter, type FullTextOptions, fullText } from './resources/filters/full-text-filter.ts'
export type { Lookup } from './resources/filters/lookups.ts'
export type {
  AfterSaveContext,
  DestroyContext,
  HookContext,
  SaveContext,
} from './resources/hooks.ts'
export type {
  CreateBody,
  PatchBody,
  Query,
  Representation,
  ResourceTypes,
  TypedResource,
  UpdateBody,
} from './resources/representation.ts'
export type {
  ActionOptions,
  DeclaredResource,
  DeclaredTypes,
  NestedUnderOptions,
  OrderName,
  Resource,
  ResourceOptions,
} from './resources/resource.ts'
export { reverse } from './resources/reverse.ts'
export type { RowList } from './resources/row-lists.ts'
export type { FindSingleton, SingletonContext } from './resources/singleton.ts'
export { DeclarationError } from './resources/start-checks.ts'
export type { ResourceTitles } from './resources/title.ts'
export { listUnusedFiles, type UnusedFile } from './resources/unused-files.ts'
export {
  type DefineListView,
  type DefineObjectView,
  type ListContext,
  type ListView,
  listView,
  type ObjectContext,
  type ObjectView,
  objectView,
} from './resources/views.ts'
export { type ApiResponse, Document, JsonStream, JsonText, type ResponseBody } from './response.ts'
export { type Bodies, type BodySchema, bodySchema } from './schemas/body-schema.ts'
export type { Schema } from './schemas/schema.ts'
export type { CallerReferences, RowReferences } from './sql-references.ts'
export { type DatabaseStoreOptions, databaseStore, throttleMigrations } from './throttling/database-store.ts'
export { fallbackStore } from './throttling/fallback-store.ts'
export { type MemoryStoreOptions, memoryStore } from './throttling/memory-store.ts'
export {
  anonThrottle,
  type RateThrottleOptions,
  type ScopedThrottleOptions,
  scopedThrottle,
  userThrottle,
} from './throttling/rate-throttles.ts'
export type { PathParameters } from './urls/path-parameters.ts'
export type { AuditEventOption, CommittedCall, Handler, MethodOptions, Observation, ViewOptions } from './view.ts'
