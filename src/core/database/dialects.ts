// The dialects of all databases, for code that runs before it is known which database an application uses.

import type { Dialect } from './dialect.ts'
import { postgresDialect } from './postgres/postgres-dialect.ts'
import { sqliteDialect } from './sqlite/sqlite-dialect.ts'

export const dialects: readonly Dialect[] = [sqliteDialect, postgresDialect]
