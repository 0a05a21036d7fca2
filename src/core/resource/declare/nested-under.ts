// How a resource has URLs below the objects of a parent.

import type { JoinTable, RelationTarget } from '../../fields/field.ts'

/**
 * The URLs of a resource below a parent object: `/authors/3/books/` and `/authors/3/books/7/`. The paths are below the prefix
 * of the resource's own API, even if the parent belongs to another API.
 */
export interface NestedUnder {
  readonly parent: RelationTarget
  /** The column with the parent's key, which a new object gets from the URL. With `through`, the key of the resource. */
  readonly column: string
  /** The table that joins objects and parents: `own` has the key of the object, `other` that of the parent. */
  readonly through?: JoinTable
  /** True: the resource has no URLs at the top level. */
  readonly only?: boolean
}

/** The columns that the URLs of new objects set. */
export const listUrlColumns = ({
  nestedUnder,
}: {
  readonly nestedUnder: readonly Pick<NestedUnder, 'column' | 'through'>[]
}): readonly string[] => nestedUnder.flatMap(({ column, through }) => (through === undefined ? [column] : []))

/** How a resource declares that it has URLs below the objects of a parent. */
export type NestedUnderOptions<
  FieldName extends string = string,
  Parent extends string = string,
  Only extends boolean = boolean,
> = {
  /** The parent resource, or the name of one in the same API; 404 if the parent object does not exist for the caller. */
  readonly parent: (RelationTarget & { readonly name: Parent }) | Parent
  /** True: the resource has no URLs at the top level. Default: false. */
  readonly only?: Only
} & (
  | {
      /** The relation to the parent; a new object gets it from the URL. */
      readonly field: FieldName
      readonly column?: never
      readonly through?: never
    }
  | {
      /** The column with the parent's key, if no field has it: hooks write it, or the URL. */
      readonly column: string
      readonly field?: never
      readonly through?: JoinTable
    }
  | {
      /**
       * The table that joins objects and parents, `own` with the key of the object and `other` with that of the parent, or the name of
       * such a relation of the declared table. The list contains the objects that are joined with the parent.
       */
      readonly through: JoinTable | string
      readonly field?: never
      readonly column?: never
    }
)
