// A resource bound to its API. It holds everything that the actions need, and is created once at start.

import type { Table } from '../../database/catalogue.ts'
import type { ColumnCheck } from '../../database/column-checks.ts'
import type { KeyedQueues } from '../../database/task-queue.ts'
import { checkSigned, listFileFields, type NamedFile } from '../../fields/files/file-fields.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import { type ChangeRecorder, createChangeRecorder } from '../changes/change-recorder.ts'
import type { Resource } from '../declare/resource.ts'
import { findRequestedIdentifier } from '../declare/singleton.ts'
import { type WrittenColumns, writtenColumns } from '../declare/storage.ts'
import { checkVisibleOrdering } from '../define/check-visible-fields.ts'
import { bindFilters, type ListFilters } from '../query/filters/list-filters.ts'
import {
  checkMeanings,
  checkPageParameters,
  checkReserved,
  listUsedParameters,
} from '../query/filters/unknown-parameters.ts'
import { bindOrdering, type ListOrdering } from '../query/list-ordering.ts'
import { bindSearch, type ListSearch } from '../query/list-search.ts'
import { bindSelection, type ResourceSelection } from '../query/selection/resource-selection.ts'
import type { SeparateRelation } from '../query/selection/selected-fields.ts'
import { type ActionPlans, createActionPlans } from '../sql/action-plan.ts'
import { createManyStatements, type ManyStatements } from '../sql/many.ts'
import { createRelatedRows, type RelatedRows } from '../sql/related-rows.ts'
import { checkDeclaredSql, compileStatements, registerRelatedValues, type Statements } from '../sql/statements.ts'
import { checkListFilterVolatility } from '../sql/volatile.ts'
import { compileRelationRows, type RelationRows } from '../sql/write.ts'
import { createValidator, type Validator } from '../validate/validation.ts'
import type { BoundResourceOptions } from './bound-resource-options.ts'
import { createWriteQueues } from './write-queues.ts'

export interface BoundResource extends BoundResourceOptions {
  /** Names the set of fields that are hidden from the callers of this form of the resource; empty if none is. */
  readonly hiddenKey: string
  readonly resource: Resource
  readonly plans: ActionPlans
  /** The URLs and row filters of related resources. */
  readonly related: RelatedRows
  /** Registers all that statements of the resource, and the queries of its lists, refer to. */
  readonly registerReferences: (related: RelatedRows) => void
  /** The filters of its lists. */
  readonly filters: ListFilters
  /** The search of its lists. */
  readonly search: ListSearch
  /** The ordering of its lists. */
  readonly ordering: ListOrdering
  /** The fields and relations that queries may select; undefined if the resource allows no selection. */
  readonly selection: ResourceSelection | undefined
  /** True: the responses show the fields and relations that a query selected. */
  readonly isSelection?: true
  /** The expanded relations whose objects a list shows apart from its items. */
  readonly separateRelations?: readonly SeparateRelation[]
  /** The statements of one object, and of several. */
  readonly statements: Statements
  readonly many: ManyStatements
  readonly relationRows: readonly RelationRows[]
  /** The fields of files. */
  readonly files: readonly NamedFile[]
  /** The identifier in the paths of objects. */
  readonly identifier: Identifier
  /** Records what writes change; undefined if that is not recorded. */
  readonly recorder: ChangeRecorder | undefined
  /** The columns that create and update can set. */
  readonly columns: WrittenColumns
  readonly validate: Readonly<Record<'create' | 'update', Validator>>
  /** The tables that the resource uses, by name; filled when Fastify becomes ready. */
  readonly tables: Map<string, Table>
  /** The checks of the values that hooks return, by column; filled when Fastify becomes ready. */
  readonly hookChecks: Map<string, readonly ColumnCheck[]>
  /** The queues of the objects, by the key or by what the path contains. */
  readonly writeQueues: KeyedQueues<KeyValue>
  /** Selects the rows below the parents in the request's path; undefined at the top level. */
  readonly rows?: RowFilter
  /** Set if neither permissions nor row filters restrict the actions (decision 055). */
  readonly ignoresPermissions?: true
}

export function bindResource(resource: Resource, options: BoundResourceOptions): BoundResource {
  const { database } = options
  const plans = createActionPlans(resource, options)
  const related = createRelatedRows(options.api)
  const files = listFileFields(resource.fields)
  checkSigned(resource.name, files, options.secret)
  const { filters, search, ordering } = explainDeclaration(resource, () => bindQuery(resource, options))
  checkDeclaredSql(database, resource, plans)
  const registerReferences = (references: RelatedRows) => {
    registerRelatedValues(database, resource, references)
    for (const field of [...filters.all.flatMap(({ path }) => path), ...search.path, ...ordering.path])
      references.isShown(field)
    ordering.register(references)
  }
  options.whenResolved(() => {
    registerReferences(related)
    search.compile()
    for (const filter of filters.compileAll()) checkListFilterVolatility(database, resource.name, filter)
  })
  const bound = {
    ...options,
    hiddenKey: '',
    resource,
    plans,
    related,
    registerReferences,
    filters,
    search,
    ordering,
    selection: bindSelection(resource, plans, options),
    relationRows: compileRelationRows(database, resource, related),
    files,
    identifier: findRequestedIdentifier(resource),
    recorder: createChangeRecorder(database, resource, options.recordChanges),
    columns: writtenColumns(resource),
    tables: new Map(),
    hookChecks: new Map(),
    writeQueues: createWriteQueues(),
  }
  return Object.freeze({ ...bound, ...compileParts(bound) })
}

type CompiledPart = 'statements' | 'many' | 'validate'

/** The statements and the validators, which follow from the plans and the related rows. */
export function compileParts(bound: Omit<BoundResource, CompiledPart>): Pick<BoundResource, CompiledPart> {
  const { database, resource, plans, related } = bound
  return {
    statements: compileStatements(database, resource, plans, related),
    many: createManyStatements(bound),
    validate: {
      create: createValidator(resource, plans.create.takes, bound),
      update: createValidator(resource, plans.update.takes, bound),
    },
  }
}

// An error of a path through relations that were not resolved before.
function explainDeclaration<Result>({ name }: Resource, bind: () => Result): Result {
  try {
    return bind()
  } catch (error) {
    throw new Error(`resource "${name}": ${(error as Error).message}`)
  }
}

function bindQuery(
  resource: Resource,
  options: BoundResourceOptions,
): Pick<BoundResource, 'filters' | 'search' | 'ordering'> {
  const { paginator, reservedParameters: reserved, parameterNames } = options
  const filters = bindFilters(resource, options)
  const used = listUsedParameters(resource, parameterNames)
  checkPageParameters(Object.keys(paginator?.parameters ?? {}), { used, reserved })
  checkMeanings(used, reserved)
  checkReserved(
    filters.all.map(({ parameter }) => parameter),
    [...used, ...reserved],
  )
  checkVisibleOrdering(resource, paginator)
  const bindWith = (parameter: string) => ({
    ...options,
    related: createRelatedRows(options.api, 'queried'),
    parameter,
    // A filter may have the name of a parameter that the list does not use.
    strict: options.strict && !filters.knows(parameter),
  })
  return {
    filters,
    search: bindSearch(resource, bindWith(parameterNames.search)),
    ordering: bindOrdering(resource, bindWith(parameterNames.ordering)),
  }
}
