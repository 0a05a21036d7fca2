// Statements of PostgreSQL, written as SQL. The table `t` has one column, `n`.

import { Parameter, type Statement } from '../../src/core/database/database.ts'

export const createStatement = <Row extends readonly unknown[]>(text: string): Statement<Row> => ({
  sql: text,
  parameters: [],
})

export const insertNumber: Statement = {
  sql: 'insert into t (n) values ($1) returning n',
  parameters: [new Parameter('n')],
}

/** The process of the server that serves the connection. */
export const backendPid = createStatement<[number]>('select pg_backend_pid()')
