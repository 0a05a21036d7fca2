// The filter of a lookup, such as `total__gte` or `customer__country__not__in`.

import { sql } from 'kysely'
import { noValues } from '../../../database/database.ts'
import type { Field } from '../../../fields/field.ts'
import { combineVisible } from '../../../fields/field-visibility.ts'
import { formatLabel } from '../../../fields/format-label.ts'
import type { PositiveLookup } from '../../../fields/kinds/kind.ts'
import { textKind } from '../../../fields/kinds/text.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import type { Lookup } from '../../declare/filters.ts'
import { compileCondition, type QueriedValue } from '../queried-value.ts'
import { findDependence } from '../request-dependence.ts'
import { compileLookup } from './compile-lookup.ts'
import type { CompileFilter, Filter } from './filter.ts'
import { inputKinds, lookupLabels, type ParsedLookup, parseLookup } from './lookups.ts'
import { readFlag, readLookupValues } from './read-values.ts'

/** Creates the filter of a lookup. `path` is the one that the resource declares. */
export function createLookupFilter(path: string, lookup: Lookup, compared: QueriedValue): Filter {
  const { field, wirePath: name } = compared
  const parsed = parseLookup(lookup)
  return {
    parameter: lookup === 'exact' ? name : `${name}__${lookup}`,
    lookup: { ...parsed, name: lookup, compared },
    path: compared.path,
    input: { ...describeInput(path, parsed, field), ...combineVisible(compared.path) },
    ...createParts(parsed, compared),
    ...findDependence(compared),
  }
}

type FilterParts = Pick<Filter, 'conditions' | 'read'>

const createParts = ({ positive, negated }: ParsedLookup, compared: QueriedValue): FilterParts =>
  positive === 'isnull' ? createNullParts(compared) : createLookupParts(positive, compared, negated)

function createLookupParts(
  positive: Exclude<PositiveLookup, 'isnull'>,
  compared: QueriedValue,
  negated: boolean,
): FilterParts {
  const compile: CompileFilter = (location, parameter) =>
    compileCondition(compared, location, value =>
      compileLookup[positive]({ value, compared, dialect: location.dialect, parameter }),
    )
  return {
    // The negation of null is true: a row without a value is one that the comparison does not find.
    conditions: {
      '': negated ? (location, parameter) => sql`(${compile(location, parameter)}) is not true` : compile,
    },
    read: async (texts, options) => ({
      variant: '',
      values: await readLookupValues(positive, compared, texts, options),
    }),
  }
}

// `isnull=true` finds the rows that `isnull=false` does not find: through relations, those without a related value.
function createNullParts(compared: QueriedValue): FilterParts {
  const compileNotNull: CompileFilter = (location, parameter) =>
    compileCondition(compared, location, value =>
      compileLookup.isnull({ value, compared, dialect: location.dialect, parameter }),
    )
  return {
    conditions: {
      false: compileNotNull,
      true: (location, parameter) => sql`(${compileNotNull(location, parameter)}) is not true`,
    },
    read: async (texts, { context }) => ({ variant: String(await readFlag(texts, context)), values: noValues }),
  }
}

function describeInput(path: string, { positive, negated }: ParsedLookup, field: Field): Field {
  const label = describeLookup(formatLabel(path.replaceAll('.', ' '), field), { positive, negated })
  const { choices: _, relation, ...described } = field
  if (positive === 'exact') return { ...field, ...(relation && { relation: { ...relation, many: false } }), label }
  const isOrdered = orderedLookups.includes(positive)
  return {
    ...described,
    kind: inputKinds[positive] ?? (isOrdered ? field.kind : textKind),
    ...(positive === 'in' && relation && { relation: { ...relation, many: true } }),
    label,
  }
}

function describeLookup(
  field: MessageText,
  { positive, negated }: Pick<ParsedLookup, 'positive' | 'negated'>,
): MessageText {
  const label = lookupLabels[positive]
  if (label === undefined) return negated ? documentMessages('page.not_equal', { field }) : field
  const lookup = documentMessages(label)
  return documentMessages(negated ? 'page.not_lookup' : 'page.lookup', { field, lookup })
}

const orderedLookups: readonly PositiveLookup[] = ['gt', 'gte', 'lt', 'lte']
