// The definitions of tables in the SQL of PostgreSQL.

import { createDefinitions } from '../../editors/definitions.ts'
import { postgresColumnTypes } from '../postgres-column-types.ts'

export const definitions = createDefinitions('postgres', postgresColumnTypes)
