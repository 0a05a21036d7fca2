// The unique columns by which paths and bodies name the objects of a resource.

import type { Dialect, Sql } from '../database/dialect.ts'
import { findPublicIdentifier, type Identifier } from '../keys/key.ts'
import type { RelationTarget } from './field.ts'

/** The identifier in the URLs of a resource's objects. */
export const findPathIdentifier = ({ key }: Pick<RelationTarget, 'key'>): Identifier => findPublicIdentifier(key)

/** The SQL of the segment of a URL that names an object, from the SQL of its identifier's value. */
export const createPathSegment = (dialect: Dialect, { isUrlSafe }: Identifier, value: Sql): Sql =>
  isUrlSafe ? value : dialect.encodeUrl(value)
