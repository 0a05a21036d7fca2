// The types of a declaration, from which those of representations and request bodies follow.

import type { DeclaredFields, FieldRecords } from '../../fields/declared-fields.ts'
import type { KeyTypes } from '../../keys/key.ts'
import type { FilterDeclarations } from './filters.ts'
import type { OperationTypes } from './operation-types.ts'
import type { ResourceTypes } from './representation.ts'

/** The types of a resource with these options. */
export interface DeclaredTypes<
  Name extends string,
  K extends KeyTypes,
  F extends DeclaredFields,
  Options,
  Filters extends FilterDeclarations,
  Ordered extends string,
  Names,
  Operations extends OperationTypes = OperationTypes,
> extends ResourceTypes {
  readonly name: Name
  readonly key: K
  readonly fields: FieldRecords<F, K>
  readonly perAction: { readonly [A in keyof Options]: NamesOf<Options[A]> }
  readonly filters: Filters
  readonly orderingFields: Ordered
  readonly wire: Names
  readonly operations: Operations
}

// The policies of the actions are left out, because the compiler would print them with every resource.
type NamesOf<Options> = Pick<Options, Extract<keyof Options, 'takes' | 'shows'>>
