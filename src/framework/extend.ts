// The entry point 'resource-api/extend', for authors of fields, parsers, renderers, paginators, schemes, throttles, stores
// and pages. Applications need only 'resource-api'.

export { createAddressMatcher } from './authentication/address-matcher.ts'
export { type Credentials, readCredentials } from './authentication/authorization-header.ts'
export { type Cookie, formatCookie, readCookie } from './authentication/cookies.ts'
export { csrfCookie, csrfField, type IssuedToken } from './authentication/csrf.ts'
export { type Attempt, type FailureOptions, failure, type Scheme, skip, success } from './authentication/scheme.ts'
export { createBoundedMap } from './bounded-map.ts'
export { copyLine } from './browsable/action-result.ts'
export { createPageFrame, type FramedPage, type PageFrame } from './browsable/browsable.ts'
export type { LoginOptions, PageContent } from './browsable/browsable-options.ts'
export type { BrowsablePage, PageLink } from './browsable/browsable-page.ts'
export { formatGridValues } from './browsable/choice-grid.ts'
export { dateHtml, timeHtml } from './browsable/format-value.ts'
export { tokenInput } from './browsable/forms.ts'
export { type ChangedValue, changedFieldHtml } from './browsable/history-changes.ts'
export { type KeptForm, keptFormPage, keptLimits, readKeptForm } from './browsable/kept-form.ts'
export { pageHeaders } from './browsable/layout.ts'
export { type LoginForm, loginForm } from './browsable/login-form.ts'
export { formatUrl } from './browsable/page-actions.ts'
export { pagePath } from './browsable/page-url.ts'
export type { Words } from './browsable/words.ts'
export type * from './client-types.ts'
export {
  type Arguments,
  compile,
  Parameter,
  parameter,
  type SqlValue,
  type Statement,
} from './database/database.ts'
export type { Dialect, ForeignKey, Sql } from './database/dialect.ts'
export { findSqliteFile } from './database/open.ts'
export { openConnection } from './database/sqlite-connection.ts'
export { rootResponse } from './default-views.ts'
export { escapeControls, formatErrorLines } from './errors/format-error.ts'
export { type LoggableError, loggableError } from './errors/loggable-error.ts'
export { formatJson } from './exact-json.ts'
export { columnReference, createColumnValue } from './fields/column-reference.ts'
export type { FieldOf, FieldOptions, FieldValidator } from './fields/define-field.ts'
export { defineField } from './fields/define-field.ts'
export type {
  ColumnUse,
  Field,
  FieldDefinition,
  FieldLocation,
  Fields,
  FieldType,
  ForeignColumn,
  JoinTable,
  ParseContext,
  Relation,
  RelationTarget,
  RequestUses,
  RowFilterOptions,
  RowTarget,
  SchemaBuilder,
  Storage,
  ValuesOf,
} from './fields/field.ts'
export { type FieldGroups, listGroups } from './fields/field-groups.ts'
export type { FieldTrait, FieldTypes, KnownOptions } from './fields/field-types.ts'
export { formatLabel } from './fields/format-label.ts'
export { formatTypeName, invalid } from './fields/invalid.ts'
export { defaultValues, type ReadOptions, readFields, readValue } from './fields/read-fields.ts'
export { parseText } from './fields/text.ts'
export { nameOnWire } from './fields/wire-names.ts'
export type { FieldLike } from './fields/zod-field.ts'
export type { Identifier } from './keys/key.ts'
export { isPromise } from './maybe-promise.ts'
export { memoize } from './memoize.ts'
export { frameworkMessages } from './messages/english.ts'
export { type PageKey, type PageTexts, pageMessages } from './messages/page-messages.ts'
export { adviseName } from './nearest-name.ts'
export { type Observer, observeApis } from './observers.ts'
export type { BreakingChange } from './openapi/compare/breaking-change.ts'
export { findBreakingChanges } from './openapi/compare/compare-documents.ts'
export { parseDocument } from './openapi/compare/read-document.ts'
export type { DescribedOperation, DescribeOperation, DescriptionContext } from './openapi/described-operation.ts'
export { sharedDescriptions as errorDescriptions } from './openapi/error-responses.ts'
export { describeErrors } from './openapi/error-schema.ts'
export { describeTakenObject } from './openapi/field-schema.ts'
export { describeRoute } from './openapi/further-paths.ts'
export type { JsonSchema } from './openapi/json-schema.ts'
export type { PathItem } from './openapi/openapi-types.ts'
export {
  createResponseChecker,
  describeDifferences,
  type Exchange,
} from './openapi/response-checker.ts'
export { draftText } from './openapi/translate-texts.ts'
export { formatYaml } from './openapi/yaml.ts'
export { checkOptionNames, type OptionNames } from './option-names.ts'
export {
  type CountedPlan,
  createPageLink,
  type Direction,
  envelope,
  type KeysetPlan,
  type Page,
  type PageNumber,
  type PagePlan,
  type PageRequest,
  type Paginator,
  type ParameterDescription,
  type Position,
  type PositionedItem,
  parseCount,
  type Total,
  type UncountedPlan,
} from './pagination/paginator.ts'
export { type MultipartStreamOptions, multipartStream } from './parsers/multipart-stream.ts'
export type { Parser } from './parsers/parser.ts'
export { readBytes, readText } from './parsers/read-body.ts'
export type { FieldPart, FilePart, Part, RequestBody } from './parsers/request-body.ts'
export { isPermitted } from './permissions/permission.ts'
export type { Asset, RenderContext, RenderedBody, Renderer } from './renderers/renderer.ts'
export { countDeletion, type Deletion, type DeletionCounts } from './resources/count-deletion.ts'
export { listMissingIndexes } from './resources/missing-indexes.ts'
export { defaultRowsPerRequest } from './resources/request-rows.ts'
export { resolveNames } from './resources/resolve-names.ts'
export { countRows, maxCountedRows, type RowCount } from './resources/sql/count-rows.ts'
export { isOneOf } from './resources/sql/key-list.ts'
export { formatSingularTitle, formatTitle, nameList, nameOne } from './resources/title.ts'
export { retryLostRaces } from './resources/write.ts'
export { type HeaderLayers, joinLayers } from './response.ts'
export { createKeyedQueues, createTaskQueue, QueueFull, QueueTimeout, unlimitedWait } from './task-queue.ts'
export { clientAddress } from './throttling/client-address.ts'
export { isRate, parseRate } from './throttling/rate.ts'
export type { Quota } from './throttling/rate-limit-fields.ts'
export type { KeyedRate, RateStore, RateWindow, TakeResult } from './throttling/rate-store.ts'
export type { NamedRate, RateRequest, Throttle, ThrottleResult, Verdict } from './throttling/throttle.ts'
export { timeSlices } from './time-slices.ts'
export { createBaseUrl, localHosts, parseHost, toOwnPath, toRootPath } from './urls/base-url.ts'
export { allMethods, declareMethods } from './urls/routing.ts'
export { endUrl } from './urls/trailing-slash.ts'
export type { ViewPage, ViewPageContext } from './view-page.ts'
