// The expressions in the words of both databases, and of a third one, whose query compiler is all that differs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BinaryOperationNode,
  type CastNode,
  DataTypeNode,
  DummyDriver,
  type FunctionNode,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type OperationNode,
  OperatorNode,
  type OrderByItemNode,
  sql,
} from 'kysely'
import type { Sql } from './dialect.ts'
import { dialects } from './dialects.ts'
import { castTo, concat, divide, jsonMember, member, orderItem, textLength } from './expressions.ts'

class MysqlWords extends MysqlQueryCompiler {
  protected override visitCast({ expression, dataType }: CastNode): void {
    const type = DataTypeNode.is(dataType) ? { text: 'char', bigint: 'signed' }[dataType.dataType as string] : undefined
    this.#write`cast(${expression} as ${type ?? dataType})`
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand: left, operator, rightOperand: right } = node
    const word = OperatorNode.is(operator) ? operator.operator : undefined
    if (word === '||') this.#write`concat(${left}, ${right})`
    else if (word === '/') this.#write`${left} div ${right}`
    else if (word === '->') this.#write`json_extract(${left}, concat('$.', ${right}))`
    else if (word === '->>') this.#write`json_unquote(json_extract(${left}, concat('$.', ${right})))`
    else super.visitBinaryOperation(node)
  }

  protected override visitFunction(node: FunctionNode): void {
    super.visitFunction(node.func === 'length' ? { ...node, func: 'char_length' } : node)
  }

  protected override visitOrderByItem({ orderBy, direction, nulls }: OrderByItemNode): void {
    if (nulls !== undefined) this.#write`${orderBy} is null ${direction!}, `
    this.#write`${orderBy} ${direction!}`
  }

  #write(texts: TemplateStringsArray, ...parts: readonly (OperationNode | string)[]): void {
    for (const [index, text] of texts.entries()) {
      this.append(text)
      const part = parts[index]
      if (typeof part === 'string') this.append(part)
      else if (part !== undefined) this.visitNode(part)
    }
  }
}

const third = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: kysely => new MysqlIntrospector(kysely),
    createQueryCompiler: () => new MysqlWords(),
  },
})

const column = sql.ref('note')

const expressions: readonly (readonly [Sql, both: string, third: string])[] = [
  [castTo(column, 'text'), 'cast("note" as text)', 'cast(`note` as char)'],
  [castTo(sql`1 + 2`, 'bigint'), 'cast(1 + 2 as bigint)', 'cast(1 + 2 as signed)'],
  [concat(column), '"note"', '`note`'],
  [
    concat(column, sql.lit('/'), castTo(column, 'text')),
    `"note" || '/' || cast("note" as text)`,
    "concat(concat(`note`, '/'), cast(`note` as char))",
  ],
  [sql`${divide(sql`(7 - 1)`, column)} * 2`, '(7 - 1) / "note" * 2', '(7 - 1) div `note` * 2'],
  [member(column, 'key'), `"note" ->> 'key'`, "json_unquote(json_extract(`note`, concat('$.', 'key')))"],
  [jsonMember(column, 'size'), `"note" -> 'size'`, "json_extract(`note`, concat('$.', 'size'))"],
  [textLength(column), 'length("note")', 'char_length(`note`)'],
  [orderItem(column, { descending: false, nullable: false }), '"note" asc', '`note` asc'],
  [orderItem(column, { descending: true, nullable: false }), '"note" desc', '`note` desc'],
  [orderItem(column, { descending: false, nullable: true }), '"note" asc nulls last', '`note` is null asc, `note` asc'],
  [
    orderItem(column, { descending: true, nullable: true }),
    '"note" desc nulls first',
    '`note` is null desc, `note` desc',
  ],
]

test('SQLite and PostgreSQL write the same words, and a third database writes its own', () => {
  const databases = [...dialects.map(({ createKysely }) => createKysely(new DummyDriver())), third]
  for (const [expression, both, other] of expressions)
    assert.deepEqual(
      databases.map(kysely => sql`${expression}`.compile(kysely).sql),
      [both, both, other],
    )
})
