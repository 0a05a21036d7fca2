// Reads a body for a resource. Beside what its fields check, the database is asked whether related objects exist and
// unique values are free; the questions are compiled once at start.

import { sql } from 'kysely'
import {
  type Connection,
  compile,
  type Database,
  parameter,
  type SqlValue,
  type Statement,
} from '../database/database.ts'
import type { ValidationError } from '../errors/exceptions.ts'
import { type Field, invalid, type Relation } from '../fields/field.ts'
import { type ReadOptions, readFields } from '../fields/read-fields.ts'
import type { Input } from '../parsers/parser.ts'
import type { Resource, Values } from './resource.ts'
import { storageColumn } from './statements.ts'

export interface ValidationOptions extends Omit<ReadOptions, 'exists'> {
  /** The key of the object that is written; undefined for a new one. */
  readonly id: number | undefined
}

/** Reads a body for one resource; throws ValidationError. */
export type Validator = (input: Input, options: ValidationOptions) => Promise<Values>

type Question = (value: unknown, id: number | undefined) => Promise<ValidationError | undefined>

export function createValidator(database: Database, resource: Resource): Validator {
  const questions = new Map(
    Object.entries(resource.fields).map(([name, field]) => [name, questionsOf(database, resource, name, field)]),
  )
  return async (input, options) => {
    const exists = options.id !== undefined
    const values = await readFields(resource.fields, input, { ...options, exists }, async (name, value) => {
      for (const question of questions.get(name)!) {
        const error = await question(value, options.id)
        if (error !== undefined) return error
      }
      return undefined
    })
    return values as Values
  }
}

function questionsOf(database: Database, resource: Resource, name: string, field: Field): readonly Question[] {
  const { readOnly, relation, unique } = field
  if (readOnly) return []
  const column = storageColumn(name, field)
  return [
    ...(relation === undefined ? [] : [existence(database, relation)]),
    ...(unique === undefined || column === undefined ? [] : [uniqueness(database, resource, column, unique)]),
  ]
}

function existence(database: Database, { target, missing }: Relation): Question {
  const key = sql.ref(`${target.table}.${target.key}`)
  const found: Statement<readonly [key: number]> = compile(
    database,
    sql`select ${key} from ${sql.table(target.table)} where ${key} in (${database.functions.keys(parameter('keys'))})`,
  )
  return async value => {
    const keys = Array.isArray(value) ? value : [value]
    if (keys.length === 0) return undefined
    const rows = await database.run(found, { keys: JSON.stringify(keys) })
    const known = new Set(rows.map(([row]) => row))
    const lost = keys.find(candidate => !known.has(candidate))
    return lost === undefined ? undefined : missing(lost)
  }
}

function uniqueness(database: Connection, { table, key }: Resource, column: string, message: string): Question {
  const others: Statement<readonly [key: number]> = compile(
    database,
    sql`select ${sql.ref(`${table}.${key}`)} from ${sql.table(table)} where ${sql.ref(`${table}.${column}`)} = ${parameter('value')}`,
  )
  return async (value, id) => {
    const rows = await database.run(others, { value: value as SqlValue })
    return rows.some(([other]) => other !== id) ? invalid(message, 'unique') : undefined
  }
}
