// Kysely's PostgreSQL dialect with a cast for parameters that occur only in `is null`. Without the cast, the server
// rejects the statement ("could not determine data type of parameter").

import {
  type Driver,
  ParensNode,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryCompiler,
  RawNode,
  ValueNode,
} from 'kysely'

export class TypingPostgresDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new TypingCompiler()
  }
}

/** For a connection that is in a transaction: COMMIT of an inner one would end the outer one. */
export class InnerPostgresDialect extends TypingPostgresDialect {
  override createDriver(): Driver {
    const beginTransaction = async () => {
      throw new Error(
        'this connection is in a transaction already, and committing another one would end it: run the statements without kysely.transaction()',
      )
    }
    return Object.assign(super.createDriver(), { beginTransaction })
  }
}

class TypingCompiler extends PostgresQueryCompiler {
  // The cast to text is safe: every value can be sent as text, and null stays null.
  protected override visitRaw({ sqlFragments, parameters }: RawNode): void {
    for (const [index, text] of sqlFragments.entries()) {
      this.append(text)
      const parameter = parameters[index]
      if (parameter === undefined) continue
      const needsCast = isValue(parameter) && isNullTest(text, sqlFragments[index + 1] ?? '')
      if (needsCast) this.append('cast(')
      this.visitNode(parameter)
      if (needsCast) this.append(' as text)')
    }
  }
}

type Node = RawNode['parameters'][number]

// A value in a nested `sql` template is the only parameter of an otherwise empty RawNode.
function isValue(node: Node): boolean {
  if (ValueNode.is(node)) return true
  if (ParensNode.is(node)) return isValue(node.node)
  return (
    RawNode.is(node) &&
    node.sqlFragments.join('') === '' &&
    node.parameters.length === 1 &&
    isValue(node.parameters[0]!)
  )
}

// `a = $1 is null` does not match, because the comparison with `a` determines the type.
const isNullTest = (before: string, after: string): boolean =>
  /(?:^|\(|\b(?:and|or|not|when|where|on|select))\s*$/i.test(before) && /^\s+is\s+(?:not\s+)?null\b/i.test(after)
